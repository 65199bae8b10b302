/**
 * Questions in every script, in capitals, in signs alone, by words and by meaning together, as a stranger would type them.
 * Runs the built program with the bundled model.
 */
import { describe, expect, it } from 'vitest';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

const TEXTS = [
  'Ротация паролей раз в квартал', '배포 전에 스테이징 확인', 'データベースは毎晩バックアップする', 'نسخ قاعدة البيانات كل ليلة', 'สำรองข้อมูลทุกคืน', 'לגבות את מסד הנתונים', 'हिन्दी में लिखो', 'தமிழ் உரை', 'ខ្មែរ ភាសា',
  'Straße naming uses ß not ss', 'İstanbul office deploys on Monday', 'naïve café résumé style words', 'emoji 🚀 means release', '50% rollout for flag new_checkout', 'Never use --force on main', 'Tiếng Việt có dấu',
];

interface Answer {
  readonly results: { readonly text: string }[];
  readonly degradations: { readonly part: string }[];
}

async function ask(questions: readonly string[]): Promise<Answer[]> {
  const home = createTemporaryHome();
  const repository = createTemporaryRepository();
  await runCairn(['import', '-', '--no-consolidate'], { home, cwd: repository.directory, stdin: TEXTS.map((text) => JSON.stringify({ text })).join('\n') });
  const run = await runCairn(['query', '--stdin', '--json', '--limit', '5'], { home, cwd: repository.directory, stdin: questions.join('\n') });
  expect(run.code).toBe(0);
  return run.jsonLines<Answer>();
}

describe('a question of words that one memory holds', () => {
  it('gets that memory first, in every script, case and width', async () => {
    const wanted: [string, string][] = [
      ['паролей', 'Ротация'], ['ПАРОЛЕЙ', 'Ротация'], ['스테이징', '배포'], ['バックアップ', 'データ'], ['ﾊﾞｯｸｱｯﾌﾟ', 'データ'], ['البيانات', 'نسخ'], ['ข้อมูล', 'สำรอง'], ['לגבות', 'לגבות'], ['हिन्दी', 'हिन्दी'], ['உரை', 'தமிழ்'], ['ភាសា', 'ខ្មែរ'],
      ['STRASSE', 'Straße'], ['istanbul', 'İstanbul'], ['cafe resume', 'naïve'], ['🚀', 'emoji'], ['50%', '50%'], ['--force', 'Never'], ['ｆｏｒｃｅ', 'Never'], ['tieng viet', 'Tiếng'], ['newCheckout', '50%'],
    ];
    const answers = await ask(wanted.map(([question]) => question));
    expect(answers.map(({ results }, i) => `${wanted[i]?.[0]}: ${results[0]?.text.slice(0, wanted[i]?.[1].length)}`)).toEqual(wanted.map(([question, start]) => `${question}: ${start}`));
  });
});

describe('a question without a letter that the model knows', () => {
  it('gets nothing by meaning, and says so where it has letters', async () => {
    const answers = await ask(['?', '!!!', '🎉', '_', '\\', '"', '😀😀', 'தெரியாத', 'អ្វី']);
    expect(answers.map(({ results }) => results)).toEqual(answers.map(() => []));
    expect(answers.map(({ degradations }) => degradations.map(({ part }) => part))).toEqual([[], [], [], [], [], [], [], ['script_unread'], ['script_unread']]);
  });

  it('does not bring memories of such scripts to questions about something else', async () => {
    const answers = await ask(['quantum entanglement of 42 cats', 'ПРОЧЕЕ', '빵 굽는 법', 'asdfgh']);
    for (const { results } of answers) for (const { text } of results) expect(text).not.toMatch(/[\p{Script=Khmer}\p{Script=Tamil}\p{Script=Devanagari}\p{Script=Hebrew}]/u);
  });
});
