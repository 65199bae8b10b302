/**
 * Repetition [E1]: a short order is a task once; said in a second session it is a habit, and is
 * proposed as a rule. Counted in the store under a hash of the words, without the words.
 */
import type { Turn } from '../model/episode.ts';
import { turnKey } from '../model/episode.ts';
import type { ExtractedStatement } from '../model/observation.ts';
import type { StoreWriter } from '../storage/memoryStore.ts';
import { normalizeText } from '../text/normalize.ts';
import { shapeOf } from './consolidation/statementShape.ts';
import { fingerprintOf } from './redaction/secretShape.ts';
import { weakOrdersOf } from './rules/rulesExtractor.ts';

/** Sessions in which the same order has to be given. Two people may call two a coincidence; the inbox decides. */
const SESSIONS = 2;
const KEPT_SESSIONS = 4;

/** Word order and politeness do not make another order. */
function keyOf(order: string): string | undefined {
  const shape = shapeOf(normalizeText(order));
  const parts = [...shape.subject, ...shape.values.map((value) => value.value)].sort();
  return parts.length < 2 ? undefined : `repeated:${fingerprintOf(`${shape.negated ? '-' : '+'}${parts.join(' ')}`)}`;
}

/** Counts the weak orders of these turns and returns those that came in another session before. Runs inside a write. */
export async function countRepetitions(writer: StoreWriter, turns: readonly Turn[]): Promise<ExtractedStatement[]> {
  const found: ExtractedStatement[] = [];
  for (const turn of turns) {
    for (const order of weakOrdersOf(turn)) {
      const key = keyOf(order);
      if (key === undefined) continue;
      const before = ((await writer.getMeta(key)) ?? '').split(' ').filter((id) => id !== '');
      const session = fingerprintOf(turn.sessionId);
      if (before.includes(session)) continue;
      const sessions = [...before, session].slice(-KEPT_SESSIONS);
      await writer.setMeta(key, sessions.join(' '));
      if (sessions.length !== SESSIONS) continue;
      found.push({
        text: order, kind: 'rule', importance: 6, confidence: 0.65, tags: [], scope: { level: 'repository' }, untrusted: false,
        provenance: { via: 'transcript', sessionId: turn.sessionId, turnKey: turnKey(turn), quote: order, speaker: 'user', saidAt: turn.at, rule: 'repeated' },
      });
    }
  }
  return found;
}
