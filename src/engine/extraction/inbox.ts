/**
 * The inbox [E4]: proposals with their reasons, and a person's decisions on them. A review must
 * never become a chore: old proposals fold away, rules that are always right offer to pass by
 * themselves, what was rejected does not come back.
 */
import { CairnError } from '../../base/errors.ts';
import type { Id } from '../../base/ids.ts';
import type { ActingFor, RememberInput, RememberResult, StoreRole } from '../engineTypes.ts';
import type { Memory, MemoryPatch } from '../model/memory.ts';
import type { Observation } from '../model/observation.ts';
import type { Inbox, InboxDecision, InboxOffer, InboxPage, InboxQuery, InboxSelection, InboxStatistics, OutcomeTarget } from '../reviewTypes.ts';
import type { StoreWriter } from '../storage/memoryStore.ts';
import { normalizeText } from '../text/normalize.ts';
import type { ExtractionDeps } from './deps.ts';
import { parseList, TRUSTED_RULES } from './proposing.ts';
import { readSessionTitles } from './sessionTitle.ts';

const FOLD_AFTER_MS = 30 * 86_400_000;
const OFFER_AFTER = 20;
const MANY = 10_000;
const STREAKS = 'inbox.streaks';
const actKey = (id: Id): string => `inbox.act:${id}`;

/** Proposals of the same rule that could be accepted together: worth saying from three on. */
const ALIKE = 3;

export function createInbox(deps: ExtractionDeps): Inbox {
  return {
    list: async (query) => list(deps, query),
    accept: async (selection, acting, edit) => accept(deps, selection, acting, edit),
    reject: async (selection, reason, acting) => {
      const chosen = await choose(deps, selection);
      const at = deps.clock.now();
      await deps.store.write(async (writer) => {
        await checkUndecided(writer, chosen);
        for (const observation of chosen) await writer.putObservation({ ...observation, state: 'rejected', rejectReason: reason, decidedAt: at });
        const streaks = parseStreaks(await writer.getMeta(STREAKS));
        for (const observation of chosen) streaks[ruleOf(observation)] = 0;
        await writer.setMeta(STREAKS, JSON.stringify(streaks));
        // A rule that is wrong again is looked at again.
        const trusted = parseList(await writer.getMeta(TRUSTED_RULES)).filter((rule) => !chosen.some((observation) => ruleOf(observation) === rule));
        await writer.setMeta(TRUSTED_RULES, trusted.length === 0 ? undefined : JSON.stringify(trusted));
        await writer.putAudit({ at, surface: acting.actor.surface, ...(acting.actor.clientId === undefined ? {} : { clientId: acting.actor.clientId }), verb: 'reject', memoryIds: [] });
      });
      return { decided: chosen.map((observation) => ({ observationId: observation.id, outcome: 'rejected' })), left: await countWaiting(deps) };
    },
    merge: async (id, targetId, acting) => merge(deps, id, targetId, acting),
    undo: async (ids, acting) => undo(deps, ids, acting),
    reopen: async (actId, memoryIds) => reopen(deps, actId, memoryIds),
    trust: async (rule, trusted) => trust(deps, rule, trusted),
    statistics: async () => statistics(deps),
  };
}

const ruleOf = (observation: Observation): string => observation.provenance.rule ?? observation.provenance.promptTemplate ?? observation.provenance.model ?? 'other';

function parseStreaks(text: string | undefined): Record<string, number> {
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as Record<string, number>;
  } catch {
    // Streaks are a comfort, not a truth; counting begins anew.
    return {};
  }
}

async function trust(deps: ExtractionDeps, rule: string, trusted: boolean): Promise<string[]> {
  const { total } = await deps.store.listObservations({ rule }, { limit: 1, offset: 0 });
  const counted = Object.keys(parseStreaks(await deps.store.getMeta(STREAKS)));
  return deps.store.write(async (writer) => {
    const before = parseList(await writer.getMeta(TRUSTED_RULES));
    if (total === 0 && ![...counted, ...before].includes(rule)) {
      const known = [...new Set([...counted, ...before])].sort();
      throw new CairnError('INPUT_INVALID', `No proposal ever came from a rule "${rule}". ${known.length === 0 ? 'The inbox names the rule of each proposal.' : `Rules so far: ${known.join(', ')}.`}`, { data: { field: 'rule' } });
    }
    const after = trusted ? [...new Set([...before, rule])] : before.filter((each) => each !== rule);
    await writer.setMeta(TRUSTED_RULES, after.length === 0 ? undefined : JSON.stringify(after));
    return after;
  });
}

async function waitingOf(deps: ExtractionDeps): Promise<{ fresh: Observation[]; old: number }> {
  const { observations } = await deps.store.listObservations({ states: ['waiting'] }, { limit: MANY, offset: 0 });
  const since = deps.clock.now() - FOLD_AFTER_MS;
  const fresh = observations.filter((observation) => observation.createdAt >= since);
  return { fresh, old: observations.length - fresh.length };
}

const countWaiting = async (deps: ExtractionDeps): Promise<number> => (await waitingOf(deps)).fresh.length;

async function list(deps: ExtractionDeps, query: InboxQuery): Promise<InboxPage> {
  const foldedBefore = (await deps.store.listObservations({ states: ['folded'] }, { limit: 1, offset: 0 })).total;
  const { fresh, old } = await waitingOf(deps);
  const wantsWaiting = query.states === undefined || (query.states.length === 1 && query.states[0] === 'waiting');
  let observations: readonly Observation[];
  let total: number;
  if (wantsWaiting) {
    const matching = fresh.filter((observation) => (query.sessionId === undefined || observation.provenance.sessionId === query.sessionId) && (query.rule === undefined || observation.provenance.rule === query.rule));
    const grouped = bySession(matching);
    total = grouped.length;
    observations = grouped.slice(query.offset, query.offset + query.limit);
  } else {
    ({ observations, total } = await deps.store.listObservations({ states: query.states, sessionId: query.sessionId, rule: query.rule }, query));
  }
  const targets: Record<Id, OutcomeTarget> = {};
  for (const observation of observations) {
    if (observation.outcome.verb === 'add') continue;
    const found = await findTarget(deps, observation.outcome.targetId);
    if (found !== undefined) targets[observation.outcome.targetId] = { text: found.text, updatedAt: found.updatedAt };
  }
  const titles = await readSessionTitles(deps.store, observations.flatMap(({ provenance }) => provenance.sessionId ?? []), (text) => deps.redactor.redact(text).text);
  return { observations, total, targets, titles, folded: foldedBefore + old, offers: await offers(deps, fresh) };
}

/** Newest session first, inside it in the order said. */
function bySession(observations: readonly Observation[]): Observation[] {
  const newest = new Map<string, number>();
  const keyOf = (observation: Observation): string => observation.provenance.sessionId ?? observation.id;
  for (const observation of observations) newest.set(keyOf(observation), Math.max(newest.get(keyOf(observation)) ?? 0, observation.createdAt));
  return [...observations].sort((a, b) => (newest.get(keyOf(b)) ?? 0) - (newest.get(keyOf(a)) ?? 0) || (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0) || (a.provenance.saidAt ?? a.createdAt) - (b.provenance.saidAt ?? b.createdAt) || (a.id < b.id ? -1 : 1));
}

async function findTarget(deps: ExtractionDeps, id: Id): Promise<Memory | undefined> {
  for (const role of ['repository', 'user'] as const satisfies readonly StoreRole[]) {
    const memory = await deps.storeOf(role)?.getMemory(id);
    if (memory !== undefined) return memory;
  }
  return undefined;
}

/** Of the proposals that are alike the largest group is offered; the next one follows when it is decided. */
async function offers(deps: ExtractionDeps, waiting: readonly Observation[]): Promise<InboxOffer[]> {
  const trusted = parseList(await deps.store.getMeta(TRUSTED_RULES));
  const streaks = Object.entries(parseStreaks(await deps.store.getMeta(STREAKS))).sort(([a], [b]) => (a < b ? -1 : 1));
  const made: InboxOffer[] = streaks.filter(([rule, streak]) => streak >= OFFER_AFTER && !trusted.includes(rule)).map(([rule, accepted]) => ({ what: 'trustRule', rule, accepted }));
  const perRule = new Map<string, number>();
  for (const { provenance: { rule } } of waiting) if (rule !== undefined) perRule.set(rule, (perRule.get(rule) ?? 0) + 1);
  const [largest] = [...perRule].sort(([a, some], [b, others]) => others - some || (a < b ? -1 : 1));
  if (largest !== undefined && largest[1] >= ALIKE) made.push({ what: 'acceptAlike', rule: largest[0], proposals: largest[1] });
  const { outcomes } = await statistics(deps);
  const decided = outcomes.accepted + outcomes.merged + outcomes.rejected;
  if (decided >= OFFER_AFTER && outcomes.rejected / decided > 0.6 && deps.config().gate < 6) made.push({ what: 'raiseGate' });
  return made;
}

/** The proposals that a selection names. Throws ID_UNKNOWN for ids, MEMORY_NOT_ACTIVE for what was decided already. */
async function choose(deps: ExtractionDeps, selection: InboxSelection): Promise<Observation[]> {
  if (selection.ids !== undefined) {
    const chosen: Observation[] = [];
    for (const id of new Set(selection.ids)) {
      const observation = await deps.store.getObservation(id);
      if (observation === undefined) throw new CairnError('ID_UNKNOWN', `There is no proposal ${id} here. List them with \`cairn inbox\`.`, { data: { id } });
      if (!isUndecided(observation)) throw decidedAlready(observation);
      chosen.push(observation);
    }
    return chosen;
  }
  const { fresh } = await waitingOf(deps);
  return bySession(fresh).filter((observation) => (selection.sessionId === undefined || observation.provenance.sessionId === selection.sessionId) && (selection.rule === undefined || observation.provenance.rule === selection.rule));
}

const isUndecided = ({ state }: Observation): boolean => state === 'waiting' || state === 'folded';

const decidedAlready = ({ id, state }: Observation): CairnError => new CairnError('MEMORY_NOT_ACTIVE', `Proposal ${id} was ${state} already; take that back first.`, { data: { id, state } });

/** Inside the write of a decision: another window may have decided meanwhile. */
async function checkUndecided(writer: StoreWriter, chosen: readonly Observation[]): Promise<void> {
  for (const { id } of chosen) {
    const now = await writer.getObservation(id);
    if (now !== undefined && !isUndecided(now)) throw decidedAlready(now);
  }
}

type Edit = Parameters<Inbox['accept']>[2];

async function accept(deps: ExtractionDeps, selection: InboxSelection, acting: ActingFor, edit: Edit): Promise<InboxDecision> {
  const chosen = await choose(deps, selection);
  const decided: { observationId: Id; memoryId?: Id; outcome?: string }[] = [];
  // Oldest words first: what a later sentence of the same session replaces must be there to be replaced.
  for (const observation of [...chosen].sort((a, b) => (a.provenance.saidAt ?? a.createdAt) - (b.provenance.saidAt ?? b.createdAt) || (a.id < b.id ? -1 : 1))) {
    const tidied = await acceptTidying(deps, observation, edit, acting);
    const result = tidied ?? (await deps.remember(await inputOf(deps, observation, edit), acting));
    await settle(deps, observation, result, acting, tidied?.actIds);
    decided.push({ observationId: observation.id, memoryId: result.id, outcome: tidied !== undefined && observation.outcome.verb === 'archive' ? 'archived' : result.outcome });
  }
  return { decided, left: await countWaiting(deps) };
}

/** Proposals of tidying change memories that exist; undefined for all others. */
async function acceptTidying(deps: ExtractionDeps, observation: Observation, edit: Edit, acting: ActingFor): Promise<{ id: Id; outcome: RememberResult['outcome']; actIds: readonly Id[] } | undefined> {
  const { outcome, provenance } = observation;
  if (outcome.verb === 'add' || provenance.rule?.startsWith('tidy.') !== true) return undefined;
  const reason = { ...acting, reason: acting.reason ?? observation.why };
  const fragment = outcome.verb === 'merge' ? provenance.turnKey : outcome.targetId;
  const actIds: Id[] = [];
  if (outcome.verb === 'merge') actIds.push((await deps.edit(outcome.targetId, { text: edit?.text ?? observation.text }, reason)).actId);
  if (fragment !== undefined) actIds.push((await deps.edit(fragment, { status: 'archived' }, reason)).actId);
  return { id: outcome.targetId, outcome: 'merged', actIds };
}

/** What the person saw is what happens: a proposed replacement replaces, whatever the rules would say now. */
async function inputOf(deps: ExtractionDeps, observation: Observation, edit: Edit): Promise<RememberInput> {
  const { outcome } = observation;
  const replaces = outcome.verb === 'supersede' || outcome.verb === 'conflict' ? await findTarget(deps, outcome.targetId) : undefined;
  const scope = edit?.scope ?? observation.scope;
  const isCurrent = replaces !== undefined && (replaces.status === 'active' || replaces.status === 'archived') && (replaces.scope.level === 'user') === (scope.level === 'user');
  return {
    text: edit?.text ?? observation.text,
    kind: edit?.kind ?? observation.kind,
    importance: edit?.importance ?? observation.importance,
    // A person said yes.
    confidence: Math.max(observation.confidence, 0.95),
    tags: edit?.tags ?? observation.tags,
    scope,
    expiresAt: edit?.expiresAt === null ? undefined : (edit?.expiresAt ?? observation.expiresAt),
    anchors: observation.anchors,
    provenance: { ...observation.provenance, observationId: observation.id },
    untrusted: observation.untrusted,
    ...(isCurrent ? { supersedes: [replaces.id] } : {}),
  };
}

/** Writes down what became of the proposal and how to take it back. What was rejected meanwhile in another window is taken back at once: MEMORY_NOT_ACTIVE. */
async function settle(deps: ExtractionDeps, observation: Observation, result: Pick<RememberResult, 'id' | 'outcome'>, acting: ActingFor, actIds: readonly Id[] = []): Promise<void> {
  let actId: Id | undefined;
  if (actIds.length === 0) for (const role of ['repository', 'user'] as const) {
    const [change] = (await deps.storeOf(role)?.recentChanges({ limit: 1, memoryId: result.id })) ?? [];
    if (change !== undefined) actId = change.actId;
  }
  const acts = actId === undefined ? actIds : [actId];
  const rejected = await deps.store.write(async (writer) => {
    const now = await writer.getObservation(observation.id);
    if (now?.state === 'rejected') return now;
    await writer.putObservation({ ...observation, state: result.outcome === 'merged' || result.outcome === 'duplicate' ? 'merged' : 'accepted', memoryId: result.id, decidedAt: deps.clock.now() });
    if (acts.length > 0) await writer.setMeta(actKey(observation.id), acts.join(' '));
    const streaks = parseStreaks(await writer.getMeta(STREAKS));
    streaks[ruleOf(observation)] = (streaks[ruleOf(observation)] ?? 0) + 1;
    await writer.setMeta(STREAKS, JSON.stringify(streaks));
    return undefined;
  });
  if (rejected === undefined) return;
  for (const act of [...acts].reverse()) await deps.undoAct(act, acting);
  throw decidedAlready(rejected);
}

async function merge(deps: ExtractionDeps, id: Id, targetId: Id, acting: ActingFor): Promise<InboxDecision> {
  const [observation] = await choose(deps, { ids: [id] });
  const target = await findTarget(deps, targetId);
  if (observation === undefined || target === undefined) throw new CairnError('ID_UNKNOWN', `There is no memory ${targetId} here.`, { data: { id: targetId } });
  const patch: MemoryPatch = { text: mergeTexts(target.text, observation.text), repeatCount: target.repeatCount + 1, importance: Math.max(target.importance, observation.importance), tags: [...new Set([...target.tags, ...observation.tags])] };
  const { actId } = await deps.edit(targetId, patch, { ...acting, reason: acting.reason ?? `Merged proposal ${id}.` });
  await settle(deps, observation, { id: targetId, outcome: 'merged' }, acting, [actId]);
  return { decided: [{ observationId: id, memoryId: targetId, outcome: 'merged' }], left: await countWaiting(deps) };
}

/** The fuller of two texts when one holds the other, else both, one after the other. */
export function mergeTexts(a: string, b: string): string {
  const [left, right] = [normalizeText(a), normalizeText(b)];
  if (left.includes(right)) return a;
  if (right.includes(left)) return b;
  return `${a.trim()}${/[.!?。！？]$/.test(a.trim()) ? '' : '.'} ${b.trim()}`;
}

async function undo(deps: ExtractionDeps, ids: readonly Id[], acting: ActingFor): Promise<InboxDecision> {
  const decided: { observationId: Id; outcome?: string }[] = [];
  // Newest decision first: each takes back what stands on top.
  const observations = (await Promise.all(ids.map(async (id) => deps.store.getObservation(id)))).map((observation, i) => {
    if (observation === undefined) throw new CairnError('ID_UNKNOWN', `There is no proposal ${ids[i] ?? ''} here.`, { data: { id: ids[i] } });
    return observation;
  });
  for (const observation of observations.sort((a, b) => (b.decidedAt ?? 0) - (a.decidedAt ?? 0) || (a.id < b.id ? 1 : -1))) {
    if (observation.state === 'waiting') throw new CairnError('NOTHING_TO_UNDO', `Proposal ${observation.id} waits; there is no decision to take back.`, { data: { id: observation.id } });
    const acts = ((await deps.store.getMeta(actKey(observation.id))) ?? '').split(' ').filter((id) => id !== '');
    if (observation.state === 'accepted' || observation.state === 'merged') for (const actId of acts.reverse()) await deps.undoAct(actId, acting);
    await waitAgain(deps, observation);
    decided.push({ observationId: observation.id, outcome: 'waiting' });
  }
  return { decided, left: await countWaiting(deps) };
}

async function waitAgain(deps: ExtractionDeps, { decidedAt: _at, memoryId: _memory, rejectReason: _reason, ...rest }: Observation): Promise<void> {
  await deps.store.write(async (writer) => {
    await writer.putObservation({ ...rest, state: 'waiting' });
    await writer.setMeta(actKey(rest.id), undefined);
  });
}

async function reopen(deps: ExtractionDeps, actId: Id, memoryIds: readonly Id[]): Promise<void> {
  const { observations } = await deps.store.listObservations({ states: ['accepted', 'merged'] }, { limit: MANY, offset: 0 });
  for (const observation of observations) {
    if (observation.memoryId === undefined || !memoryIds.includes(observation.memoryId)) continue;
    const acts = ((await deps.store.getMeta(actKey(observation.id))) ?? '').split(' ');
    if (acts.at(-1) === actId) await waitAgain(deps, observation);
  }
}

async function statistics(deps: ExtractionDeps): Promise<InboxStatistics> {
  const { observations } = await deps.store.listObservations({ states: ['accepted', 'merged', 'rejected'] }, { limit: MANY, offset: 0 });
  const perRule = new Map<string, { accepted: number; rejected: number }>();
  const outcomes = { accepted: 0, merged: 0, rejected: 0, waiting: await countWaiting(deps) };
  const before = { kept: 0, rejected: 0 };
  const monthAgo = deps.clock.now() - FOLD_AFTER_MS;
  for (const observation of observations) {
    if ((observation.decidedAt ?? 0) < monthAgo) before[observation.state === 'rejected' ? 'rejected' : 'kept'] += 1;
    const tally = perRule.get(ruleOf(observation)) ?? { accepted: 0, rejected: 0 };
    if (observation.state === 'rejected') tally.rejected += 1;
    else tally.accepted += 1;
    perRule.set(ruleOf(observation), tally);
    if (observation.state === 'accepted' || observation.state === 'merged' || observation.state === 'rejected') outcomes[observation.state] += 1;
  }
  return { outcomes, before, rulePrecision: [...perRule].map(([rule, tally]) => ({ rule, ...tally })).sort((a, b) => b.accepted + b.rejected - (a.accepted + a.rejected) || (a.rule < b.rule ? -1 : 1)) };
}
