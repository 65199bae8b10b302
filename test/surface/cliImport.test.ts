/**
 * Files that are to be imported, as other tools and people make them: what they hold is taken once, what cannot be taken
 * is named, and nothing comes back that was put away. Runs the built program.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

interface Imported {
  readonly added: number;
  readonly duplicate: number;
  readonly refused: { readonly line: number; readonly code: string; readonly message: string }[];
}
interface Listed {
  readonly text: string;
  readonly kind: string;
  readonly tags: string[];
  readonly createdAt: number;
  readonly pinned: boolean;
}

function open(): { cairn: (...args: string[]) => Promise<CairnRun>; take: (content: unknown) => Promise<CairnRun>; listed: (...flags: string[]) => Promise<Listed[]>; file: string } {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
  const repository = createTemporaryRepository();
  const file = path.join(home.root, 'in.json');
  const cairn = async (...args: string[]): Promise<CairnRun> => runCairn(args, { home, cwd: repository.directory });
  return {
    cairn, file,
    take: async (content) => {
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
      return cairn('import', file, '--json');
    },
    listed: async (...flags) => (await cairn('list', '--limit', '200', '--json', ...flags)).json<{ memories: Listed[] }>().memories,
  };
}

/** As claude-mem's export command writes it. */
const CLAUDE_MEM = {
  exportedAt: '2026-11-01T10:00:00Z', query: 'all', totalObservations: 4,
  observations: [
    { id: 1, project: 'shop', type: 'bugfix', title: 'Null check in the cart', subtitle: 'empty carts', narrative: 'An empty cart made the total NaN.', facts: '[]', created_at: '2026-10-01T08:00:00Z', created_at_epoch: 1_790_841_600_000 },
    { id: 2, project: 'shop', type: 'discovery', title: null, narrative: 'Prices come from the ERP every night.', created_at_epoch: 1_790_928_000 },
    { id: 3, project: 'shop', type: 'discovery', title: null, subtitle: null, narrative: null },
    { id: 1, project: 'shop', type: 'bugfix', title: 'Null check in the cart', narrative: 'An empty cart made the total NaN.' },
  ],
  sessions: [{ id: 7, user_prompt: 'do it' }], prompts: [{ text: 'never import what was typed' }],
};

describe('a file of another tool', () => {
  it('gives its observations once, with kind and time, and names the record that says nothing', async () => {
    const { take, listed } = open();
    const first = (await take(CLAUDE_MEM)).json<Imported>();
    expect(first).toMatchObject({ added: 2, duplicate: 1, refused: [{ line: 3, code: 'IMPORT_LINE_INVALID' }] });
    expect((await take(CLAUDE_MEM)).json()).toMatchObject({ added: 0, duplicate: 3 });
    const memories = await listed();
    expect(memories.map(({ text }) => text).sort()).toEqual(['Null check in the cart: An empty cart made the total NaN.', 'Prices come from the ERP every night.']);
    expect(memories.find(({ text }) => text.startsWith('Prices'))).toMatchObject({ kind: 'fact', createdAt: 1_790_928_000_000 });
  });

  it('may be the graph of the reference memory server, a line or a list each', async () => {
    const { take, listed } = open();
    const lines = [
      { type: 'entity', name: 'Orders', entityType: 'service', observations: ['is written in Go', 'owns its database', ''] },
      { type: 'entity', name: 'Ledger', entityType: 'service', observations: [] },
      { type: 'relation', from: 'Orders', to: 'Ledger', relationType: 'reports_to' },
    ];
    expect((await take(lines.map((line) => JSON.stringify(line)).join('\n'))).json()).toMatchObject({ added: 4, refused: [] });
    expect((await listed()).map(({ text, kind }) => `${kind} ${text}`).sort()).toEqual(['entity Ledger (service)', 'fact Orders: is written in Go', 'fact Orders: owns its database', 'relation Orders reports to Ledger']);
    expect((await take({ entities: lines.slice(0, 2), relations: lines.slice(2) })).json()).toMatchObject({ added: 0, duplicate: 4 });
  });

  it.each([['a list', [{ text: 'One' }, { content: 'Two' }, 'three', { memory: 'Four' }]], ['a wrapped list', { results: [{ text: 'One' }, { content: 'Two' }, 5, { memory: 'Four' }] }]])('may be %s, over many lines or on one', async (_, content) => {
    const { take, listed } = open();
    expect((await take(content)).json()).toMatchObject({ added: 3, refused: [{ line: 3 }] });
    expect((await take(JSON.stringify(content))).json()).toMatchObject({ added: 0, duplicate: 3, refused: [{ line: 3 }] });
    expect(await listed()).toHaveLength(3);
  });

  it('is read line by line where it only begins like one value', async () => {
    const { take } = open();
    const { added, refused } = (await take('{"text": "cut off\n{"text":"The second line"}\n\n[1, 2\n{"text":"The last line"}')).json<Imported>();
    expect({ added, refused: refused.map(({ line }) => line) }).toEqual({ added: 2, refused: [1, 4] });
  });

  it.each([['CSV', 'text,kind\n"A row",rule\n'], ['Markdown', '# Title\n\n- A point\n'], ['bytes', '\u0000\u0001\u0002'], ['a list of nothing of ours', [1, 'two', null]]])('fails where nothing in it could be taken: %s', async (_, content) => {
    const run = await open().take(content);
    expect(run.code).toBe(1);
    expect(run.json<Imported>().refused.length).toBeGreaterThan(0);
  });
});

describe('a record', () => {
  it('keeps what it says of tags, pin and time, in the spellings that there are', async () => {
    const { take, listed } = open();
    const records = [
      { text: 'Tags as words', tags: 'one, two' }, { text: 'Tags as numbers', tags: [2026] }, { text: 'Pinned in words', pinned: 'true' }, { text: 'Blank kind', kind: '', scope: '', createdAt: '' },
      { text: 'Epoch in seconds', createdAt: 1_764_000_000 }, { text: 'Of tomorrow', createdAt: '2999-01-01' }, { text: 'Tags of another shape', tags: { a: 1 } }, { text: 'Tags in tags', tags: [['a']] },
    ];
    expect((await take(records)).json<Imported>().refused.map(({ line }) => line)).toEqual([7, 8]);
    const of = (start: string, memories: Listed[]): Listed | undefined => memories.find(({ text }) => text.startsWith(start));
    const memories = await listed();
    expect(of('Tags as words', memories)?.tags).toEqual(['one', 'two']);
    expect(of('Tags as numbers', memories)?.tags).toEqual(['2026']);
    expect(of('Pinned', memories)?.pinned).toBe(true);
    expect(of('Blank kind', memories)?.kind).toBe('fact');
    expect(of('Epoch', memories)?.createdAt).toBe(1_764_000_000_000);
    expect(of('Of tomorrow', memories)?.createdAt).toBeLessThanOrEqual(Date.now());
  });

  it('that was put away elsewhere does not come back, and is imported once', async () => {
    const { take, listed } = open();
    const records = [
      { text: 'Old and archived', status: 'archived' }, { text: 'Replaced there', status: 'superseded' }, { text: 'Forgotten there', status: 'forgotten' }, { text: 'Never accepted', status: 'inbox' }, { text: 'Ended long ago', expiresAt: '2020-01-01' }, { text: 'Holds', status: 'active' },
    ];
    expect((await take(records)).json<Imported>()).toMatchObject({ added: 4, refused: [{ line: 3 }, { line: 4 }] });
    expect((await listed('--status', 'archived')).map(({ text }) => text).sort()).toEqual(['Old and archived', 'Replaced there']);
    expect((await take(records)).json<Imported>()).toMatchObject({ added: 0, duplicate: 4 });
    expect(await listed('--status', 'active')).toHaveLength(2);
  });
});

describe('an export', () => {
  it('goes to stdout where the file is a dash, and comes back as it was, archived ones too', async () => {
    const from = open();
    await from.take([{ text: 'Stays in use', tags: ['a'] }, { text: 'Was put away', status: 'archived' }]);
    const dash = await from.cairn('export', '-', '--status', 'active,archived');
    expect(dash.jsonLines()).toHaveLength(2);
    const to = open();
    expect((await to.take(dash.stdout)).json()).toMatchObject({ added: 2 });
    const again = await to.cairn('export', '--status', 'active,archived');
    const plain = (run: CairnRun): unknown[] => run.jsonLines<Record<string, unknown>>().map(({ id: _id, externalId: _external, ...rest }) => rest);
    expect(plain(again)).toEqual(plain(dash));
  });
});
