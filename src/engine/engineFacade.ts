/**
 * Engine: the stores of one repository and of the user seen as one memory. Each method is
 * a verb that operations call; what a verb does is in its policy's folder.
 */
import { CairnError } from '../base/errors.ts';
import type { Id } from '../base/ids.ts';
import { findMemory, type CurationDeps } from './curation/curationDeps.ts';
import { editMemory, repairMoves, setStatus, type EditResult, type StatusResult } from './curation/edit.ts';
import { remember, rememberMany } from './curation/remember.ts';
import { undoAct, type UndoResult } from './curation/undo.ts';
import type { EmbedderState } from './embedding/embedderSource.ts';
import { dropOtherVersions, readEmbeddingStatus, type EmbeddingStatus } from './embeddingVersions.ts';
import type { EngineOptions, EngineStore } from './engineOptions.ts';
import type { ActingFor, AnchorCheck, ListedMemory, ListQuery, RecallFilters, RecallQuery, RecallResult, RememberInput, RememberResult, StoreRole } from './engineTypes.ts';
import { readEngineHealth, type HealthCheck } from './engineHealth.ts';
import type { Redactor } from './extraction/redaction/redactor.ts';
import { readSessionTitles } from './extraction/sessionTitle.ts';
import { writeProfileValue } from './knowledge.ts';
import { listMerged, toStoreFilter } from './listing.ts';
import { readMemoryDetail, type MemoryDetail } from './memoryDetail.ts';
import type { Degradation } from './model/degradation.ts';
import type { Anchor, ChangeVerb, Memory, MemoryChange, MemoryPatch, MemoryStatus, ProfileValue, Relation } from './model/memory.ts';
import { checkLimit, checkText } from './model/memoryInput.ts';
import type { ViewContext } from './model/repoFacts.ts';
import { oneLine } from './model/oneLine.ts';
import type { RelatedMemory } from './retrieval/related.ts';
import type { Injection } from './injection/index.ts';
import type { Extraction, Inbox, Review } from './reviewTypes.ts';
import { scanSecrets, type FoundSecrets } from './secretScan.ts';
import type { AuditEntry, InjectionReceipt, Job, MemoryStore, SpendEntry, StoreInfo } from './storage/memoryStore.ts';
import type { VectorSide } from './vectorSide.ts';

/** What openEngine hands over: the policies, wired. */
export interface EngineParts {
  readonly curation: CurationDeps;
  readonly vectors: VectorSide;
  readonly recall: (query: RecallQuery) => Promise<RecallResult>;
  readonly related: (memory: Memory, view: ViewContext | undefined, signal?: AbortSignal) => Promise<RelatedMemory[]>;
  readonly checkAnchors: (memory: Memory) => Promise<readonly AnchorCheck[]>;
  readonly reanchor: (memory: Memory) => Promise<Memory['anchors']>;
  /** Completes an anchor with hash and snippet of the file as it is. */
  readonly anchor: (anchor: Anchor) => Promise<Anchor>;
  readonly injection: Injection;
  readonly scan: Redactor['scan'];
  readonly review: (engine: Engine) => Review;
  readonly userFailure?: CairnError;
}

/** [R6] A person's "not relevant" counts at most this often, so that one bad day does not bury a memory. */
const MAX_NOT_RELEVANT = 5;

export class Engine {
  readonly repository: { readonly id: string; readonly name: string } | undefined;
  readonly #options: EngineOptions;
  readonly #stores: readonly EngineStore[];
  readonly #parts: EngineParts;
  readonly #review: Review;
  #closed = false;

  constructor(options: EngineOptions, stores: readonly EngineStore[], parts: EngineParts) {
    this.#options = options;
    this.#stores = stores;
    this.#parts = parts;
    this.#review = parts.review(this);
    this.repository = options.repository === undefined ? undefined : { id: options.repository.id, name: options.repository.name };
  }

  get roles(): readonly StoreRole[] {
    return this.#stores.map(({ role }) => role);
  }

  /** For policies that live beside the engine (extraction, injection). Undefined when that store is not open. */
  store(role: StoreRole): MemoryStore | undefined {
    return this.#stores.find((entry) => entry.role === role)?.store;
  }

  get injection(): Injection {
    return this.#parts.injection;
  }

  get inbox(): Inbox {
    return this.#review.inbox;
  }

  get extraction(): Extraction {
    return this.#review.extraction;
  }

  async remember(input: RememberInput, acting: ActingFor): Promise<RememberResult> {
    const anchors = input.anchors === undefined ? undefined : await Promise.all(input.anchors.map(async (anchor) => this.#parts.anchor(anchor)));
    return this.#followed(remember(this.#parts.curation, { ...input, anchors }, acting));
  }

  /** Profile and graph follow a write [K7, K8]. It is done whatever becomes of them: the next one catches up. */
  async #followed<T>(work: Promise<T>, purged?: readonly Id[]): Promise<T> {
    const result = await work;
    await this.#review.follow(purged).catch((error: unknown) => this.#options.log?.(`profile and graph: ${error instanceof CairnError ? error.code : 'INTERNAL'}`));
    return result;
  }

  /** Puts a statement that nobody asked for into the inbox, as untrusted [P2]. */
  async propose(input: RememberInput, acting: ActingFor): Promise<RememberResult> {
    return this.#review.propose(input, acting);
  }

  async rememberMany(inputs: readonly RememberInput[], acting: ActingFor): Promise<(RememberResult | CairnError)[]> {
    return this.#followed(rememberMany(this.#parts.curation, inputs, acting));
  }

  /** Throws LIMIT_RANGE and CANCELLED only; anything missing is a degradation. */
  async recall(query: RecallQuery): Promise<RecallResult> {
    const result = await this.#parts.recall(query);
    const { userFailure } = this.#parts;
    if (userFailure === undefined) return result;
    return { ...result, degradations: [...result.degradations, { part: 'user_store_unavailable', message: userFailure.message }] };
  }

  async list(query: ListQuery): Promise<{ memories: ListedMemory[]; total: number; limit: number; cappedFrom?: number; offset: number }> {
    const { limit, cappedFrom } = checkLimit(query.limit, 1_000, 50);
    const offset = query.offset ?? 0;
    const page = await listMerged(this.#storesFor(query.filters), toStoreFilter(query.filters ?? {}, query.view), { limit, offset, order: query.order ?? 'recent' });
    return { ...page, limit, offset, ...(cappedFrom === undefined ? {} : { cappedFrom }) };
  }

  /** Ids that pass the filters, any status unless named; for acts on many. */
  async idsWhere(filters: RecallFilters): Promise<Id[]> {
    const ids: Id[] = [];
    for (const { store } of this.#storesFor(filters)) {
      for (let offset = 0; ; offset += 1_000) {
        const memories = await store.listMemories(toStoreFilter(filters, undefined), { limit: 1_000, offset, order: 'created' });
        ids.push(...memories.map(({ id }) => id));
        if (memories.length < 1_000) break;
      }
    }
    return ids;
  }

  /** Every memory that passes, in the order they were made, page by page. Default: active ones. */
  async *everyMemory(filters: RecallFilters = {}): AsyncGenerator<ListedMemory> {
    for (const { role, store } of this.#storesFor(filters)) {
      for (let offset = 0; ; offset += 500) {
        const memories = await store.listMemories(toStoreFilter(filters, undefined), { limit: 500, offset, order: 'created' });
        for (const memory of memories) yield { memory, store: role };
        if (memories.length < 500) break;
      }
    }
  }

  async getMany(ids: readonly Id[]): Promise<Memory[]> {
    return (await Promise.all(this.#stores.map(async ({ store }) => store.getMemories(ids)))).flat();
  }

  async holds(id: Id): Promise<boolean> {
    const store = this.store('repository');
    return store !== undefined && (await store.getMemory(id)) !== undefined;
  }

  /** Whether the code a memory points to still says so; for lists, which do not check by themselves. */
  async checkAnchors(memory: Memory): Promise<readonly AnchorCheck[]> {
    return this.#parts.checkAnchors(memory);
  }

  /** Throws ID_UNKNOWN. */
  async get(id: Id): Promise<MemoryDetail> {
    return readMemoryDetail(this.#parts.curation, this.#parts.checkAnchors, id);
  }

  /** What stands near a memory, with the reasons. Throws ID_UNKNOWN and CANCELLED. */
  async related(id: Id, view?: ViewContext, signal?: AbortSignal): Promise<RelatedMemory[]> {
    return this.#parts.related((await findMemory(this.#parts.curation, id)).memory, view, signal);
  }

  async edit(id: Id, patch: MemoryPatch, acting: ActingFor, options: { expectedVersion?: number; verb?: ChangeVerb } = {}): Promise<EditResult> {
    return this.#followed(editMemory(this.#parts.curation, id, patch, acting, options));
  }

  async setStatus(ids: readonly Id[], status: MemoryStatus, verb: ChangeVerb, acting: ActingFor): Promise<StatusResult> {
    return this.#followed(setStatus(this.#parts.curation, ids, status, verb, acting));
  }

  async undo(actId: Id | undefined, acting: ActingFor): Promise<UndoResult> {
    const undone = await this.#followed(undoAct(this.#parts.curation, actId, acting));
    await this.inbox.reopen(undone.undoneActId, undone.memories.map(({ id }) => id));
    return undone;
  }

  /** Throws ID_UNKNOWN. */
  async history(id: Id): Promise<MemoryChange[]> {
    const { store } = await findMemory(this.#parts.curation, id);
    return store.history(id);
  }

  async markNotRelevant(id: Id, acting: ActingFor): Promise<EditResult> {
    const { memory } = await findMemory(this.#parts.curation, id);
    return this.edit(id, { notRelevantCount: Math.min(MAX_NOT_RELEVANT, memory.notRelevantCount + 1) }, { ...acting, reason: 'Not relevant.' }, { verb: 'feedback' });
  }

  async confirmStillTrue(id: Id, acting: ActingFor): Promise<EditResult> {
    const { memory } = await findMemory(this.#parts.curation, id);
    return this.edit(id, { anchors: await this.#parts.reanchor(memory) }, { ...acting, reason: 'Still true.' }, { verb: 'reanchor' });
  }

  /** Content gone for good, with its history; returns how many. Unknown ids are not an error: they are gone. */
  async purge(ids: readonly Id[]): Promise<number> {
    let purged = 0;
    for (const { store } of this.#stores) {
      const mine = await store.getMemories(ids);
      if (mine.length === 0) continue;
      await store.write(async (writer) => {
        for (const { id } of mine) await writer.purgeMemory(id, 'purged', this.#options.clock.now());
      });
      await store.vacuum();
      purged += mine.length;
    }
    await this.#parts.vectors.discardFiles();
    await this.#followed(Promise.resolve(), ids);
    return purged;
  }

  /** Empties the repository's store; the user's too only where there is no repository. */
  async purgeAll(): Promise<number> {
    const role: StoreRole = this.repository === undefined ? 'user' : 'repository';
    const store = this.store(role);
    if (store === undefined) return 0;
    const { memories } = await store.info();
    await store.purgeAll();
    await this.#parts.vectors.discardFiles();
    return memories;
  }

  async info(): Promise<{ role: StoreRole; info: StoreInfo; location: string }[]> {
    return Promise.all(this.#stores.map(async ({ role, store }) => ({ role, info: await store.info(), location: store.location })));
  }

  async tags(): Promise<{ tag: string; count: number }[]> {
    const counts = new Map<string, number>();
    for (const { store } of this.#stores) for (const { tag, count } of await store.tags()) counts.set(tag, (counts.get(tag) ?? 0) + count);
    return [...counts].map(([tag, count]) => ({ tag, count })).sort((a, b) => b.count - a.count || a.tag.localeCompare(b.tag));
  }

  async profile(): Promise<ProfileValue[]> {
    return (await this.store('user')?.profile()) ?? [];
  }

  /** Null removes. */
  async setProfileValue(key: string, value: string | null): Promise<void> {
    const store = this.store('user');
    if (store === undefined) throw new CairnError('REPOSITORY_REQUIRED', 'The user store is not open; the profile lives there.');
    await writeProfileValue(store, key, value === null ? null : this.#oneLine(value), this.#options.clock.now());
  }

  /** Short texts that are shown beside others in one line: without secrets, line ends and control characters. */
  #oneLine(text: string): string {
    return this.#parts.curation.redact(oneLine(checkText(text))).text;
  }

  async relate(input: { subject: string; predicate: string; object: string; memoryId?: Id }): Promise<Relation> {
    const store = this.store('repository') ?? this.store('user');
    if (store === undefined) throw new CairnError('REPOSITORY_REQUIRED', 'No store is open.');
    if (input.memoryId !== undefined) await findMemory(this.#parts.curation, input.memoryId);
    const relation: Relation = { id: this.#options.ids.next(), subject: this.#oneLine(input.subject), predicate: this.#oneLine(input.predicate), object: this.#oneLine(input.object), memoryId: input.memoryId, createdAt: this.#options.clock.now() };
    await store.write(async (writer) => writer.putRelation(relation));
    return relation;
  }

  async relations(filter: { entity?: string; memoryId?: Id }, limit: number): Promise<Relation[]> {
    return (await Promise.all(this.#stores.map(async ({ store }) => store.relations(filter, limit)))).flat().slice(0, limit);
  }

  async entities(prefix: string, limit: number): Promise<{ name: string; relations: number }[]> {
    return (await Promise.all(this.#stores.map(async ({ store }) => store.entities(prefix, limit)))).flat().sort((a, b) => b.relations - a.relations).slice(0, limit);
  }

  /** Returns before it is written: what is audited was done, and must not wait for a writer of another process. `close` waits for it. */
  async audit(entry: Omit<AuditEntry, 'at'>): Promise<void> {
    const target = this.#stores[0];
    if (target === undefined || target.store.readOnly) return;
    const at = this.#options.clock.now();
    void target.store.write(async (writer) => writer.putAudit({ ...entry, at })).catch((error: unknown) => this.#options.log?.(`audit entry lost: ${error instanceof Error ? error.name : 'unknown'}`));
  }

  /** What sessions are called, by id; unknown ones are left out. */
  async sessionTitles(sessionIds: Iterable<string>): Promise<Record<string, string>> {
    const store = this.store('repository') ?? this.store('user');
    return store === undefined ? {} : readSessionTitles(store, sessionIds, (text) => this.#parts.curation.redact(text).text);
  }

  /** Newest first. */
  async receipts(filter: { sessionId?: string; memoryId?: Id }, page: { limit: number; offset: number }): Promise<InjectionReceipt[]> {
    return (await Promise.all(this.#stores.map(async ({ store }) => store.receipts(filter, page)))).flat().sort((a, b) => b.at - a.at).slice(0, page.limit);
  }

  injectionBudget(): { startTokens: number; promptTokens: number; fileTokens: number; sessionTokens: number } {
    const { startTokens, promptTokens, fileTokens, sessionTokens } = this.#options.config().injection;
    return { startTokens, promptTokens, fileTokens, sessionTokens };
  }

  async jobLog(limit: number): Promise<{ jobs: Job[]; spend: SpendEntry[] }> {
    const parts = await Promise.all(this.#stores.map(async ({ store }) => ({ jobs: await store.jobs({}, limit), spend: await store.spend({}) })));
    return { jobs: parts.flatMap(({ jobs }) => jobs).sort((a, b) => b.createdAt - a.createdAt).slice(0, limit), spend: parts.flatMap(({ spend }) => spend) };
  }

  async spendTodayUsd(): Promise<number> {
    return this.#review.spendTodayUsd();
  }

  async healthChecks(): Promise<HealthCheck[]> {
    return readEngineHealth(this.#stores, this.#options, this.#parts.vectors, this.#parts.userFailure);
  }

  /** Engine-side repairs: what `doctor --fix` may do without asking. */
  async fixHealth(ids: readonly string[]): Promise<HealthCheck[]> {
    if (ids.some((id) => id.startsWith('index'))) await this.#parts.vectors.discardFiles();
    if (ids.some((id) => id.startsWith('vectors'))) await this.embedPending();
    return (await this.healthChecks()).filter(({ id }) => ids.includes(id));
  }

  async scanSecrets(signal: AbortSignal): Promise<FoundSecrets[]> {
    return scanSecrets(this.everyMemory({ statuses: ['active', 'archived', 'superseded', 'forgotten', 'inbox'] }), this.#parts.scan, signal);
  }

  embedderState(): EmbedderState {
    return this.#options.embedder.state();
  }

  /** Loads model and index, so that `indexKind` names the one that answers. */
  async openIndex(signal?: AbortSignal): Promise<void> {
    await this.#parts.vectors.prepare(signal);
  }

  indexKind(): 'exact' | 'hnsw' | 'none' {
    return this.#parts.vectors.kind();
  }

  /** Opened without room for writing: see MemoryStore. */
  get isOutOfRoom(): boolean {
    return this.#stores.some(({ store }) => store.isOutOfRoom);
  }

  degradations(): readonly Degradation[] {
    const { userFailure } = this.#parts;
    const own: Degradation[] = userFailure === undefined ? [] : [{ part: 'user_store_unavailable', message: userFailure.message }];
    if (this.#stores.some(({ store }) => store.readOnly)) own.push({ part: 'store_read_only', message: 'The store cannot be written; reading works.' });
    return [...own, ...this.#parts.vectors.degradations()];
  }

  /** Embeds what has no vector yet. Returns how many; 0 when there is no embedder. */
  async embedPending(signal?: AbortSignal, onProgress?: (progress: { done: number; left: number }) => void): Promise<number> {
    return this.#parts.vectors.embedPending(signal, onProgress);
  }

  async embeddingStatus(): Promise<EmbeddingStatus> {
    return readEmbeddingStatus(this.#stores, this.#options.embedder);
  }

  /** The end of a model switch: see dropOtherVersions. */
  async dropOtherEmbeddings(): Promise<number> {
    const embedder = await this.#options.embedder.get();
    return embedder === undefined ? 0 : dropOtherVersions(this.#stores, embedder);
  }

  /** Did another process commit to one of the stores since the last call? */
  async changedElsewhere(): Promise<boolean> {
    const answers = await Promise.all(this.#stores.map(async ({ store }) => store.changedElsewhere()));
    return answers.some(Boolean);
  }

  async epochs(): Promise<{ role: StoreRole; epoch: number }[]> {
    return Promise.all(this.#stores.map(async ({ role, store }) => ({ role, epoch: await store.epoch() })));
  }

  async repair(): Promise<void> {
    await repairMoves(this.#parts.curation);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#parts.vectors.close();
    for (const { store } of this.#stores) await store.close();
  }

  #storesFor(filters: RecallFilters | undefined): readonly EngineStore[] {
    return filters?.stores === undefined ? this.#stores : this.#stores.filter(({ role }) => filters.stores?.includes(role));
  }
}
