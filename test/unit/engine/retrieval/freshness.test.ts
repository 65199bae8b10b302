/** Anchors against a working tree that changes. */
import { describe, expect, it } from 'vitest';
import type { WorkingTree } from '../../../../src/engine/engineTypes.ts';
import { cutText } from '../../../../src/engine/text/graphemes.ts';
import type { Anchor } from '../../../../src/engine/model/memory.ts';
import { anchoredText, checkAnchors, definitionLine, hashAnchoredText, reanchor } from '../../../../src/engine/retrieval/freshness.ts';

const SOURCE = ['import x from "x";', '', 'export function total(a: number, b: number) {', '  return a + b;', '}', '', 'export const unit = 1;'].join('\n');

function tree(files: Record<string, string>, moved: Record<string, string> = {}): WorkingTree {
  return { readText: (path) => Promise.resolve(files[path]), exists: (path) => Promise.resolve(path in files), movedTo: (path) => Promise.resolve(moved[path]) };
}

async function anchor(extra: Partial<Anchor> = {}): Promise<Anchor> {
  const range = { startLine: 3, endLine: 5 };
  const snippet = anchoredText(SOURCE, range);
  return { path: 'src/sum.ts', symbol: 'total', ...range, snippet, contentHash: await hashAnchoredText(snippet), ...extra };
}

const stateOf = async (one: Anchor, where: WorkingTree | undefined) => (await checkAnchors({ anchors: [one] }, where))[0];

describe('checkAnchors', () => {
  it('is fresh where the same lines stand, whatever stands at line ends', async () => {
    expect(await stateOf(await anchor(), tree({ 'src/sum.ts': SOURCE }))).toMatchObject({ state: 'fresh' });
    expect(await stateOf(await anchor(), tree({ 'src/sum.ts': SOURCE.replaceAll('\n', '  \r\n') }))).toMatchObject({ state: 'fresh' });
  });

  it('follows lines that moved within the file', async () => {
    expect(await stateOf(await anchor(), tree({ 'src/sum.ts': `// a\n// b\n${SOURCE}` }))).toMatchObject({ state: 'moved', now: { startLine: 5, endLine: 7 } });
    expect(await stateOf(await anchor({ snippet: undefined }), tree({ 'src/sum.ts': `// a\n// b\n${SOURCE}` }))).toMatchObject({ state: 'moved', now: { startLine: 5, endLine: 7 } });
  });

  it('follows what is too long for its snippet, and what a secret is masked in', async () => {
    const long = Array.from({ length: 200 }, (_, i) => `  const value${i} = compute(${i}, 'of the table');`).join('\n');
    const [first = ''] = long.split('\n');
    const of = async (text: string, snippet: string): Promise<Anchor> => ({ path: 'a.ts', startLine: 1, endLine: text.split('\n').length, contentHash: await hashAnchoredText(text), snippet });
    expect(await stateOf(await of(long, cutText(long, 4_000)), tree({ 'a.ts': `// a\n${long}\n` }))).toMatchObject({ state: 'moved', now: { startLine: 2, endLine: 201 } });
    expect(await stateOf(await of(long, cutText(long, 4_000)), tree({ 'a.ts': `// a\n${long.replace('value199', 'other')}\n` }))).toMatchObject({ state: 'changed' });
    expect(await stateOf(await of(first, '  const value0 = [redacted];'), tree({ 'a.ts': `// a\n// b\n${first}\n` }))).toMatchObject({ state: 'moved', now: { startLine: 3 } });
  });

  it('follows lines whose ends got white space, and only whole lines', async () => {
    expect(await stateOf(await anchor(), tree({ 'src/sum.ts': `// a\n${SOURCE}`.replaceAll('\n', '\r\n') }))).toMatchObject({ state: 'moved', now: { startLine: 4 } });
    const one: Anchor = { path: 'a.ts', startLine: 1, endLine: 1, contentHash: await hashAnchoredText('x = 1'), snippet: 'x = 1' };
    expect(await stateOf(one, tree({ 'a.ts': 'y\nmax = 1\nx = 10\nx = 1' }))).toMatchObject({ state: 'moved', now: { startLine: 4 } });
  });

  it('follows a renamed file', async () => {
    expect(await stateOf(await anchor(), tree({ 'lib/sum.ts': SOURCE }, { 'src/sum.ts': 'lib/sum.ts' }))).toMatchObject({ state: 'moved', now: { path: 'lib/sum.ts' } });
  });

  it('says changed where the symbol stands with other text, and where', async () => {
    expect(await stateOf(await anchor(), tree({ 'src/sum.ts': `\n${SOURCE.replace('a + b', 'a - b')}` }))).toMatchObject({ state: 'changed', now: { startLine: 4 } });
  });

  it('says where a file is that was renamed and changed on the way', async () => {
    expect(await stateOf(await anchor({ symbol: undefined }), tree({ 'lib/sum.ts': SOURCE.replace('a + b', 'a - b') }, { 'src/sum.ts': 'lib/sum.ts' }))).toMatchObject({ state: 'changed', now: { path: 'lib/sum.ts' } });
  });

  it('says missing where the file or the symbol is gone', async () => {
    expect(await stateOf(await anchor(), tree({}))).toMatchObject({ state: 'missing' });
    expect(await stateOf(await anchor(), tree({ 'src/sum.ts': 'export const other = 1;' }))).toMatchObject({ state: 'missing', goneFrom: 'src/sum.ts' });
    expect((await stateOf(await anchor(), tree({})))?.goneFrom).toBeUndefined();
  });

  it('does not check without a tree, nor when reading fails', async () => {
    expect(await stateOf(await anchor(), undefined)).toMatchObject({ state: 'unchecked' });
    const broken: WorkingTree = { readText: () => Promise.reject(new Error('EACCES')), exists: () => Promise.resolve(true) };
    expect(await stateOf(await anchor(), broken)).toMatchObject({ state: 'unchecked' });
  });

  it('anchors anew where the code stands now', async () => {
    const changed = tree({ 'src/sum.ts': `\n${SOURCE.replace('a + b', 'a - b')}` });
    const anchors = await reanchor({ anchors: [await anchor()] }, changed);
    expect(await checkAnchors({ anchors }, changed)).toMatchObject([{ state: 'fresh' }]);
  });
});

describe('anchoredText', () => {
  it.each([
    [1, undefined, 'a'], [2, 3, 'b\n'], [3, 4, '\nd'], [4, 4, 'd'], [4, 9, 'd'], [5, 6, ''], [2, 1, ''],
  ])('of lines %s to %s is %j', (startLine, endLine, expected) => {
    expect(anchoredText('a\nb\n\nd', { startLine, ...(endLine === undefined ? {} : { endLine }) })).toBe(expected);
  });
});

describe('definitionLine', () => {
  it.each([
    ['def run(self):\n  pass', 'run', 1],
    ['x = run()\n\nfunc run() {', 'run', 3],
    ['class A {\n  method(a) {\n  }\n}', 'A.method', 2],
    ['type Shape = 1', 'Shape', 1],
    ['## Setup\ntext', 'Setup', 1],
    ['runner()', 'run', undefined],
    ['func Load(path string) (*Config, error) {\n}\n\ntype Config struct {\n}', 'Config', 4],
    ['func (a *A) Close() {\n}\nfunc (s *Splitter) Close() {\n}', 'Splitter.Close', 3],
    ['class A {\n  close() {\n  }\n}\nclass B {\n  close() {\n  }\n}', 'B.close', 6],
    ['interface A { }\nexport async function* stream(a: A) {', 'stream', 2],
    ['use(Shape);\nshow(Shape);', 'Shape', 1],
  ])('in %j finds %s on line %s', (text, symbol, line) => {
    expect(definitionLine(text, symbol)).toBe(line);
  });
});
