/**
 * Embedding versions of a store's vectors: what is there, what waits, and the end of a model switch [O5].
 * A switch is staged: the new model's vectors are written beside the old ones, which stay until every
 * piece of a store has a new one; killed at any point, it goes on from the rows.
 */
import type { Embedder } from './embedding/embedder.ts';
import type { EmbedderSource, EmbedderState } from './embedding/embedderSource.ts';
import type { EngineStore } from './engineOptions.ts';
import type { StoreRole } from './engineTypes.ts';

export interface EmbeddingStatus {
  readonly state: EmbedderState;
  /** Of the model that serves. */
  readonly version?: string;
  readonly failure?: string;
  readonly stores: readonly {
    readonly role: StoreRole;
    readonly versions: readonly { readonly version: string; readonly vectors: number }[];
    /** Pieces without a vector of the model that serves; without a model, those without any. */
    readonly pending: number;
  }[];
}

/** Waits for the model. */
export async function readEmbeddingStatus(stores: readonly EngineStore[], source: EmbedderSource): Promise<EmbeddingStatus> {
  const embedder = await source.get();
  const ofStores = await Promise.all(stores.map(async ({ role, store }) => {
    const info = await store.info();
    return { role, versions: await store.embeddingVersions(), pending: embedder === undefined ? info.chunksWithoutVector : info.chunks - (await store.countVectors(embedder.version)) };
  }));
  return { state: source.state(), version: embedder?.version, failure: source.failure(), stores: ofStores };
}

/** Removes vectors of other versions from the stores where none is missing of this one. Returns how many went. */
export async function dropOtherVersions(stores: readonly EngineStore[], embedder: Embedder): Promise<number> {
  let dropped = 0;
  for (const { store } of stores) {
    if (store.readOnly || (await store.chunksWithoutVector(embedder.version, 1)).length > 0) continue;
    for (const { version } of await store.embeddingVersions()) {
      if (version !== embedder.version) dropped += await store.write(async (writer) => writer.removeVectorsOfVersion(version));
    }
  }
  return dropped;
}
