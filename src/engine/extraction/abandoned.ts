/**
 * What a person took back by rewinding a session. The turns stay as they were taken (an episode is immutable); which
 * of them stand on an abandoned branch is kept beside them, and may change with each rewind.
 */
import { isCairnError } from '../../base/errors.ts';
import type { ActingFor } from '../engineTypes.ts';
import type { Turn } from '../model/episode.ts';
import type { Memory } from '../model/memory.ts';
import type { Observation } from '../model/observation.ts';
import type { StoreReader } from '../storage/memoryStore.ts';
import type { ExtractionDeps } from './deps.ts';
import { parseList } from './proposing.ts';

const ACTING: ActingFor = { actor: { surface: 'policy' }, reason: 'The session was rewound to before this was said.' };
const MANY = 10_000;
const abandonedKey = (sessionId: string): string => `abandoned:${sessionId}`;

/** Without those that were rewound; in the order taken; of the first `limit` where it is given. */
export async function liveTurns(store: StoreReader, sessionId: string, limit?: number): Promise<(Turn & { sequence: number; extracted: boolean })[]> {
  const abandoned = new Set(parseList(await store.getMeta(abandonedKey(sessionId))));
  const turns = await store.getTurns(sessionId, limit === undefined ? {} : { limit });
  return abandoned.size === 0 ? turns : turns.filter(({ messageId }) => !abandoned.has(messageId));
}

/**
 * Keeps which messages of the session were rewound (all of them, replacing what was known), and follows it up: waiting
 * proposals from them are withdrawn, what was remembered of them without a person is taken back, and a proposal whose
 * branch is gone on with after all waits again. What a person accepted or changed stays. Returns how many changed.
 */
export async function abandonTurns(deps: ExtractionDeps, sessionId: string, messageIds: readonly string[]): Promise<number> {
  const { store } = deps;
  if (store.readOnly) return 0;
  const abandoned = new Set(messageIds);
  const isAbandoned = ({ provenance }: Pick<Observation | Memory, 'provenance'>): boolean => abandoned.has((provenance.turnKey ?? '').replace(/:\d+$/, ''));
  const changed = await store.write(async (writer) => {
    await writer.setMeta(abandonedKey(sessionId), abandoned.size === 0 ? undefined : JSON.stringify([...abandoned]));
    const { observations } = await writer.listObservations({ states: ['waiting', 'folded', 'withdrawn'], sessionId }, { limit: MANY, offset: 0 });
    const moved = observations.filter((observation) => (observation.state === 'withdrawn') !== isAbandoned(observation));
    for (const { decidedAt: _at, ...observation } of moved) {
      await writer.putObservation(observation.state === 'withdrawn' ? { ...observation, state: 'waiting' } : { ...observation, state: 'withdrawn', decidedAt: deps.clock.now() });
    }
    return moved.length;
  });
  return changed + (await takeBack(deps, sessionId, isAbandoned));
}

/** Undoes, newest first, what was remembered without a person: what it replaced holds again. */
async function takeBack(deps: ExtractionDeps, sessionId: string, isAbandoned: (memory: Memory) => boolean): Promise<number> {
  let count = 0;
  for (const role of ['repository', 'user'] as const) {
    const store = deps.storeOf(role);
    const captured = await store?.listMemories({ sessionId, vias: ['transcript'], statuses: ['active'] }, { limit: MANY, offset: 0, order: 'created' });
    for (const memory of (captured ?? []).filter((one) => one.provenance.observationId === undefined && isAbandoned(one))) {
      const [made] = (await store?.history(memory.id)) ?? [];
      if (made !== undefined && (await undoIfUntouched(deps, made.actId))) count += 1;
    }
  }
  return count;
}

async function undoIfUntouched(deps: ExtractionDeps, actId: string): Promise<boolean> {
  try {
    await deps.undoAct(actId, ACTING);
    return true;
  } catch (error) {
    // Somebody changed it since, so somebody has seen it; or it is too long ago to be taken back by itself.
    if (isCairnError(error) && (error.code === 'VERSION_CONFLICT' || error.code === 'NOTHING_TO_UNDO')) return false;
    throw error;
  }
}
