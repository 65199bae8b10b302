/**
 * Injection: what Claude is given without asking, when, and the receipt of it.
 *
 * Three moments: a session's start, a prompt, a file about to be read or changed. Each block keeps its budget, the
 * session as a whole keeps its own until the next compaction, and nothing is given twice while Claude still has it.
 */
import type { Clock } from '../../base/clock.ts';
import type { IdSource } from '../../base/ids.ts';
import type { EngineStore, InjectionConfig } from '../engineOptions.ts';
import type { AnchorCheck, RecalledMemory, RecallQuery, RecallResult, StoreRole } from '../engineTypes.ts';
import type { Degradation } from '../model/degradation.ts';
import type { Memory } from '../model/memory.ts';
import type { ViewContext } from '../model/repoFacts.ts';
import { matchesGlob } from '../scope/pathGlob.ts';
import { isOfAbsentCode, visibilityOf } from '../scope/visibility.ts';
import type { InjectionReceipt, StoreReader } from '../storage/memoryStore.ts';
import { cutText } from '../text/graphemes.ts';
import { memoryLine, packBlock, withoutEntries, type BlockEntry, type EntryFacts, type PackedBlock } from './block.ts';
import { correctsGiven, NOTHING_GIVEN, readGiven, readIdsGivenSince, receiptStore, type Given } from './given.ts';
import { isSilentPrompt, PromptGate, promptQueries, type Relevance } from './promptGate.ts';
import { START_SECTIONS, startEntries } from './startContent.ts';

/** What Claude Code says about why a session starts. */
export type StartSource = 'startup' | 'resume' | 'clear' | 'compact' | 'fork';

type AnchorChecker = (memory: Memory) => Promise<readonly AnchorCheck[]>;

export interface InjectionDeps {
  readonly stores: readonly EngineStore[];
  readonly recall: (query: RecallQuery) => Promise<RecallResult>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly config: () => InjectionConfig;
  readonly redact: (text: string) => string;
  /** One a moment, which reads each file once. Absent where the working tree cannot be read: entries then carry no freshness note. */
  readonly anchorChecker?: () => AnchorChecker;
  /** Ids of those that a newer one among them takes back. */
  readonly takenBack?: (memories: readonly Memory[]) => ReadonlySet<string>;
  /** `keyword` while a model would have to be waited for. Default: hybrid. */
  readonly recallMode?: () => Promise<'hybrid' | 'keyword'>;
  /** [J8] Names of the other repositories that Cairn knows. */
  readonly otherProjects?: () => Promise<readonly string[]>;
}

export interface InjectedItem {
  /** A memory's id, or `profile:KEY` or `project:NAME`. */
  readonly memoryId: string;
  /** Absent for what is no memory. */
  readonly memory?: Memory;
  readonly store: StoreRole;
  readonly tokens: number;
  readonly why: string;
}

export interface InjectedBlock {
  readonly text: string;
  readonly tokens: number;
  readonly items: readonly InjectedItem[];
  /** Absent for a preview, and where the store could not take the receipt. */
  readonly receiptId?: string;
  readonly degradations: readonly Degradation[];
}

export interface StartRequest {
  readonly sessionId: string;
  readonly source: StartSource;
  readonly view: ViewContext;
}

export interface PromptRequest {
  readonly sessionId: string;
  readonly prompt: string;
  readonly view: ViewContext;
  readonly signal?: AbortSignal;
}

export interface FileRequest {
  readonly sessionId: string;
  /** Relative to the repository's root, with `/`. */
  readonly path: string;
  readonly view: ViewContext;
}

export interface PreviewRequest {
  readonly view: ViewContext;
  /** Without what this session has already. */
  readonly sessionId?: string;
  /** What a session starts with, and before it what this question is about. */
  readonly query?: string;
  /** Exactly what this prompt would get. */
  readonly prompt?: string;
  /** Exactly what this file would bring. */
  readonly path?: string;
  /** In place of the moment's own budget. */
  readonly budgetTokens?: number;
}

export interface SessionGiven {
  readonly receipts: readonly InjectionReceipt[];
  readonly tokens: number;
  readonly budgetTokens: number;
}

export interface Injection {
  /** Undefined where there is nothing (new) to say. */
  startBlock(request: StartRequest): Promise<InjectedBlock | undefined>;
  promptBlock(request: PromptRequest): Promise<InjectedBlock | undefined>;
  fileBlock(request: FileRequest): Promise<InjectedBlock | undefined>;
  /** What would be given now; leaves no trace. Empty text where that is nothing. */
  preview(request: PreviewRequest): Promise<InjectedBlock>;
  /** What a session was given since its context was last emptied. */
  given(sessionId: string): Promise<SessionGiven>;
  /** Claude asked and was answered: those need not be given again. */
  noteAsked(request: { readonly sessionId: string; readonly query: string; readonly items: readonly InjectedItem[] }): Promise<void>;
}

const PROMPT_CANDIDATES = 20;
const MAX_PROMPT_ENTRIES = 8;
const MAX_ABOUT = 80;
/** Long enough that a key which begins within those is seen whole and masked. */
const LOOKED_AT = 10_000;
const RELATED = '';
const RELATED_TO_QUERY = 'About the question';
const PROJECTS = 'Elsewhere';

export function createInjection(deps: InjectionDeps): Injection {
  return {
    startBlock: async (request) => startBlock(deps, request),
    promptBlock: async (request) => promptBlock(deps, request),
    fileBlock: async (request) => fileBlock(deps, request),
    preview: async (request) => preview(deps, request),
    given: async (sessionId) => {
      const { receipts, tokens } = await readGiven(deps.stores, sessionId);
      return { receipts, tokens, budgetTokens: deps.config().sessionTokens };
    },
    noteAsked: async ({ sessionId, query, items }) => {
      const given = await readGiven(deps.stores, sessionId);
      await putReceipt(deps, async () => ({ sessionId, moment: 'tool', about: query, tokens: items.reduce((sum, item) => sum + item.tokens, 0), items, compaction: given.compaction }));
    },
  };
}

interface Made {
  readonly block: PackedBlock | undefined;
  readonly degradations: readonly Degradation[];
  /** Counts as use of the memories. */
  readonly countsAsUse: boolean;
}

async function startBlock(deps: InjectionDeps, { sessionId, source, view }: StartRequest): Promise<InjectedBlock | undefined> {
  if (!deps.config().enabled) return undefined;
  const before = await readGiven(deps.stores, sessionId);
  // The old texts are gone from the context: a new count begins, and all of it may be given again.
  const isEmptied = source === 'compact' || (source === 'clear' && before.receipts.length > 0);
  const given: Given = isEmptied ? { ...NOTHING_GIVEN, compaction: before.compaction + 1 } : before;
  const made = await packStart(deps, view, given, { sessionId });
  return deliver(deps, made, { sessionId, moment: 'start', about: source }, given, isEmptied);
}

async function preview(deps: InjectionDeps, { view, sessionId, query, prompt, path, budgetTokens }: PreviewRequest): Promise<InjectedBlock> {
  const given = sessionId === undefined ? NOTHING_GIVEN : await readGiven(deps.stores, sessionId);
  const options = { ...(sessionId === undefined ? {} : { sessionId }), ...(query === undefined ? {} : { query }), ...(budgetTokens === undefined ? {} : { budgetTokens }) };
  const made = path !== undefined ? await packFile(deps, path, view, given) : prompt !== undefined ? await packPrompt(deps, prompt, view, given) : await packStart(deps, view, given, options);
  return made.block === undefined ? { text: '', tokens: 0, items: [], degradations: made.degradations } : toBlock(made.block, made.degradations);
}

async function packStart(deps: InjectionDeps, view: ViewContext, given: Given, options: { sessionId?: string; query?: string; budgetTokens?: number }): Promise<Made> {
  const config = deps.config();
  const { entries, degradations } = options.query === undefined ? { entries: [], degradations: [] } : await relatedEntries(deps, options.query, view, given);
  const taken = new Set([...given.ids, ...entries.map((entry) => entry.memoryId)]);
  const start = await startEntries({ stores: deps.stores, view, now: deps.clock.now(), given: taken, corrects: (memory) => correctsGiven(given, memory), takenBack: deps.takenBack ?? nothing, checkAnchors: checksOf(deps), ...(options.sessionId === undefined ? {} : { sessionId: options.sessionId }) });
  const related = entries.map((entry) => ({ ...entry, section: RELATED_TO_QUERY }));
  const room = roomFor(config, given, options.budgetTokens ?? config.startTokens + (options.query === undefined ? 0 : config.promptTokens));
  return { block: await packBlock([...related, ...start], room, [RELATED_TO_QUERY, ...START_SECTIONS]), degradations, countsAsUse: false };
}

async function promptBlock(deps: InjectionDeps, { sessionId, prompt, view, signal }: PromptRequest): Promise<InjectedBlock | undefined> {
  if (!deps.config().enabled || isSilentPrompt(prompt)) return undefined;
  const given = await readGiven(deps.stores, sessionId);
  const made = await packPrompt(deps, prompt, view, given, signal);
  return deliver(deps, made, { sessionId, moment: 'prompt', about: prompt }, given);
}

async function packPrompt(deps: InjectionDeps, prompt: string, view: ViewContext, given: Given, signal?: AbortSignal): Promise<Made> {
  const config = deps.config();
  const room = roomFor(config, given, config.promptTokens);
  if (room <= 0 || isSilentPrompt(prompt)) return { block: undefined, degradations: [], countsAsUse: true };
  const { entries, degradations } = await relatedEntries(deps, prompt, view, given, signal);
  const project = await namedProject(deps, prompt, given);
  if (project !== undefined) entries.push(project);
  return { block: await packBlock(entries, room, [RELATED, PROJECTS]), degradations, countsAsUse: true };
}

/** Memories near enough to a text to be given unasked, best first. */
async function relatedEntries(deps: InjectionDeps, prompt: string, view: ViewContext, given: Given, signal?: AbortSignal): Promise<{ entries: BlockEntry[]; degradations: readonly Degradation[] }> {
  const mode = (await deps.recallMode?.()) ?? 'hybrid';
  const answers: Judged[][] = [];
  let degradations: readonly Degradation[] = [];
  for (const query of promptQueries(prompt)) {
    const recalled = await deps.recall({ query, mode, limit: PROMPT_CANDIDATES, view, exclude: given.ids, countUse: false, filters: { statuses: ['active'] }, ...(signal === undefined ? {} : { signal }) });
    const gate = new PromptGate(query);
    answers.push(recalled.results.map((result) => ({ result, ...gate.judge(result) })));
    degradations = recalled.degradations;
  }
  const judged = inTurn(answers);
  // Of what matches and was said anew, the newer words are given, which may be other ones than the prompt's. Where both may
  // hold both are given, told apart.
  const relevant = judged.filter(({ isRelevant }) => isRelevant).map(({ result }) => result);
  const newerOnes = new Set(relevant.flatMap(({ explain }) => [explain.replacedBy, explain.newerStatement]));
  const beside = new Map<string, 'older' | 'newer'>(relevant.flatMap(({ explain }) => (explain.newerStatement === undefined ? [] : [[explain.newerStatement, 'newer']])));
  for (const { memory, explain } of relevant) if (explain.newerStatement !== undefined) beside.set(memory.id, 'older');
  const entries: BlockEntry[] = [];
  for (const { result, isRelevant, why } of judged) {
    if (entries.length >= MAX_PROMPT_ENTRIES) break;
    const { memory, store, explain } = result;
    if (result.repository !== undefined || memory.suspicious || given.ids.has(memory.id) || memory.kind === 'session_summary' || explain.replacedBy !== undefined) continue;
    if (isRelevant || newerOnes.has(memory.id)) entries.push(entryOf({ memory, store, why: isRelevant ? why : 'newer than what matches the prompt' }, { checks: result.anchorChecks, view, beside: beside.get(memory.id), isCorrection: correctsGiven(given, memory) }));
  }
  return { entries, degradations };
}

type Judged = Relevance & { readonly result: RecalledMemory };

/** The first of each answer, then the second of each; what two bring counts where it is relevant. */
function inTurn(answers: readonly (readonly Judged[])[]): readonly Judged[] {
  const [only, ...others] = answers;
  if (only !== undefined && others.length === 0) return only;
  const found = new Map<string, Judged>();
  for (let rank = 0; rank < PROMPT_CANDIDATES; rank += 1) {
    for (const answer of answers) {
      const judged = answer[rank];
      if (judged === undefined) continue;
      const { id } = judged.result.memory;
      const before = found.get(id);
      const told = before?.isRelevant === true ? before : judged;
      // What one answer knows to be replaced is replaced.
      const known = before?.result.explain.replacedBy === undefined ? judged : before;
      found.set(id, before === undefined ? judged : { isRelevant: told.isRelevant, why: told.why, result: known.result });
    }
  }
  return [...found.values()];
}

function entryOf({ memory, store, why }: { memory: Memory; store: StoreRole; why: string }, facts: Omit<EntryFacts, 'memory'>): BlockEntry {
  return { memoryId: memory.id, memory, store, section: RELATED, why, quoted: memory.untrusted, line: memoryLine({ memory, ...facts }) };
}

/** The person's own memories are of no working tree. */
function checksOf({ anchorChecker }: InjectionDeps): (memory: Memory, store: StoreRole) => Promise<readonly AnchorCheck[]> {
  const check = anchorChecker?.();
  return async (memory, store) => (check === undefined || store !== 'repository' || memory.anchors.length === 0 ? [] : check(memory));
}

/** [J8] One line at most, once a session: that it is known, nothing of what is in it. */
async function namedProject(deps: InjectionDeps, prompt: string, given: Given): Promise<BlockEntry | undefined> {
  const names = [...((await deps.otherProjects?.()) ?? [])].sort();
  const text = prompt.toLowerCase();
  const named = names.find((name) => name.length >= 4 && !given.ids.has(`project:${name}`) && mentions(text, name.toLowerCase()));
  if (named === undefined) return undefined;
  return { memoryId: `project:${named}`, store: 'user', section: PROJECTS, why: 'the prompt names this project', quoted: false, line: `- Cairn also knows the project "${named}"; its memories are shown only when the person asks for them.` };
}

function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character) && !/\p{Script=Han}/u.test(character);
    if (!isWord(text[at - 1]) && !isWord(text[at + name.length])) return true;
  }
  return false;
}

async function fileBlock(deps: InjectionDeps, { sessionId, path, view }: FileRequest): Promise<InjectedBlock | undefined> {
  if (!deps.config().enabled) return undefined;
  const given = await readGiven(deps.stores, sessionId);
  if (given.files.has(path)) return undefined;
  const made = await packFile(deps, path, view, given);
  return deliver(deps, made, { sessionId, moment: 'file', about: path }, given);
}

async function packFile(deps: InjectionDeps, path: string, view: ViewContext, given: Given): Promise<Made> {
  const config = deps.config();
  const found: { memory: Memory; store: StoreRole; isScope: boolean }[] = [];
  for (const { role, store } of deps.stores) {
    const common = { statuses: ['active'] as const, notExpiredAt: deps.clock.now(), visibleOnBranch: view.branch ?? null };
    const anchored = await store.listMemories({ ...common, path }, { limit: 100, offset: 0, order: 'importance' });
    found.push(...anchored.filter((memory) => memory.anchors.some((anchor) => anchor.path === path)).map((memory) => ({ memory, store: role, isScope: false })));
    const scoped = await store.listMemories({ ...common, scopeLevels: ['path'] }, { limit: 200, offset: 0, order: 'importance' });
    found.push(...scoped.filter(({ scope }) => scope.level === 'path' && matchesGlob(scope.glob, path)).map((memory) => ({ memory, store: role, isScope: true })));
  }
  const seen = new Set<string>([...given.ids, ...(deps.takenBack ?? nothing)(found.map(({ memory }) => memory).filter((memory) => visibilityOf(memory, view).fit !== 'other-branch'))]);
  const checks = checksOf(deps);
  const entries: BlockEntry[] = [];
  for (const { memory, store, isScope } of found.sort(byWeight)) {
    const visibility = visibilityOf(memory, { ...view, activePath: path });
    if (seen.has(memory.id) || memory.suspicious || !visibility.visible) continue;
    seen.add(memory.id);
    const entry = (checks: readonly AnchorCheck[]): BlockEntry => entryOf({ memory, store, why: isScope ? `holds for ${path}` : `anchored to ${path}` }, { checks, view, isCorrection: correctsGiven(given, memory) });
    const look = async (): Promise<string | undefined> => {
      const all = await checks(memory, store);
      // Of several places, the one that is looked at is told.
      const here = all.filter(({ anchor }) => anchor.path === path);
      return isOfAbsentCode(visibility, all) ? undefined : entry(here.length === 0 ? all : here).line;
    };
    entries.push({ ...entry([]), ...(memory.anchors.length === 0 ? {} : { look }) });
  }
  return { block: await packBlock(entries, roomFor(config, given, config.fileTokens), [RELATED]), degradations: [], countsAsUse: true };
}

const nothing = (): ReadonlySet<string> => new Set();

const byWeight = (a: { memory: Memory }, b: { memory: Memory }): number =>
  Number(b.memory.pinned) - Number(a.memory.pinned) || b.memory.importance - a.memory.importance || b.memory.validFrom - a.memory.validFrom || (a.memory.id < b.memory.id ? 1 : -1);

const roomFor = (config: InjectionConfig, given: Given, momentTokens: number): number => Math.min(momentTokens, config.sessionTokens - given.tokens);

const toBlock = (block: PackedBlock, degradations: readonly Degradation[], receiptId?: string): InjectedBlock => ({
  text: block.text, tokens: block.tokens, degradations,
  items: block.entries.map(({ memoryId, memory, store, tokens, why }) => ({ memoryId, ...(memory === undefined ? {} : { memory }), store, tokens, why })),
  ...(receiptId === undefined ? {} : { receiptId }),
});

/** Writes the receipt, then hands the block over, without what a hook that ran at the same time has given. `always`: the moment itself has to be remembered, even with nothing given. */
async function deliver(deps: InjectionDeps, made: Made, receipt: Pick<InjectionReceipt, 'sessionId' | 'moment' | 'about'>, given: Given, always = false): Promise<InjectedBlock | undefined> {
  const { degradations, countsAsUse } = made;
  let { block } = made;
  if (block === undefined && !always) return undefined;
  const receiptId = await putReceipt(deps, async (reader) => {
    block &&= withoutEntries(block, await readIdsGivenSince(reader, receipt.sessionId, given));
    if (block === undefined && !always) return undefined;
    return { ...receipt, compaction: given.compaction, tokens: block?.tokens ?? 0, items: block === undefined ? [] : toBlock(block, degradations).items };
  }, countsAsUse);
  return block === undefined ? undefined : toBlock(block, degradations, receiptId);
}

/** Undefined where the store cannot be written: what was found is still worth giving. */
async function putReceipt(deps: InjectionDeps, make: (reader: StoreReader) => Promise<Omit<InjectionReceipt, 'id' | 'at'> | undefined>, countsAsUse = false): Promise<string | undefined> {
  const target = receiptStore(deps.stores);
  if (target === undefined || target.store.readOnly) return undefined;
  const id = deps.ids.next();
  const at = deps.clock.now();
  try {
    let items: InjectionReceipt['items'] = [];
    const isUse = (role: StoreRole): string[] => (countsAsUse ? items.filter((item) => item.store === role && !item.memoryId.includes(':')).map((item) => item.memoryId) : []);
    await target.store.write(async (writer) => {
      const receipt = await make(writer);
      if (receipt === undefined) return;
      ({ items } = receipt);
      // A path is compared with later ones, so it stays as it is.
      const about = receipt.moment === 'file' ? receipt.about : cutText(deps.redact(receipt.about.slice(0, LOOKED_AT)).replaceAll(/\s+/g, ' ').trim(), MAX_ABOUT);
      await writer.putReceipt({ ...receipt, id, at, about });
      // One commit for both: each costs a flush to the disk while Claude waits.
      if (isUse(target.role).length > 0) await writer.noteRecalled(isUse(target.role), at);
    });
    for (const { role, store } of deps.stores) {
      if (role !== target.role && isUse(role).length > 0 && !store.readOnly) await store.write(async (writer) => writer.noteRecalled(isUse(role), at));
    }
    return id;
  } catch {
    // Locked, full or damaged: the session goes on with the block; at worst it comes once more.
    return undefined;
  }
}
