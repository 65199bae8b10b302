/**
 * What doctor asks the engine: whether each store is whole and in WAL mode, which index
 * answers, whether vectors are missing, and how the model is.
 */
import { type CairnError, ERROR_CODES } from '../base/errors.ts';
import type { EngineOptions, EngineStore } from './engineOptions.ts';
import type { VectorSide } from './vectorSide.ts';

/** One line of doctor, whoever found it. */
export interface HealthCheck {
  readonly id: string;
  readonly title: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly detail: string;
  /** What a person does about it. */
  readonly cure?: string;
  /** `doctor --fix` can do it. */
  readonly fixable?: boolean;
}

/** `userFailure`: why the user's store is not among `stores`. */
export async function readEngineHealth(stores: readonly EngineStore[], options: EngineOptions, vectors: VectorSide, userFailure?: CairnError): Promise<HealthCheck[]> {
  const findings: HealthCheck[] = userFailure === undefined ? [] : [{ id: 'store-user', title: 'Store (user)', state: 'failed', detail: userFailure.message, cure: ERROR_CODES[userFailure.code], fixable: userFailure.code === 'STORE_CORRUPT' }];
  for (const { role, store } of stores) {
    const [integrity, info] = await Promise.all([store.checkIntegrity(), store.info()]);
    findings.push({
      id: `store-${role}`,
      title: `Store (${role})`,
      state: !integrity.ok ? 'failed' : store.readOnly ? 'warning' : 'ok',
      detail: integrity.ok ? `${store.readOnly ? 'can only be read; ' : ''}${info.memories} memories, ${(info.sizeBytes / 1_048_576).toFixed(1)} MB, schema ${info.schemaVersion}, ${store.location}` : integrity.problems.slice(0, 3).join('; '),
      ...(integrity.ok ? (store.readOnly ? { cure: `Make ${store.location} and its folder writable for your user, or set CAIRN_HOME to another folder.` } : {}) : { cure: 'Restore a backup: `cairn backup --list`, then `cairn restore FILE`. The damaged file is kept.' }),
    });
    findings.push({
      id: `journal-${role}`,
      title: `Journal (${role})`,
      state: info.journalMode === 'wal' ? 'ok' : store.readOnly ? 'warning' : 'failed',
      detail: `${info.journalMode}${store.readOnly ? ', opened read-only' : ''}`,
      ...(info.journalMode === 'wal' ? {} : { cure: 'The file system does not support SQLite\'s WAL. Set CAIRN_HOME to a folder on a local disk.' }),
    });
    if (info.chunksWithoutVector > 0) {
      findings.push({ id: `vectors-${role}`, title: `Vectors (${role})`, state: 'warning', detail: `${info.chunksWithoutVector} of ${info.chunks} pieces have no vector yet; they are found by words`, cure: 'They get one in the background; at once with `cairn embeddings backfill`.', fixable: true });
    }
  }
  const embedder = await options.embedder.get();
  const state = options.embedder.state();
  findings.push({
    id: 'model',
    title: 'Model',
    state: embedder !== undefined ? 'ok' : state === 'off' ? 'warning' : 'failed',
    detail: embedder?.version ?? (state === 'off' ? 'search by meaning is off' : (options.embedder.failure() ?? 'not loaded')),
    ...(embedder === undefined && state !== 'off' ? { cure: 'Reinstall Cairn, or choose another model: `cairn config embedding.model`.' } : {}),
  });
  if (embedder !== undefined) await vectors.prepare();
  const degraded = vectors.degradations().filter(({ part }) => part.startsWith('index'));
  findings.push({
    id: 'index',
    title: 'Vector index',
    state: degraded.length > 0 ? 'warning' : 'ok',
    detail: degraded.length > 0 ? degraded.map(({ message }) => message).join(' ') : vectors.kind(),
    ...(degraded.length > 0 ? { cure: 'Exact search serves; nothing is lost. The add-on comes with the packaged extension of your platform.', fixable: true } : {}),
  });
  return findings;
}
