/**
 * Commands that find and show: search, query, recent, list, show, history, context.
 */
import { CairnError, isCairnError } from '../../base/errors.ts';
import { cutText } from '../../engine/index.ts';
import type { MemoryChange, MemoryDetail, RecallResult, RecalledMemory, RelatedMemory, ReplayResult } from '../../engine/index.ts';
import { placeOf, relatedReason } from '../../operations/index.ts';
import type { ListMemoriesOutput, RelatedOutput } from '../../operations/index.ts';
import { addFilterFlags, filterInput, numberFlag, prune } from '../commandFlags.ts';
import type { FilterFlags } from '../commandFlags.ts';
import type { Register } from '../register.ts';
import { progressLine } from '../session.ts';
import type { CliSession } from '../session.ts';

interface SearchFlags extends FilterFlags {
  readonly query?: string;
  readonly mode?: string;
  readonly threshold?: number;
  readonly global?: boolean;
  readonly stdin?: boolean;
}

/** What scripts see of a result; documented in the README and pinned by a test. */
export function resultRow(result: RecalledMemory): Record<string, unknown> {
  const { memory } = result;
  return prune({
    id: memory.id,
    externalId: memory.externalId,
    text: memory.text,
    excerpt: result.excerpt,
    kind: memory.kind,
    importance: memory.importance,
    confidence: memory.confidence,
    tags: memory.tags,
    status: memory.status,
    pinned: memory.pinned,
    createdAt: new Date(memory.createdAt).toISOString(),
    updatedAt: new Date(memory.updatedAt).toISOString(),
    branch: memory.provenance.branch,
    store: result.store,
    repository: result.repository,
    anchors: memory.anchors.length === 0 ? undefined : result.anchorChecks.map(({ anchor, state, now }) => prune({ path: anchor.path, startLine: anchor.startLine, endLine: anchor.endLine, state, now })),
    explain: result.explain,
  });
}

export const recallJson = (result: RecallResult): Record<string, unknown> => ({ results: result.results.map(resultRow), degradations: result.degradations, mode: result.mode, limit: result.limit });

export function registerFinding(register: Register): void {
  const searchFlags = (command: Parameters<typeof addFilterFlags>[0]): Parameters<typeof addFilterFlags>[0] =>
    addFilterFlags(command)
      .option('-q, --query <words>', 'the question; without one, filters list')
      .option('-m, --mode <mode>', 'hybrid, semantic or keyword')
      .option('--threshold <cosine>', 'least cosine of hits found by meaning alone', numberFlag('threshold'))
      .option('--global', 'ask all repositories');

  register('search [query...]', 'find memories', (command) => searchFlags(command.alias('recall')), async (session, words: string[], flags: SearchFlags) => search(session, words, flags));
  register('query [query...]', 'same as search; --stdin answers one query a line', (command) => searchFlags(command).option('--stdin', 'one query per line in, one JSON line out'), async (session, words: string[], flags: SearchFlags) =>
    flags.stdin === true ? queryLines(session, flags) : search(session, words, flags));

  register('recent', 'what was remembered last', addFilterFlags, async (session, flags: FilterFlags) => list(session, { ...filterInput(flags), limit: flags.limit ?? 10, order: 'created' }));
  for (const name of ['list', 'view']) {
    register(name, name === 'list' ? 'list memories' : 'same as list', (command) => addFilterFlags(command).option('-q, --query <words>', 'search instead').option('--order <order>', 'recent, created, importance, kind, file or recalled').option('--offset <n>', 'skip this many', numberFlag('offset')).option('--global', 'of all repositories'), async (session, flags: SearchFlags & { order?: string; offset?: number }) =>
      flags.query === undefined ? list(session, prune({ ...filterInput(flags), order: flags.order, offset: flags.offset, global: flags.global })) : search(session, [], flags));
  }

  register('show <id>', 'one memory with everything around it', (command) => command, async (session, id: string) => {
    const detail = await session.call<MemoryDetail>('getMemory', { id });
    const { related } = await session.call<RelatedOutput>('relatedMemories', { id });
    session.print({ ...detail.memory, store: detail.store, history: detail.history, superseded: detail.superseded, supersededByMemory: detail.supersededBy, relations: detail.relations, anchorChecks: detail.anchorChecks, given: detail.given, related: related.map(({ memory, reasons }) => ({ id: memory.id, text: memory.text, reasons })) }, () => showDetail(session, detail, related));
  });

  register('replay <id>', 'which past prompts would have got a memory', (command) => command.option('--limit <n>', 'newest prompts to try', numberFlag('limit')), async (session, id: string, flags: { limit?: number }) => {
    const progress = progressLine(session, 'Replaying');
    const result = await session.call<ReplayResult>('replay', prune({ id, maxPrompts: flags.limit }), progress.onProgress);
    progress.done();
    session.print(result, () => {
      session.out.line(`${result.wouldGet.length} of ${result.promptsAsked} past prompts would get it; given ${result.given} times, used ${result.used} times.`);
      for (const { prompt, rank, at } of result.wouldGet.slice(0, 20)) session.out.line(`  ${rank}. ${prompt.replaceAll('\n', ' ')} ${session.out.style('dim', session.out.age(at))}`);
    });
  });

  register('history <id>', 'every change of a memory', (command) => command, async (session, id: string) => {
    const result = await session.call<{ id: string; changes: MemoryChange[] }>('history', { id });
    session.print(result, () => {
      for (const change of result.changes) printChange(session, change);
    });
  });
}

const NOTHING_YET = 'Nothing is remembered here yet. Try: cairn add "We use pnpm, not npm"';
const PAGING = new Set(['limit', 'offset', 'order', 'global']);
/** Whether anything but the page was asked for. */
const isNarrowed = (input: Record<string, unknown>): boolean => Object.keys(input).some((key) => !PAGING.has(key));

async function search(session: CliSession, words: readonly string[], flags: SearchFlags): Promise<void> {
  const query = flags.query ?? (words.length > 0 ? words.join(' ') : undefined);
  const result = await session.call<RecallResult>('recall', prune({ ...filterInput(flags), query, mode: flags.mode, threshold: flags.threshold, global: flags.global, ...(session.target.userOnly === true ? { stores: ['user'] } : {}) }));
  session.print(recallJson(result), () => {
    for (const found of result.results) session.out.recalled(found);
    if (result.results.length === 0) session.out.line(query !== undefined ? 'Nothing relevant is remembered here.' : isNarrowed(filterInput(flags)) ? 'No memory passes these filters.' : NOTHING_YET);
    for (const { part, message } of result.degradations) if (part !== 'working_tree_unchecked') session.out.note(session.out.style('dim', message));
  });
}

/** One query per line (plain text, or a JSON object with options), one JSON line out per query, in order, one process. */
async function queryLines(session: CliSession, flags: SearchFlags): Promise<void> {
  for await (const line of session.io.stdinLines()) {
    if (line.trim() === '') continue;
    try {
      const given = parseQueryLine(line);
      const result = await session.call<RecallResult>('recall', prune({ ...filterInput(flags), mode: flags.mode, threshold: flags.threshold, global: flags.global, ...given }));
      session.out.json({ query: given['query'], ...recallJson(result) });
    } catch (error) {
      // One bad line answers for itself; the lines after it are still answered.
      if (!isCairnError(error) || error.code === 'CANCELLED') throw error;
      session.out.json({ error: { code: error.code, message: error.message } });
    }
  }
}

function parseQueryLine(line: string): Record<string, unknown> {
  if (!line.trimStart().startsWith('{')) return { query: line };
  let given: Record<string, unknown>;
  try {
    given = JSON.parse(line) as Record<string, unknown>;
  } catch (error) {
    throw new CairnError('INPUT_INVALID', 'The line begins with { but is not JSON.', { cause: error, data: { field: 'query' } });
  }
  if (typeof given['query'] !== 'string') throw new CairnError('INPUT_INVALID', 'The object on the line has no "query".', { data: { field: 'query' } });
  return given;
}

async function list(session: CliSession, input: Record<string, unknown>): Promise<void> {
  const result = await session.call<ListMemoriesOutput>('listMemories', session.target.userOnly === true ? { ...input, stores: ['user'] } : input);
  session.print({ ...result, memories: result.memories.map(({ memory, store, repository }) => ({ ...memory, store, ...(repository === undefined ? {} : { repository }) })) }, () => {
    for (const entry of result.memories) session.out.memory(entry, { repository: entry.repository?.name });
    if (result.total === 0) session.out.line(isNarrowed(input) ? 'No memory passes these filters.' : NOTHING_YET);
    else if (result.memories.length === 0) session.out.line(`There are ${result.total}; none is left after the first ${result.offset}.`);
    else if (result.offset + result.memories.length < result.total) session.out.line(session.out.style('dim', `${result.offset + result.memories.length} of ${result.total}; more with --offset ${result.offset + result.memories.length}`));
  });
}

/** One line of a terminal. */
const NEAR_LENGTH = 100;

function showDetail(session: CliSession, detail: MemoryDetail, related: readonly RelatedMemory[]): void {
  const { out } = session;
  const { memory } = detail;
  out.memory(detail);
  out.line();
  const rows: string[][] = [['From', [memory.provenance.via, memory.provenance.author, memory.provenance.branch === undefined ? undefined : `branch ${memory.provenance.branch}`, memory.provenance.commit?.slice(0, 8), new Date(memory.createdAt).toISOString()].filter(Boolean).join(', ')]];
  if (memory.provenance.quote !== undefined) rows.push(['Quote', `“${memory.provenance.quote}”`]);
  if (memory.provenance.sessionId !== undefined) rows.push(['Session', detail.sessionTitle === undefined ? memory.provenance.sessionId : `"${detail.sessionTitle}" ${out.style('dim', memory.provenance.sessionId)}`]);
  rows.push(['Confidence', String(memory.confidence)], ['Version', String(memory.version)], ['Recalled', `${memory.recallCount} times${memory.lastRecalledAt === undefined ? '' : `, last ${out.age(memory.lastRecalledAt)}`}`]);
  if (memory.expiresAt !== undefined) rows.push(['Expires', new Date(memory.expiresAt).toISOString()]);
  for (const { anchor, state, now } of detail.anchorChecks) rows.push(['Anchor', `${placeOf(anchor)} (${state}${now === undefined ? '' : `, now ${placeOf(now)}`})`]);
  for (const older of detail.superseded) rows.push(['Replaced', `${older.text} ${out.style('dim', older.id)}`]);
  if (detail.supersededBy !== undefined) rows.push(['Replaced by', `${detail.supersededBy.text} ${out.style('dim', detail.supersededBy.id)}`]);
  for (const relation of detail.relations) rows.push(['Relation', `${relation.subject} ${relation.predicate} ${relation.object}`]);
  for (const { memory: near, reasons } of related) rows.push(['Near', `${cutText(near.text.replaceAll(/\s+/g, ' '), NEAR_LENGTH)} ${out.style('dim', `${near.id} (${reasons.map(relatedReason).join(', ')})`)}`]);
  out.table(rows);
  if (detail.history.length > 1) {
    out.line();
    for (const change of detail.history) printChange(session, change);
  }
}

function printChange(session: CliSession, change: MemoryChange): void {
  const { out } = session;
  const who = [change.actor.author ?? change.actor.surface, change.reason].filter(Boolean).join(': ');
  out.line(`${out.style('cyan', `v${change.version} ${change.verb}`)} ${new Date(change.at).toISOString()} ${who}${change.undoneBy === undefined ? '' : out.style('dim', ' (undone)')}`);
  if (change.before !== undefined && change.before.text !== change.after.text) {
    out.line(`  ${out.style('red', `- ${change.before.text}`)}`);
    out.line(`  ${out.style('green', `+ ${change.after.text}`)}`);
  }
}
