/**
 * Proposing: what becomes of one extracted statement. Redacted again (a model may put together
 * what was apart), gated, compared with what is stored and what already waits, then remembered or
 * written into the inbox.
 */
import { CairnError, isCairnError } from '../../base/errors.ts';
import type { ActingFor, RememberInput } from '../engineTypes.ts';
import { checkText, cleanTags, MAX_TAG_LENGTH, MAX_TAGS } from '../model/memoryInput.ts';
import { MAX_CONTEXT_LENGTH } from '../model/memory.ts';
import type { ExtractedStatement, Observation, ProposedOutcome } from '../model/observation.ts';
import { cutText } from '../text/graphemes.ts';
import { normalizeText } from '../text/normalize.ts';
import type { Decision } from './consolidate.ts';
import type { ExtractionDeps } from './deps.ts';
import { passGate } from './gate.ts';
import { isStoredBySession } from './storedBySession.ts';
import { isSuspicious } from './suspicion.ts';
import { createWaitingProposals } from './waitingProposals.ts';

export type ProposalOutcome = 'remembered' | 'proposed' | 'duplicate' | 'dropped';

export const TRUSTED_RULES = 'inbox.trustedRules';

/** `archive` proposals have a target, `add` has none. */
export const toOutcome = (decision: Decision): ProposedOutcome => (decision.outcome === 'add' || decision.outcome === 'duplicate' || decision.targetId === undefined ? { verb: 'add' } : { verb: decision.outcome, targetId: decision.targetId });

export interface Proposer {
  /** Proposals are written in state `as` and added to `made`. */
  propose(statement: ExtractedStatement, acting: ActingFor, as?: 'waiting' | 'folded', made?: Observation[]): Promise<ProposalOutcome>;
}

/** One per run: it knows what waits already, so that a batch that was read twice proposes once. */
export async function createProposer(deps: ExtractionDeps): Promise<Proposer> {
  const { observations } = await deps.store.listObservations({ states: ['waiting', 'folded'] }, { limit: 10_000, offset: 0 });
  const waiting = createWaitingProposals(observations);
  const trustedRules = parseList(await deps.store.getMeta(TRUSTED_RULES));
  return {
    async propose(given, acting, as = 'waiting', made = []) {
      const statement = clean(deps, given);
      if (statement === undefined) return 'dropped';
      if (waiting.says(statement, deps.clock.now())) return 'duplicate';
      if (await deps.store.wasRejected(normalizeText(statement.text))) return 'dropped';
      if (await isStoredBySession([deps.store, deps.storeOf('user')], statement)) return 'duplicate';
      const suspicious = isSuspicious(statement.text);
      const decision = await deps.decide(statement);
      const config = deps.config();
      const verdict = passGate(statement, decision, suspicious, { gate: config.gate, review: config.review, trustedRules });
      if (verdict === 'drop') return 'dropped';
      if (verdict === 'active' || decision.outcome === 'duplicate') {
        if (decision.outcome === 'duplicate' && statement.untrusted) return 'duplicate';
        const result = await deps.remember(toInput(statement), acting);
        return result.outcome === 'duplicate' ? 'duplicate' : 'remembered';
      }
      const observation: Observation = { ...observe(deps, statement, decision, suspicious), state: as };
      waiting.add(observation);
      made.push(observation);
      await deps.store.write(async (writer) => writer.putObservation(observation));
      return 'proposed';
    },
  };
}

/** A model's tags: what is no tag is left out, so that the statement can be accepted. */
const fittingTags = (tags: readonly string[]): string[] => cleanTags(tags.filter((tag) => tag.trim().length <= MAX_TAG_LENGTH).slice(0, MAX_TAGS));

/** Undefined for what cannot be stored: empty, too long, or nothing but a secret. */
function clean(deps: ExtractionDeps, statement: ExtractedStatement): ExtractedStatement | undefined {
  try {
    const redact = (text: string): string => deps.redactor.redact(text).text;
    const text = checkText(redact(statement.text));
    if (text.replaceAll(/\[redacted:[^\]]*\]/g, '').replaceAll(/[\s\p{P}]/gu, '').length < 3) return undefined;
    const { quote, context } = statement.provenance;
    return {
      ...statement,
      text,
      tags: fittingTags(statement.tags.map(redact)),
      importance: Math.min(10, Math.max(1, Math.round(statement.importance))),
      confidence: Math.min(1, Math.max(0, statement.confidence)),
      provenance: {
        ...statement.provenance,
        ...(deps.clientId === undefined ? {} : { clientId: deps.clientId }),
        ...(quote === undefined ? {} : { quote: cutText(redact(quote), MAX_CONTEXT_LENGTH) }),
        ...(context === undefined ? {} : { context: cutText(redact(context), MAX_CONTEXT_LENGTH) }),
      },
    };
  } catch (error) {
    // A model may hand over text that cannot be stored; the other statements of the batch are still good.
    if (error instanceof CairnError || isCairnError(error)) return undefined;
    throw error;
  }
}

export function observe(deps: Pick<ExtractionDeps, 'ids' | 'clock'>, statement: ExtractedStatement, decision: Decision, suspicious: boolean): Observation {
  return {
    id: deps.ids.next(),
    text: decision.outcome === 'supersede' && decision.mergedText !== undefined ? decision.mergedText : statement.text,
    kind: statement.kind,
    importance: statement.importance,
    confidence: statement.confidence,
    tags: statement.tags,
    scope: statement.scope,
    ...(statement.expiresAt === undefined ? {} : { expiresAt: statement.expiresAt }),
    anchors: statement.anchors ?? [],
    provenance: statement.provenance,
    untrusted: statement.untrusted,
    suspicious,
    outcome: toOutcome(decision),
    why: decision.why,
    state: 'waiting',
    createdAt: deps.clock.now(),
  };
}

export const toInput = (statement: ExtractedStatement): RememberInput => ({
  text: statement.text, kind: statement.kind, importance: statement.importance, confidence: statement.confidence, tags: statement.tags, scope: statement.scope,
  expiresAt: statement.expiresAt, anchors: statement.anchors, provenance: statement.provenance, untrusted: statement.untrusted,
});

export function parseList(text: string | undefined): string[] {
  if (text === undefined) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((entry): entry is string => typeof entry === 'string') : [];
  } catch {
    // A value that cannot be read counts as not set; the next decision writes it anew.
    return [];
  }
}
