/**
 * Commands that store and change memories: add, edit, forget, clear, purge, archive,
 * restore, pin, undo.
 */
import { CairnError } from '../../base/errors.ts';
import type { EditResult, MemoryDetail, StatusResult, UndoResult } from '../../engine/index.ts';
import { isHistoryOnly, placeOf } from '../../operations/index.ts';
import type { RememberOutput } from '../../operations/index.ts';
import { addFilters, filterInput, listFlag, numberFlag, prune } from '../commandFlags.ts';
import type { FilterFlags } from '../commandFlags.ts';
import { confirmed } from '../confirmed.ts';
import { counted } from '../output.ts';
import type { CliSession } from '../session.ts';
import type { Register } from '../register.ts';

interface AddFlags {
  readonly text?: string;
  readonly kind?: string[];
  readonly type?: string[];
  readonly category?: string[];
  readonly importance?: number;
  readonly confidence?: number;
  readonly tags?: string[];
  readonly scope?: string;
  readonly pin?: boolean;
  readonly expires?: string;
  readonly path?: string;
  readonly lines?: string;
  readonly symbol?: string;
  readonly supersedes?: string[];
  readonly externalId?: string;
  readonly createdAt?: string;
  readonly branch?: string;
  readonly consolidate?: boolean;
}

export function registerRemembering(register: Register): void {
  register('add [text...]', 'remember one statement', (command) =>
    command
      .alias('remember')
      .option('--text <text>', 'the statement; - reads stdin')
      .option('--kind <kind>', 'rule, decision, preference, fact, ... (default: fact)', listFlag)
      .option('--type <kind>', 'same as --kind', listFlag)
      .option('--category <kind>', 'same as --kind', listFlag)
      .option('--importance <n>', '1 to 10', numberFlag('importance'))
      .option('--confidence <n>', '0 to 1', numberFlag('confidence'))
      .option('--tags <tags>', 'comma-separated', listFlag)
      .option('--scope <scope>', 'user, repository, branch:NAME or path:GLOB')
      .option('--pin', 'every session starts with it')
      .option('--expires <when>', 'until when it holds: a date, or a time from now such as 2w')
      .option('--path <path>', 'anchor it to this file')
      .option('--lines <a-b>', 'anchor it to these lines of --path')
      .option('--symbol <name>', 'anchor it to this symbol of --path')
      .option('--supersedes <ids>', 'memories it replaces', listFlag)
      .option('--external-id <id>', 'an id of yours, kept with it')
      .option('--created-at <when>', 'when it was said')
      .option('--branch <name>', 'the branch it was made on')
      .option('--no-consolidate', 'store as given, no duplicate check'), async (session, words: string[], flags: AddFlags) => {
    const text = await textOf(session, words, flags.text);
    const kinds = [...(flags.kind ?? []), ...(flags.type ?? []), ...(flags.category ?? [])];
    if (kinds.length > 1) throw new CairnError('INPUT_INVALID', `A memory has one kind, not ${kinds.join(' and ')}.`, { data: { field: 'kind' } });
    const result = await session.call<RememberOutput>('remember', prune({
      text,
      kind: kinds[0],
      importance: flags.importance,
      confidence: flags.confidence,
      tags: flags.tags,
      scope: flags.scope ?? (session.target.userOnly === true ? 'user' : undefined),
      pinned: flags.pin,
      expiresAt: flags.expires,
      anchors: anchorOf(flags),
      supersedes: flags.supersedes,
      externalId: flags.externalId,
      createdAt: flags.createdAt,
      branch: flags.branch,
      consolidate: flags.consolidate === false ? false : undefined,
    }));
    const { memory, ...rest } = result;
    const missing = memory === undefined || flags.path === undefined ? [] : (await session.call<MemoryDetail>('getMemory', { id: memory.id })).anchorChecks.filter(({ state }) => state === 'missing');
    for (const { anchor } of missing) session.out.note(`  ${placeOf(anchor)} is not there now; the memory is kept and says so.`);
    session.print({ ...rest, text: memory?.text, kind: memory?.kind, importance: memory?.importance, expiresAt: memory?.expiresAt }, () => {
      session.out.line(`${session.out.style('green', verbOf(result))} ${session.out.style('dim', result.id)}`);
      if (result.outcome !== 'added') session.out.line(`  ${result.why}`);
      const { statedEnd } = result;
      if (statedEnd?.at !== undefined) session.out.line(`  Expires ${session.out.day(statedEnd.at)}, as it says "${statedEnd.words}". If that is wrong: cairn edit ${result.id} --expires never`);
      else if (statedEnd !== undefined) session.out.line(session.out.style('dim', `  It says "${statedEnd.words}"; to let it end by itself: cairn edit ${result.id} --expires 2w`));
      for (const { kind, count } of result.redactions) session.out.line(session.out.style('yellow', `  ${count} secret${count === 1 ? '' : 's'} masked (${kind})`));
    });
  });

  register('edit <id>', 'correct a memory', (command) =>
    command
      .option('--text <text>', 'new text; - reads stdin')
      .option('--kind <kind>', 'new kind')
      .option('--importance <n>', '1 to 10', numberFlag('importance'))
      .option('--tags <tags>', 'replaces the tags', listFlag)
      .option('--scope <scope>', 'user, repository, branch:NAME or path:GLOB')
      .option('--expires <when>', 'date, or "never"')
      .option('--pin', 'pin it')
      .option('--unpin', 'unpin it')
      .option('--reason <why>', 'kept in its history'), async (session, id: string, flags: { text?: string; kind?: string; importance?: number; tags?: string[]; scope?: string; expires?: string; pin?: boolean; unpin?: boolean; reason?: string }) => {
    if (flags.pin === true && flags.unpin === true) throw new CairnError('INPUT_INVALID', 'Give either --pin or --unpin.', { data: { field: 'pinned' } });
    const patch = prune({
      text: flags.text === undefined ? undefined : await textOf(session, [], flags.text),
      kind: flags.kind,
      importance: flags.importance,
      tags: flags.tags,
      scope: flags.scope,
      pinned: flags.pin === true ? true : flags.unpin === true ? false : undefined,
    });
    if (flags.expires !== undefined) patch['expiresAt'] = flags.expires === 'never' ? null : flags.expires;
    if (Object.keys(patch).length === 0) throw new CairnError('INPUT_INVALID', 'Say what to change: --text, --kind, --importance, --tags, --scope, --expires, --pin or --unpin.', { data: { field: 'patch' } });
    const result = await session.call<EditResult>('updateMemory', prune({ id, patch, reason: flags.reason }));
    session.print({ id, version: result.memory.version, actId: result.actId, memory: result.memory }, () => {
      session.out.line(`${session.out.style('green', 'Changed')} ${session.out.style('dim', `${id}, now version ${result.memory.version}. Undo: cairn undo`)}`);
    });
  });

  for (const name of ['forget', 'delete']) {
    register(`${name} <ids...>`, name === 'forget' ? 'forget memories (undo brings them back)' : 'same as forget', (command) => command.option('--reason <why>', 'kept in the history'), async (session, ids: string[], flags: { reason?: string }) => {
      printStatus(session, await session.call<StatusResult>('forget', prune({ ids, reason: flags.reason })), 'Forgotten');
    });
  }
  register('archive <ids...>', 'take memories out of recall', (command) => command, async (session, ids: string[]) => {
    printStatus(session, await session.call<StatusResult>('archive', { ids }), 'Archived');
  });
  register('restore-memory <ids...>', 'bring archived, superseded or forgotten memories back', (command) => command, async (session, ids: string[]) => {
    printStatus(session, await session.call<StatusResult>('restore', { ids }), 'Restored');
  });
  register('pin <ids...>', 'start every session with these', (command) => command.option('--off', 'unpin'), async (session, ids: string[], flags: { off?: boolean }) => {
    const result = await session.call<{ changed: string[] }>('pin', { ids, pinned: flags.off !== true });
    session.print(result, () => session.out.line(`${flags.off === true ? 'Unpinned' : 'Pinned'} ${result.changed.length}.`));
  });

  register('clear', 'forget everything that passes the filters, or all in scope', (command) => addFilters(command).option('--yes', 'do not ask'), async (session, flags: FilterFlags & { yes?: boolean }) => {
    const filter = filterInput(flags);
    await confirmed(session, flags.yes, Object.keys(filter).length === 0 ? 'Forget every memory here? Undo can bring them back.' : 'Forget every memory that passes these filters? Undo can bring them back.');
    const scope = session.target.userOnly === true ? { stores: ['user'] } : { stores: ['repository'] };
    printStatus(session, await session.call<StatusResult>('forget', { filter: { ...scope, ...filter, all: true } }), 'Forgotten');
  });

  register('purge [ids...]', 'remove content for good; this cannot be undone', (command) =>
    command.option('--forgotten', 'only what was forgotten').option('--all', 'everything of this repository (the default without ids)').option('--yes', 'say yes'), async (session, ids: string[], flags: { forgotten?: boolean; yes?: boolean }) => {
    const what = ids.length > 0 ? 'ids' : flags.forgotten === true ? 'forgotten' : 'all';
    await confirmed(session, flags.yes, `Purge ${what === 'ids' ? `${ids.length} memories` : what === 'all' ? 'everything here' : 'everything forgotten'}? This cannot be undone.`);
    const result = await session.call<{ purged: number; backups: string[] }>('purge', { what, ...(ids.length > 0 ? { ids } : {}), confirm: true });
    session.print(result, () => {
      session.out.line(`Purged ${result.purged}.`);
      if (result.backups.length > 0) session.out.line(`Backups may still hold the text; remove them yourself if you want that too:\n${result.backups.map((path) => `  ${path}`).join('\n')}`);
    });
  });

  register('undo', 'take back the last change', (command) => command.option('--act <id>', 'this change instead of the last'), async (session, flags: { act?: string }) => {
    const result = await session.call<UndoResult>('undo', prune({ actId: flags.act }));
    session.print(result, () => {
      session.out.line(`Undone: ${counted(result.memories.length, 'memory is', 'memories are')} as before.`);
      for (const { text, status } of result.memories.slice(0, SHOWN_UNDONE)) session.out.line(session.out.style('dim', `  ${session.out.wrap(text, 14)[0] ?? ''}${status === 'active' ? '' : ` (${status})`}`));
      if (result.memories.length > SHOWN_UNDONE) session.out.line(session.out.style('dim', `  and ${result.memories.length - SHOWN_UNDONE} more`));
    });
  });
}

/** Enough to see which act it was. */
const SHOWN_UNDONE = 5;
const verbOf = (result: RememberOutput): string => (isHistoryOnly(result) ? 'Kept as history of' : (VERB[result.outcome] ?? result.outcome));

const VERB: Readonly<Record<string, string>> = { added: 'Remembered', merged: 'Merged', superseded: 'Remembered, replacing an older one', duplicate: 'Known already', conflict: 'Remembered, in conflict', inbox: 'In the inbox' };

async function textOf(session: CliSession, words: readonly string[], flag: string | undefined): Promise<string> {
  const given = flag ?? (words.length > 0 ? words.join(' ') : undefined);
  if (given === '-' || (given === undefined && !session.io.stdinIsTerminal)) return session.io.readStdin();
  if (given?.includes('\uFFFD') === true) throw new CairnError('TEXT_MALFORMED', 'The words on the command line are not UTF-8 text. Pipe them in with - if a replacement character is meant.');
  if (given === undefined) throw new CairnError('TEXT_EMPTY', 'Say what to remember: cairn add "We decided on PostgreSQL", or pipe it in with -.');
  return given;
}

function anchorOf(flags: AddFlags): Record<string, unknown>[] | undefined {
  if (flags.path === undefined) {
    if (flags.lines !== undefined || flags.symbol !== undefined) throw new CairnError('INPUT_INVALID', '--lines and --symbol need --path.', { data: { field: 'path' } });
    return undefined;
  }
  const lines = flags.lines === undefined ? undefined : /^(\d+)(?:-(\d+))?$/.exec(flags.lines);
  if (lines === null) throw new CairnError('INPUT_INVALID', '--lines looks like 40-58.', { data: { field: 'lines' } });
  const startLine = lines?.[1] === undefined ? undefined : Number(lines[1]);
  return [prune({ path: flags.path, symbol: flags.symbol, startLine, endLine: lines?.[2] === undefined ? startLine : Number(lines[2]) })];
}

function printStatus(session: CliSession, result: StatusResult, verb: string): void {
  session.print({ changed: result.changed, unchanged: result.unchanged, actId: result.actId }, () => {
    session.out.line(`${verb} ${result.changed.length}.${result.changed.length === 0 ? '' : ` ${session.out.style('dim', 'Undo: cairn undo')}`}`);
    if (result.unchanged.length > 0) session.out.line(session.out.style('dim', `${counted(result.unchanged.length, 'was', 'were')} so already.`));
  });
}
