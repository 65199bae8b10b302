/**
 * The gate [E4]: what becomes of a statement before it is anybody's memory. A function of the
 * statement, the proposed outcome and the person's policy.
 */
import type { ExtractedStatement } from '../model/observation.ts';
import type { Decision } from './consolidate.ts';

export interface GateConfig {
  /** Least importance that is proposed at all, 1..10. */
  readonly gate: number;
  readonly review: 'all' | 'below-0.8' | 'none';
  /** Rules whose statements the person lets pass without looking. */
  readonly trustedRules?: readonly string[];
}

export type GateVerdict = 'drop' | 'inbox' | 'active';

const SURE = 0.8;

/** Untrusted, suspicious and conflicting statements always wait for a person. */
export function passGate(statement: Pick<ExtractedStatement, 'importance' | 'confidence' | 'untrusted' | 'provenance'>, decision: Pick<Decision, 'outcome'>, suspicious: boolean, config: GateConfig): GateVerdict {
  if (statement.importance < config.gate) return 'drop';
  if (statement.untrusted || suspicious || decision.outcome === 'conflict') return 'inbox';
  if (config.review === 'none') return 'active';
  if (statement.provenance.rule !== undefined && config.trustedRules?.includes(statement.provenance.rule) === true) return 'active';
  return config.review === 'below-0.8' && statement.confidence >= SURE ? 'active' : 'inbox';
}
