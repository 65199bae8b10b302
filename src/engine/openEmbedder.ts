/**
 * openEmbedder: chooses the embedder that the setting `embedding.model` names. Beside
 * engine.ts the only place that knows implementations; each is loaded when it is chosen.
 */
import { CairnError } from '../base/errors.ts';
import type { Embedder } from './embedding/embedder.ts';

export interface EmbedderChoice {
  /** `bundled`, `hashing`, a model's id, or the path of a model folder; `off` opens nothing. */
  readonly model: string;
  /** Folder of the models that ship with the program; `bundled` is the first of them. */
  readonly bundledModels: string;
  /** Folder of models that were added, one folder per id. */
  readonly models: string;
  readonly listFolder: (folder: string) => readonly string[];
  readonly joinPath: (...parts: string[]) => string;
  readonly isAbsolutePath: (path: string) => boolean;
}

/** Undefined for `off`. Throws MODEL_MISSING, MODEL_CORRUPT, EMBEDDING_FAILED. */
export async function openEmbedder(choice: EmbedderChoice): Promise<Embedder | undefined> {
  const { model } = choice;
  if (model === 'off') return undefined;
  const { createCachedEmbedder } = await import('./embedding/cachedEmbedder.ts');
  if (model === 'hashing') {
    const { createHashingEmbedder } = await import('./embedding/hashing/hashingEmbedder.ts');
    return createCachedEmbedder(createHashingEmbedder());
  }
  const embedder = await openLocal(choice);
  try {
    await embedder.load();
  } catch (error) {
    await embedder.close();
    throw error;
  }
  return createCachedEmbedder(embedder);
}

/** What ships as a pair is used as a pair; why two: pairedEmbedder.ts. */
const ENGLISH = 'all-minilm-l6-v2';
const MULTILINGUAL = 'multilingual-e5-small';

async function openLocal(choice: EmbedderChoice): Promise<Embedder & { load(): Promise<void> }> {
  const { bundledModels, joinPath, listFolder, model } = choice;
  const shipped = listFolder(bundledModels);
  if (model === 'bundled' && shipped.includes(ENGLISH) && shipped.includes(MULTILINGUAL)) {
    const { openPairedEmbedder } = await import('./embedding/bundled/pairedEmbedder.ts');
    return openPairedEmbedder({ englishFolder: joinPath(bundledModels, ENGLISH), multilingualFolder: joinPath(bundledModels, MULTILINGUAL) });
  }
  const { openBundledEmbedder } = await import('./embedding/bundled/bundledEmbedder.ts');
  return openBundledEmbedder({ modelFolder: findModelFolder(choice) });
}

function findModelFolder({ model, bundledModels, models, listFolder, joinPath, isAbsolutePath }: EmbedderChoice): string {
  if (isAbsolutePath(model)) return model;
  const shipped = [...listFolder(bundledModels)].sort();
  const wanted = model === 'bundled' ? shipped[0] : nameOfId(model);
  if (wanted !== undefined && shipped.includes(wanted)) return joinPath(bundledModels, wanted);
  if (wanted !== undefined && listFolder(models).includes(wanted)) return joinPath(models, wanted);
  throw new CairnError('MODEL_MISSING', model === 'bundled'
    ? `No model lies in ${bundledModels}. Reinstall Cairn, or choose another \`embedding.model\`.`
    : `The model "${model}" lies neither in ${bundledModels} nor in ${models}. Put its folder there, or choose \`bundled\`.`, { data: { model } });
}

/** `Xenova/all-MiniLM-L6-v2` and `all-MiniLM-L6-v2` name one folder; an id is never a path. */
function nameOfId(id: string): string | undefined {
  const name = id.split('/').at(-1)?.toLowerCase() ?? '';
  return /^[a-z0-9][a-z0-9._-]*$/.test(name) ? name : undefined;
}
