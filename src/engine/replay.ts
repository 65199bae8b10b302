/**
 * Replay [R9]: the evidence for ranking and archiving. Which past prompts would have got a
 * memory, and of what sessions were given, how much shows in the work that followed.
 *
 * "Used" is a sign, not a proof: an answer after the giving speaks of at least half of the
 * memory's rare words, or of its file. Common words say nothing and are left out.
 */
import type { Id } from '../base/ids.ts';
import { liveTurns } from './extraction/abandoned.ts';
import type { Engine } from './engineFacade.ts';
import type { Turn } from './model/episode.ts';
import type { Memory } from './model/memory.ts';
import type { ViewContext } from './model/repoFacts.ts';
import { cutText } from './text/graphemes.ts';
import { indexTokens } from './text/tokenize.ts';

export interface ReplayedPrompt {
  readonly sessionId: string;
  readonly at: number;
  /** First words; redacted when it was stored. */
  readonly prompt: string;
  /** 1-based place the memory takes for this prompt. */
  readonly rank: number;
}

export interface ReplayResult {
  readonly memoryId: Id;
  readonly promptsAsked: number;
  readonly wouldGet: readonly ReplayedPrompt[];
  readonly given: number;
  readonly used: number;
}

export interface ReplayRequest {
  readonly memoryId: Id;
  readonly view: ViewContext;
  /** Newest prompts first, at most this many. */
  readonly maxPrompts: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { done: number; total: number }) => void;
}

const USED_SHARE = 0.5;
const RANKS = 8;
const PROMPT_WORDS = 160;

/** Throws ID_UNKNOWN. Asking does not count as use. */
export async function replay(engine: Engine, request: ReplayRequest): Promise<ReplayResult> {
  const { memory } = await engine.get(request.memoryId);
  const store = engine.store('repository') ?? engine.store('user');
  const turns: Turn[] = [];
  for (let offset = 0; store !== undefined; offset += 100) {
    const episodes = await store.listEpisodes({ limit: 100, offset });
    for (const { sessionId } of episodes) turns.push(...(await liveTurns(store, sessionId)));
    if (episodes.length < 100) break;
  }
  const prompts = turns.filter((turn) => turn.speaker === 'user' && !turn.sidechain && turn.text.trim() !== '').sort((a, b) => b.at - a.at).slice(0, request.maxPrompts);
  const wouldGet: ReplayedPrompt[] = [];
  for (const [i, prompt] of prompts.entries()) {
    const { results } = await engine.recall({ query: cutText(prompt.text, 2_000), limit: RANKS, view: request.view, countUse: false, signal: request.signal });
    const rank = results.findIndex((result) => result.memory.id === memory.id) + 1;
    if (rank > 0) wouldGet.push({ sessionId: prompt.sessionId, at: prompt.at, prompt: cutText(prompt.text, PROMPT_WORDS), rank });
    request.onProgress?.({ done: i + 1, total: prompts.length });
  }
  const receipts = await engine.receipts({ memoryId: memory.id }, { limit: 1_000, offset: 0 });
  const used = receipts.filter((receipt) => turns.some((turn) => turn.sessionId === receipt.sessionId && turn.at >= receipt.at && turn.speaker === 'assistant' && shows(turn, memory)));
  return { memoryId: memory.id, promptsAsked: prompts.length, wouldGet, given: receipts.length, used: used.length };
}

function shows(turn: Turn, memory: Memory): boolean {
  if (memory.anchors.some(({ path }) => turn.text.includes(path) || turn.paths?.some((touched) => touched.endsWith(path)) === true)) return true;
  const rare = rareTokens(memory.text);
  if (rare.size === 0) return false;
  const said = new Set(indexTokens(turn.text));
  let shared = 0;
  for (const token of rare) if (said.has(token)) shared += 1;
  return shared / rare.size >= USED_SHARE;
}

/** Words of at least four letters, digits, or two Han characters: short English words are mostly grammar. */
const rareTokens = (text: string): Set<string> => new Set(indexTokens(text).filter((token) => token.length >= 4 || /\d/.test(token) || /^\p{Script=Han}{2}$/u.test(token)));
