/** Newer statements of one subject, told apart from other things said of it: with the bundled model, and by words alone. */
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBundledEmbedder } from '../../../../src/engine/embedding/bundled/bundledEmbedder.ts';
import { createPairedEmbedder } from '../../../../src/engine/embedding/bundled/pairedEmbedder.ts';
import type { Embedder } from '../../../../src/engine/embedding/embedder.ts';
import { takesBack } from '../../../../src/engine/retrieval/sameSubject.ts';
import { sampleMemory } from '../../../support/builders.ts';
import { repositoryDirectory } from '../../../support/program.ts';
import { openRecallBench, type RecallBench } from '../../../support/recallBench.ts';
import { createTemporaryFolder } from '../../../support/temporaryFolder.ts';

let model: Embedder;
let bench: RecallBench | undefined;
beforeAll(async () => {
  const open = async (name: string): Promise<Embedder> => openBundledEmbedder({ modelFolder: path.join(repositoryDirectory, 'media', 'models', name) });
  model = createPairedEmbedder(await open('all-minilm-l6-v2'), await open('use-multilingual'));
});
afterAll(async () => model.close());
afterEach(async () => bench?.close());

const LAST_YEAR = Date.parse('2025-03-01');
const THIS_YEAR = Date.parse('2026-03-01');
const OTHERS = ['Commit messages are written in English.', 'The office closes at six on Fridays.', 'Never log an e-mail address.', 'Snapshots are kept for thirty days.'];

/** Texts in the order in which they are given. */
async function given(question: string, older: string, newer: string, embedder: Embedder | undefined): Promise<string[]> {
  bench = await openRecallBench(createTemporaryFolder('newer'), embedder === undefined ? {} : { embedder });
  await bench.put(...[...OTHERS, older].map((text) => ({ text, validFrom: LAST_YEAR })), { text: newer, validFrom: THIS_YEAR });
  const { results } = await bench.recall({ query: question });
  return results.map(({ memory }) => memory.text);
}

const UPDATES: readonly (readonly [string, string, string])[] = [
  ['Which program reads scanned letters?', 'Incoming documents go through Tesseract for OCR.', 'Incoming documents go through Azure Document Intelligence for OCR, Tesseract failed on stamps.'],
  ['How do students log on?', "Lectern signs people in against the university's LDAP.", 'Lectern signs people in through SAML with eduGAIN; LDAP is only read for the department.'],
  ['what database holds the orders', 'Orders are stored in MySQL 8.', 'We moved the orders from MySQL to PostgreSQL 16; the MySQL instance is switched off.'],
  ['who triggers a production rollout', "Production is deployed by hand from Lena's laptop.", 'Production is now deployed by a GitHub Actions workflow on every tag that begins with v.'],
  ['灰鲸怎么打包', '灰鲸构建脚本用 webpack 打包。', '灰鲸构建脚本用 Vite 打包，插件都重写了。'],
];

/** Both hold: what was asked for stays first, whichever is newer. */
const SIBLINGS: readonly (readonly [string, string, string])[] = [
  ['Which port does the order service listen on?', 'The order service listens on port 4100.', 'The payment service listens on port 4200.'],
  ['Where is the probe of rev B?', 'Moth rev B: the leak probe sits on AIN2.', 'Moth rev C: the leak probe sits on AIN5.'],
  ['How often does the payment worker retry?', 'The payment worker retries five times.', 'The payment worker is owned by the platform team.'],
  ['What do I do before committing?', 'Run the linter before committing.', 'Run the linter before pushing.'],
  ['How often does the payment worker retry?', 'The payment worker retries five times.', 'The payment worker now logs to Loki.'],
  ['What port does the gateway use?', 'The gateway listens on port 8080.', 'The gateway was moved to Kubernetes.'],
  ['When do sessions expire?', 'Sessions expire after 30 minutes.', 'Sessions are now stored in Redis instead of memory.'],
  ['Where are the docs?', 'The documentation lives in docs/ and is built with VitePress.', 'The documentation is now also published in Chinese.'],
  ['How does the gateway authenticate?', 'The gateway authenticates against Keycloak.', 'Keycloak was upgraded to version 25.'],
  ['Where are user sessions stored?', 'User sessions are stored in Redis.', 'Redis was moved to a machine of its own.'],
  ['Where do temporary files live?', 'Temporary files live in var/tmp.', 'Temporary files are deleted after a day.'],
  ['告警发到哪里', '告警由 Grafana 发到值班群。', 'Grafana 升级到 11 了。'],
  ['网关用哪个端口', '网关监听 8080 端口。', '网关已经迁到 Kubernetes。'],
];

describe('what a newer statement takes back', () => {
  it.each([
    ['Orders are stored in MySQL 8.', 'We moved the orders from MySQL to PostgreSQL.', true],
    ['On-call alerts go through Opsgenie.', 'On-call alerts moved to Grafana OnCall, Opsgenie was cancelled.', true],
    ['麦浪的定时任务都挂在 Azkaban 上。', '麦浪的调度全部迁到 Dagster，Azkaban 已经下线。', true],
    ['Deploy announcements go to the Slack channel.', 'Deploy announcements no longer go to Slack; use Teams.', true],
    ['Builds run on Jenkins.', 'We no longer use Jenkins for builds.', true],
    ['Mail is sent through SendGrid.', 'Stop sending mail through SendGrid, use SES.', true],
    ['Flags are read from LaunchDarkly.', 'Do not read flags from LaunchDarkly any more, Unleash has them.', true],
    ['The admin UI is written in Vue.', 'The admin UI is written in React, the Vue code was deleted.', true],
    ['We support Node 18.', 'Node 18 support ended; the minimum is Node 20.', true],
    ['接口文档写在 Confluence 上。', '接口文档不再写 Confluence，统一放在仓库里。', true],
    ['We deploy to Heroku.', 'Do not deploy to Heroku on Fridays.', false],
    ['Orders go through Kafka.', 'We no longer restart Kafka after a deploy.', false],
    ['Services log to Loki.', 'Services must not log e-mail addresses to Loki.', false],
    ['Orders go through Kafka.', 'Kafka topics are deleted after a week.', false],
    ['Builds run on Jenkins.', 'Jenkins stops builds after an hour.', false],
    ['The gateway authenticates against Keycloak.', 'Keycloak was upgraded to version 25.', false],
    ['Sessions expire after 30 minutes.', 'Sessions are now stored in Redis instead of memory.', false],
    ['告警由 Grafana 发到值班群。', 'Grafana 升级到 11 了。', false],
  ])('of "%s" in "%s": %s', (older, newer, expected) => {
    expect(takesBack(sampleMemory({ text: newer }), sampleMemory({ text: older }))).toBe(expected);
  });
});

describe('a newer statement of the same subject', () => {
  it.each(UPDATES)('stands above the older one for "%s"', async (question, older, newer) => {
    const texts = await given(question, older, newer, model);
    expect(texts).toContain(newer);
    expect(texts.indexOf(older) < 0 || texts.indexOf(newer) < texts.indexOf(older), texts.join('\n')).toBe(true);
  });

  it('stands above the older one by words alone, and both say why', async () => {
    const [, older, newer] = UPDATES[1] ?? ['', '', ''];
    expect((await given('how does Lectern sign people in', older, newer, undefined)).slice(0, 2)).toEqual([newer, older]);
    const { results } = (await bench?.recall({ query: 'how does Lectern sign people in' })) ?? { results: [] };
    expect(results.slice(0, 2).map(({ explain }) => explain.boosts.map(({ name }) => name).filter((name) => name.endsWith('Statement')))).toEqual([['newerStatement'], ['replacedStatement']]);
  });

  it.each(SIBLINGS)('is not what is said of another thing: "%s"', async (question, asked, other) => {
    for (const embedder of [model, undefined]) {
      expect((await given(question, asked, other, embedder))[0]).toBe(asked);
      await bench?.close();
      expect((await given(question, asked, other, embedder))[0]).toBe(asked);
      await bench?.close();
    }
  });
});
