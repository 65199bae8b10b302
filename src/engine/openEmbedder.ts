/**
 * openEmbedder: chooses the embedder that the setting `embedding.model` names. Beside
 * engine.ts the only place that knows implementations; each is loaded when it is chosen.
 */
import { CairnError, isCairnError } from '../base/errors.ts';
import type { Embedder } from './embedding/embedder.ts';
import { profileOf } from './embedding/modelProfiles.ts';

export interface EmbedderChoice {
  /** `bundled`, `hashing`, `remote:NAME`, a model's id, or the path of a model folder; `off` opens nothing. */
  readonly model: string;
  /** Folder of the models that ship with the program; `bundled` is the first of them. */
  readonly bundledModels: string;
  /** Folder of models that were added, one folder per id. */
  readonly models: string;
  readonly listFolder: (folder: string) => readonly string[];
  readonly joinPath: (...parts: string[]) => string;
  readonly isAbsolutePath: (path: string) => boolean;
  /** Of the endpoint for `remote:NAME`; of a mirror of the hub for a model's id. */
  readonly baseUrl?: string;
  readonly apiKey?: () => string | undefined;
  /** Where a downloaded model runs, tried in order; the processor if absent. */
  readonly devices?: readonly string[];
  /** Brings the package that runs models from the hub; by default the one beside the program. */
  readonly importTransformers?: () => Promise<unknown>;
  /** Counts and names of what is being downloaded. */
  readonly log?: (line: string) => void;
}

/**
 * Undefined for `off`. A model's id that no folder here has is downloaded: naming it is the
 * person's request. Throws MODEL_MISSING, MODEL_CORRUPT, MODEL_DOWNLOAD_FAILED, CONFIG_INVALID,
 * PROVIDER_REJECTED, EMBEDDING_MISMATCH, EMBEDDING_FAILED.
 */
export async function openEmbedder(choice: EmbedderChoice): Promise<Embedder | undefined> {
  const { model } = choice;
  if (model === 'off') return undefined;
  const { createCachedEmbedder } = await import('./embedding/cachedEmbedder.ts');
  if (model === 'hashing') {
    const { createHashingEmbedder } = await import('./embedding/hashing/hashingEmbedder.ts');
    return createCachedEmbedder(createHashingEmbedder());
  }
  if (model === 'remote' || model.startsWith('remote:')) return createCachedEmbedder(await openRemote(choice));
  if (isDownloadable(choice)) return createCachedEmbedder(await openHubModel(choice));
  let embedder: Embedder & { load(): Promise<void> };
  try {
    embedder = await openLocal(choice);
  } catch (error) {
    // A folder without our manifest, in the layout of the hub, is side-loaded as it is.
    if (isCairnError(error) && error.code === 'MODEL_MISSING' && choice.isAbsolutePath(model) && choice.listFolder(model).includes('onnx')) return createCachedEmbedder(await openHubModel(choice));
    throw error;
  }
  try {
    await embedder.load();
  } catch (error) {
    await embedder.close();
    throw error;
  }
  return createCachedEmbedder(embedder);
}

async function openRemote({ model, baseUrl, apiKey }: EmbedderChoice): Promise<Embedder> {
  const name = model.slice('remote:'.length);
  if (name === '' || baseUrl === undefined) throw new CairnError('CONFIG_INVALID', 'A remote model needs `embedding.model` = `remote:NAME` and `embedding.baseUrl`, for example http://127.0.0.1:11434/v1.');
  const { openRemoteEmbedder } = await import('./embedding/remote/remoteEmbedder.ts');
  return openRemoteEmbedder({ baseUrl, model: name, apiKey });
}

async function openHubModel({ model, models, baseUrl, devices, importTransformers, log }: EmbedderChoice): Promise<Embedder> {
  const { openTransformersEmbedder } = await import('./embedding/transformers/transformersEmbedder.ts');
  return openTransformersEmbedder({ model, cacheFolder: models, allowDownload: true, mirrorUrl: baseUrl, devices, importTransformers, onDeviceFailed: (device, why) => log?.(`the model does not run on ${device}: ${why}`), onProgress: reportTo(log) });
}

/** An id that no folder here answers to, and that is in the table or says whose it is. */
function isDownloadable({ model, bundledModels, models, listFolder, isAbsolutePath }: EmbedderChoice): boolean {
  const name = nameOfId(model);
  if (isAbsolutePath(model) || model === 'bundled' || name === undefined || listFolder(bundledModels).includes(name) || listFolder(models).includes(name)) return false;
  return profileOf(model) !== undefined || /^[^/\s]+\/[^/\s]+$/.test(model);
}

/** One line for each tenth of a file. */
function reportTo(log: EmbedderChoice['log']): (progress: { file: string; loadedBytes: number; totalBytes: number }) => void {
  let last = '';
  return ({ file, loadedBytes, totalBytes }) => {
    const line = `downloading ${file}: ${totalBytes > 0 ? Math.floor((10 * loadedBytes) / totalBytes) * 10 : 0} %`;
    if (line !== last) log?.(line);
    last = line;
  };
}

/** What ships as a pair is used as a pair; why two: pairedEmbedder.ts. */
const ENGLISH = 'all-minilm-l6-v2';
const MULTILINGUAL = 'use-multilingual';

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
