/**
 * [J1] What a session starts with, best first: pinned memories, rules, the profile, the latest decisions, preferences
 * of this repository, and what the last session was about.
 *
 * Order never looks at the clock: importance, then when it became true, then id. So the same rows give the same bytes,
 * today and tomorrow, and the prompt cache holds.
 */
import type { EngineStore } from '../engineOptions.ts';
import type { AnchorCheck } from '../engineTypes.ts';
import type { ViewContext } from '../model/repoFacts.ts';
import type { Memory, ProfileValue } from '../model/memory.ts';
import { isOfAbsentCode, visibilityOf } from '../scope/visibility.ts';
import type { MemoryFilter, MemoryOrder } from '../storage/memoryStore.ts';
import { memoryLine, neutralizeText, type BlockEntry } from './block.ts';

export const START_SECTIONS = ['Pinned', 'Rules', 'About the person', 'Decisions', 'Preferences', 'Last session'] as const;
type StartSection = (typeof START_SECTIONS)[number];

/** More than a start's budget holds, of statements of one line. */
const MAX_PER_KIND = 100;
/** Looked at for what is latest; some are given already or of another branch. */
const MAX_LATEST = 40;
/** Decisions and preferences beyond these are found by prompts. */
const MAX_DECISIONS = 12;
const MAX_PREFERENCES = 10;
/** A preference of less weight is not worth every session's tokens. */
const PREFERENCE_IMPORTANCE = 5;

export interface StartContext {
  readonly stores: readonly EngineStore[];
  readonly view: ViewContext;
  readonly now: number;
  /** Its own summary is no news to a resumed session. */
  readonly sessionId?: string;
  /** Ids and `profile:KEY` not to give again. */
  readonly given: ReadonlySet<string>;
  /** Whether a memory takes the place of words that this session has. */
  readonly corrects: (memory: Memory) => boolean;
  /** Ids of those that a newer one among them takes back. */
  readonly takenBack: (memories: readonly Memory[]) => ReadonlySet<string>;
  /** How the places of a memory stand in the working tree. */
  readonly checkAnchors: (memory: Memory, store: EngineStore['role']) => Promise<readonly AnchorCheck[]>;
}

interface Candidate {
  readonly memory: Memory;
  readonly store: EngineStore['role'];
}

export async function startEntries(context: StartContext): Promise<BlockEntry[]> {
  const [pinned, rules, decisions, preferences, summaries] = await Promise.all([
    select(context, { pinned: true }),
    select(context, { kinds: ['rule'] }),
    select(context, { kinds: ['decision'] }, 'recent', MAX_LATEST),
    select(context, { kinds: ['preference'] }, 'importance', MAX_LATEST),
    select(context, { kinds: ['session_summary'] }, 'recent', MAX_LATEST),
  ]);
  const profile = await profileOf(context.stores);
  const latest = (candidates: readonly Candidate[]): Candidate[] => [...candidates].sort((a, b) => b.memory.validFrom - a.memory.validFrom || compareIds(a, b));
  const weighty = (candidates: readonly Candidate[]): Candidate[] => [...candidates].sort((a, b) => b.memory.importance - a.memory.importance || b.memory.validFrom - a.memory.validFrom || compareIds(a, b));
  const inProfile = new Set(profile.flatMap((value) => value.memoryIds));
  const groups: readonly [StartSection, string, readonly Candidate[], number][] = [
    ['Pinned', 'pinned', weighty(pinned), Infinity],
    ['Rules', 'rule', weighty(rules), Infinity],
    ['Decisions', 'one of the latest decisions', latest(decisions), MAX_DECISIONS],
    ['Preferences', 'preference', weighty(preferences.filter(({ memory }) => memory.importance >= PREFERENCE_IMPORTANCE && !inProfile.has(memory.id))), MAX_PREFERENCES],
    ['Last session', 'summary of the last session', latest(summaries.filter(({ memory, store }) => store === 'repository' && (context.sessionId === undefined || memory.provenance.sessionId !== context.sessionId))), 1],
  ];
  const entries: BlockEntry[] = [];
  const taken = new Set<string>(context.given);
  const over = context.takenBack(groups.flatMap(([, , candidates]) => candidates.map(({ memory }) => memory)).filter((memory) => visibilityOf(memory, context.view).fit !== 'other-branch'));
  for (const [section, why, candidates, limit] of groups) {
    let room = limit;
    for (const { memory, store } of candidates) {
      if (room === 0) break;
      if (memory.suspicious || over.has(memory.id)) continue;
      const isKnown = taken.has(memory.id);
      const visibility = visibilityOf(memory, context.view);
      if (!isKnown && visibility.fit === 'other-branch' && isOfAbsentCode(visibility, await context.checkAnchors(memory, store))) continue;
      room -= 1;
      if (isKnown) continue;
      taken.add(memory.id);
      const lineOf = (checks: readonly AnchorCheck[]): string => memoryLine({ memory, checks, view: context.view, isCorrection: context.corrects(memory) });
      const look = async (): Promise<string> => lineOf(await context.checkAnchors(memory, store));
      entries.push({ memoryId: memory.id, memory, store, section, why, quoted: memory.untrusted, line: lineOf([]), ...(memory.anchors.length === 0 ? {} : { look }) });
    }
    if (section === 'Rules') entries.push(...(await profileEntries(context, profile, taken)));
  }
  return entries;
}

const compareIds = (a: Candidate, b: Candidate): number => (a.memory.id < b.memory.id ? 1 : a.memory.id > b.memory.id ? -1 : 0);

/** Active memories that may be seen here, of both stores, the repository's first. */
async function select({ stores, view, now }: StartContext, filter: MemoryFilter, order: MemoryOrder = 'importance', limit = MAX_PER_KIND): Promise<Candidate[]> {
  const pages = await Promise.all(stores.map(async ({ role, store }) => {
    const memories = await store.listMemories({ ...filter, statuses: ['active'], notExpiredAt: now, visibleOnBranch: view.branch ?? null }, { limit, offset: 0, order });
    return memories.filter((memory) => memory.scope.level !== 'path' && visibilityOf(memory, view).visible).map((memory) => ({ memory, store: role }));
  }));
  return pages.flat();
}

async function profileOf(stores: readonly EngineStore[]): Promise<ProfileValue[]> {
  const values = await Promise.all(stores.map(async ({ store }) => store.profile()));
  const byKey = new Map<string, ProfileValue>();
  // The repository's own value wins over the user's: stores come repository first.
  for (const value of values.flat()) if (!byKey.has(value.key)) byKey.set(value.key, value);
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** A value that is a memory's own words is that memory: what it says need not come again with a prompt. Adds it to `taken`. */
async function profileEntries({ stores, view }: StartContext, profile: readonly ProfileValue[], taken: Set<string>): Promise<BlockEntry[]> {
  const ids = profile.flatMap(({ memoryIds }) => memoryIds);
  const behind = (await Promise.all(stores.map(async ({ role, store }) => (await store.getMemories(ids)).map((memory) => ({ memory, store: role }))))).flat();
  const entries: BlockEntry[] = [];
  for (const { key, value, memoryIds } of profile) {
    if (taken.has(`profile:${key}`) || (memoryIds.length > 0 && memoryIds.every((id) => taken.has(id)))) continue;
    const own = behind.find(({ memory }) => memoryIds.includes(memory.id) && memory.status === 'active' && isWordsOf(memory, value));
    if (own !== undefined) taken.add(own.memory.id);
    entries.push({
      ...(own === undefined ? { memoryId: `profile:${key}`, store: 'user' } : { memoryId: own.memory.id, ...own }), section: 'About the person', why: 'profile', quoted: false,
      line: own === undefined ? `- ${neutralizeText(key)}: ${neutralizeText(value)}` : memoryLine({ memory: own.memory, checks: [], view }),
    });
  }
  return entries;
}

/** The profile keeps the beginning of a long one. */
const isWordsOf = ({ text }: Memory, value: string): boolean => text === value || (value.endsWith('…') && text.startsWith(value.slice(0, -1).trimEnd()));
