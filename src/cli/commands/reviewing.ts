/**
 * Commands about what Claude gets and what was proposed: context, inbox, accept, reject,
 * save, backfill, tidy, jobs.
 */
import { CairnError } from '../../base/errors.ts';
import type { InboxDecision, InboxOffer, InboxPage, Job, Observation, SpendEntry } from '../../engine/index.ts';
import type { BackfillOutput, ContextOutput, InjectedOutput, SaveOutput } from '../../operations/index.ts';
import { namesFlag, numberFlag, prune } from '../commandFlags.ts';
import { counted } from '../output.ts';
import type { Register } from '../register.ts';
import { progressLine } from '../session.ts';
import type { CliSession } from '../session.ts';

export function registerReviewing(register: Register): void {
  register('context', 'what the next session starts with; --session shows what one was given', (command) => command.option('-q, --query <words>', 'adds what is relevant to it').option('--budget <tokens>', 'instead of the setting', numberFlag('budget')).option('--session <id>', 'what this session was given'), async (session, flags: { query?: string; budget?: number; session?: string }) => {
    if (flags.session !== undefined) return showInjected(session, flags.session);
    const context = await session.call<ContextOutput>('getContext', prune({ query: flags.query, budgetTokens: flags.budget }));
    session.print(context, () => session.out.line(context.text === '' ? 'Nothing to start a session with yet: that is what is pinned, rules, preferences, decisions and the last summary. The rest is given with a prompt or a file that it is about.' : `${context.text}\n${session.out.style('dim', `about ${context.tokens} tokens, ${counted(context.memories.length, 'memory', 'memories')}`)}`));
  });

  register('inbox', 'proposals that wait for you', (command) => command.option('--session <id>', 'of one session').option('--limit <n>', 'how many at most', numberFlag('limit')).option('--trust <rule>', 'let what this rule finds become active without review').option('--distrust <rule>', 'ask again about what this rule finds').option('--take-back <ids>', 'let accepted or rejected proposals wait again', namesFlag('take-back')), async (session, flags: { session?: string; limit?: number; trust?: string; distrust?: string; takeBack?: string[] }) => {
    if (flags.takeBack !== undefined) {
      printDecision(session, await session.call<InboxDecision>('undoDecision', { ids: flags.takeBack }), 'Taken back');
      return;
    }
    const rule = flags.trust ?? flags.distrust;
    if (rule !== undefined) {
      const result = await session.call<{ trustedRules: string[] }>('trustRule', { rule, trusted: flags.trust !== undefined });
      session.print(result, () => session.out.line(result.trustedRules.length === 0 ? 'Everything is reviewed.' : `Active without review: ${result.trustedRules.join(', ')}`));
      return;
    }
    const page = await session.call<InboxPage>('listInbox', prune({ sessionId: flags.session, limit: flags.limit }));
    session.print(page, () => {
      const { out } = session;
      if (page.observations.length === 0) out.line('The inbox is empty. Proposals come from your Claude Code sessions; `cairn backfill` reads past ones.');
      showProposals(session, page);
      if (page.total > page.observations.length) out.line(out.style('dim', `${page.total} in all`));
      if (page.observations.length > 0) out.line(out.style('dim', 'cairn accept ID..., cairn accept ID --text "...", cairn reject ID..., cairn accept --all'));
      for (const offer of page.offers) out.line(out.style('cyan', offerText(offer)));
    });
  });

  register('accept [ids...]', 'accept proposals', (command) => command.option('--all', 'all that wait').option('--session <id>', 'all of one session').option('--rule <rule>', 'all found by this rule').option('--text <text>', 'with this text instead').option('--kind <kind>', 'with this kind instead').option('--importance <n>', 'with this importance', numberFlag('importance')), async (session, ids: string[], flags: { all?: boolean; session?: string; rule?: string; text?: string; kind?: string; importance?: number }) => {
    const edit = prune({ text: flags.text, kind: flags.kind, importance: flags.importance });
    const result = await session.call<InboxDecision>('acceptObservation', prune({ ...selected(ids, flags), edit: Object.keys(edit).length === 0 ? undefined : edit }));
    printDecision(session, result, 'Accepted');
  });
  register('reject [ids...]', 'reject proposals; they are not made again (inbox --take-back ID lets one wait again)', (command) => command.option('--all', 'all that wait').option('--session <id>', 'all of one session').option('--rule <rule>', 'all found by this rule').option('--reason <reason>', 'not_true, not_lasting, duplicate or private'), async (session, ids: string[], flags: { all?: boolean; session?: string; rule?: string; reason?: string }) => {
    printDecision(session, await session.call<InboxDecision>('rejectObservation', prune({ ...selected(ids, flags), reason: flags.reason })), 'Rejected');
  });

  register('save', 'take a session\'s new turns into memory (a hook\'s JSON on stdin, or --transcript)', (command) => command.option('--transcript <file>', 'the session file').option('--session <id>', 'a session of this repository'), async (session, flags: { transcript?: string; session?: string }) => {
    const given = flags.transcript !== undefined || flags.session !== undefined || session.io.stdinIsTerminal ? { transcriptPath: flags.transcript, sessionId: flags.session } : parseHook(await session.io.readStdin());
    const progress = progressLine(session, 'Saving');
    const result = await session.call<SaveOutput>('saveConversation', prune(given), progress.onProgress);
    progress.done();
    session.print(result, () => session.out.line(result.message));
  });

  register('backfill', 'read past sessions of this repository, oldest first', (command) => command.option('--estimate', 'only say how much there is').option('--max <n>', 'at most this many proposals (default 30)', numberFlag('max')), async (session, flags: { estimate?: boolean; max?: number }) => {
    const progress = progressLine(session, 'Reading');
    const result = await session.call<BackfillOutput>('backfill', prune({ estimateOnly: flags.estimate, maxProposals: flags.max }), progress.onProgress);
    progress.done();
    session.print(result, () => {
      const { out } = session;
      const sessions = count(result.sessions, 'session');
      if (flags.estimate === true) out.line(`${sessions} of this repository to read; nothing was taken yet.`);
      else out.line(`${sessions}, ${count(result.newTurns, 'new turn')}: ${result.run.remembered} remembered, ${result.run.proposed} proposed (cairn inbox).`);
      if (result.run.waitingBatches > 0) out.line(out.style('yellow', `What is left waits: ${result.run.waitingBecause ?? 'it is tried again later'}. Run it again later.`));
      if (result.estimate !== undefined && result.estimate.inputTokens > 0) out.line(`Estimate for a model: ${result.estimate.inputTokens} tokens${result.estimate.usd === undefined ? '' : `, ${result.estimate.usd.toFixed(2)} USD`}.`);
      if (result.expiringSoon > 0) out.line(out.style('yellow', `Claude Code itself removes ${count(result.expiringSoon, 'session')} of these within a week (it keeps them ${result.retentionDays} days).`));
    });
  });

  register('tidy', 'propose merges of fragments, archive what is stale, follow merged branches and renamed files', (command) => command.option('--session <id>', 'summarise this session too'), async (session, flags: { session?: string }) => {
    const result = await session.call<{ message: string }>('tidy', prune({ sessionId: flags.session }));
    session.print(result, () => session.out.line(result.message));
  });

  register('jobs', 'the log of extraction jobs', (command) => command.option('--limit <n>', 'how many', numberFlag('limit')), async (session, flags: { limit?: number }) => {
    const result = await session.call<{ jobs: Job[]; spend: SpendEntry[] }>('jobs', prune({ limit: flags.limit }));
    session.print(result, () => {
      if (result.jobs.length === 0) session.out.line('No jobs yet.');
      session.out.table(result.jobs.map((job) => [job.id, job.purpose, job.state, job.startedAt === undefined || job.endedAt === undefined ? '-' : `${job.endedAt - job.startedAt} ms`, `${job.tokens ?? 0} tokens`, job.error ?? '']));
    });
  });
}

function selected(ids: readonly string[], flags: { all?: boolean; session?: string; rule?: string }): Record<string, unknown> {
  return prune({ ids: ids.length === 0 ? undefined : ids, sessionId: flags.session, rule: flags.rule, all: flags.all });
}

function printDecision(session: CliSession, result: InboxDecision, verb: string): void {
  session.print(result, () => {
    session.out.line(`${verb} ${result.decided.length}; ${result.left} left.`);
    for (const { outcome, memoryId } of result.decided) if (memoryId !== undefined && outcome !== undefined) session.out.line(session.out.style('dim', `  ${outcome} ${memoryId}`));
  });
}

/** Under the name of the session that each comes from; the page has them in groups. */
function showProposals(session: CliSession, { observations, titles }: InboxPage): void {
  const { out } = session;
  let shown: string | null | undefined = null;
  for (const observation of observations) {
    const { sessionId } = observation.provenance;
    if (sessionId !== shown) {
      const members = observations.filter(({ provenance }) => provenance.sessionId === sessionId);
      const latestAt = Math.max(...members.map(({ provenance, createdAt }) => provenance.saidAt ?? createdAt));
      out.line(`${out.style('bold', sessionName(sessionId, titles))} ${out.style('dim', [out.age(latestAt), String(members.length), ...(sessionId === undefined ? [] : [sessionId])].join(' · '))}`);
      shown = sessionId;
    }
    showProposal(session, observation);
  }
}

function offerText(offer: InboxOffer): string {
  switch (offer.what) {
    case 'trustRule': return `You accepted the last ${offer.accepted} proposals of rule "${offer.rule}". Cairn can accept that kind by itself: \`cairn inbox --trust ${offer.rule}\`.`;
    case 'acceptAlike': return `${offer.proposals} proposals come from rule "${offer.rule}": accept all like these with \`cairn accept --rule ${offer.rule}\`.`;
    case 'raiseGate': return 'Most proposals are rejected. `cairn config extraction.gate 6` shows fewer.';
  }
}

function sessionName(sessionId: string | undefined, titles: Readonly<Record<string, string>>): string {
  if (sessionId === undefined) return 'Outside of a session';
  const title = titles[sessionId];
  return title === undefined ? 'Session' : `Session "${title}"`;
}

function showProposal(session: CliSession, observation: Observation): void {
  const { out } = session;
  const sign = { add: '+', merge: '~', revise: '~', supersede: '+', conflict: '!', archive: '-' }[observation.outcome.verb];
  out.line(`${out.style('cyan', sign)} ${out.wrap(observation.text, 4).join('\n  ')}`);
  if (observation.outcome.verb !== 'add') out.line(`  ${observation.outcome.verb} ${out.style('dim', observation.outcome.targetId)}`);
  if (observation.provenance.quote !== undefined) out.line(`  ${out.style('dim', `“${observation.provenance.quote}”`)}`);
  out.line(`  ${out.style('dim', `${observation.kind} · importance ${observation.importance} · confidence ${observation.confidence} · ${observation.why} · ${observation.id}`)}`);
}

async function showInjected(session: CliSession, sessionId: string): Promise<void> {
  const result = await session.call<InjectedOutput>('injected', { sessionId });
  session.print(result, () => {
    const { out } = session;
    if (result.receipts.length === 0) out.line('This session was given nothing.');
    else out.line(`${out.style('bold', sessionName(sessionId, result.titles))} ${out.style('dim', sessionId)}`);
    for (const receipt of result.receipts) {
      out.line(`${out.style('bold', receipt.moment)} ${new Date(receipt.at).toISOString()} ${receipt.about} ${out.style('dim', `${receipt.tokens} tokens`)}`);
      for (const item of receipt.items) out.line(`  ${item.text ?? item.memoryId} ${out.style('dim', `(${item.why}, ${item.tokens} tokens)`)}`);
    }
  });
}

/** A hook's JSON, or just `{"transcript_path"}`. */
function parseHook(text: string): { transcriptPath?: string; sessionId?: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CairnError('INPUT_INVALID', 'stdin holds no JSON. Give a hook\'s input, {"transcript_path": "..."}, or --transcript FILE.', { cause: error, data: { field: 'stdin' } });
  }
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const transcriptPath = typeof fields['transcript_path'] === 'string' ? fields['transcript_path'] : undefined;
  const sessionId = typeof fields['session_id'] === 'string' ? fields['session_id'] : undefined;
  if (transcriptPath === undefined && sessionId === undefined) throw new CairnError('INPUT_INVALID', 'The JSON on stdin names neither transcript_path nor session_id.', { data: { field: 'transcript_path' } });
  return { transcriptPath, sessionId };
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
