import { describe, expect, it } from 'vitest';
import { METHODS, NO_FILTERS, fromHost, fromWebview, isMethod } from '../../../src/protocol/index.ts';
import { HostLink } from '../../../webview-ui/src/hostLink.ts';

describe('messages between editor and webview', () => {
  it('refuses shapes that were not agreed on', () => {
    for (const message of [undefined, null, 'x', {}, { type: 'request', id: -1, method: 'x' }, { type: 'eval', code: '1' }]) expect(fromWebview.safeParse(message).success).toBe(false);
    expect(fromHost.safeParse({ type: 'event', event: { name: 'runScript' } }).success).toBe(false);
  });

  it('knows its methods and nothing that an object inherits', () => {
    expect(isMethod('listMemories')).toBe(true);
    for (const name of ['toString', '__proto__', 'constructor', 'purge']) expect(isMethod(name)).toBe(false);
  });

  it('lets a webview run only listed commands', () => {
    expect(METHODS.runCommand.params.safeParse({ command: 'cairn.doctor' }).success).toBe(true);
    expect(METHODS.runCommand.params.safeParse({ command: 'workbench.action.terminal.new' }).success).toBe(false);
  });

  it.each([
    [{ text: '' }, false], [{ text: 'x'.repeat(8_001) }, false], [{ importance: 11 }, false], [{ importance: 1.5 }, false], [{ kind: 'nonsense' }, false],
    [{ tags: ['x'.repeat(65)] }, false], [{ text: 'ok', importance: 10, kind: 'rule', tags: ['a'], expiresAt: null }, true],
  ])('checks a patch before it leaves: %j', (patch, fits) => {
    expect(METHODS.updateMemory.params.safeParse({ id: 'a', patch, expectedVersion: 1 }).success).toBe(fits);
  });
});

describe('the webview\'s link', () => {
  function wired() {
    const sent: unknown[] = [];
    let receive: (event: { data: unknown }) => void = () => undefined;
    const link = new HostLink((message) => sent.push(message), { addEventListener: (_name: string, listener: unknown) => { receive = listener as typeof receive; } } as Pick<Window, 'addEventListener'>);
    return { link, sent, say: (data: unknown) => { receive({ data }); } };
  }

  it('pairs answers with questions in any order', async () => {
    const { link, say } = wired();
    const [one, two] = [link.request('listTags', {}), link.request('listTags', {})];
    say({ type: 'response', id: 2, ok: true, result: { tags: [{ tag: 'b', count: 1 }] } });
    say({ type: 'response', id: 1, ok: true, result: { tags: [] } });
    expect(await one).toEqual({ tags: [] });
    expect(await two).toEqual({ tags: [{ tag: 'b', count: 1 }] });
  });

  it('rejects an answer of the wrong shape instead of showing it', async () => {
    const { link, say } = wired();
    const answer = link.request('listMemories', { query: '', filters: NO_FILTERS, sort: 'recent', offset: 0 });
    say({ type: 'response', id: 1, ok: true, result: { rows: [{ id: 1 }], total: 1, offset: 0, degradations: [] } });
    await expect(answer).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
  });

  it('carries the code of a failure', async () => {
    const { link, say } = wired();
    const answer = link.request('undo', {});
    say({ type: 'response', id: 1, ok: false, error: { code: 'NOTHING_TO_UNDO', message: 'There is nothing to undo here.' } });
    await expect(answer).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' });
  });

  it('tells the host what it no longer wants', async () => {
    const { link, sent } = wired();
    const controller = new AbortController();
    const answer = link.request('listTags', {}, controller.signal);
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(sent).toContainEqual({ type: 'cancel', id: 1 });
  });
});
