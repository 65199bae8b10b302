/**
 * Review: what lies between what was said and what is remembered, as one engine sees it.
 * Wires the extraction pipeline and the inbox to the stores and the write path.
 */
import { CairnError } from '../base/errors.ts';
import type { CurationDeps } from './curation/curationDeps.ts';
import type { Engine } from './engineFacade.ts';
import type { EngineOptions, EngineStore } from './engineOptions.ts';
import type { Redactor } from './extraction/redaction/redactor.ts';
import type { Inbox, InboxDecision, Review } from './reviewTypes.ts';

export interface ReviewParts {
  readonly options: EngineOptions;
  readonly stores: readonly EngineStore[];
  readonly redactor: Redactor;
  readonly curation: CurationDeps;
  readonly engine: Engine;
}

export function createReview(parts: ReviewParts): Review {
  const { stores } = parts;
  const unavailable = async (): Promise<never> => {
    throw new CairnError('OPERATION_UNKNOWN', 'The extraction pipeline is not wired yet.');
  };
  const inbox: Inbox = {
    async list(query) {
      const pages = await Promise.all(stores.map(async ({ store }) => store.listObservations({ states: query.states ?? ['waiting'], sessionId: query.sessionId, rule: query.rule }, query)));
      return { observations: pages.flatMap(({ observations }) => observations), total: pages.reduce((sum, { total }) => sum + total, 0), targets: {}, folded: 0 };
    },
    accept: unavailable as () => Promise<InboxDecision>,
    reject: unavailable as () => Promise<InboxDecision>,
    merge: unavailable as () => Promise<InboxDecision>,
    undo: unavailable as () => Promise<InboxDecision>,
    statistics: async () => ({ outcomes: { accepted: 0, merged: 0, rejected: 0, waiting: 0 }, rulePrecision: [] }),
  };
  return {
    inbox,
    extraction: { takeTurns: unavailable, runDue: unavailable, estimate: unavailable, tidy: unavailable },
    propose: unavailable,
    spendTodayUsd: async () => 0,
  };
}
