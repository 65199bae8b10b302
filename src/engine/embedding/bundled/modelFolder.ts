/**
 * A model as it lies in its folder: model.json says what it is and how it wants to be used,
 * and carries size and SHA-256 of every file, so that a broken copy is found before its
 * vectors are believed.
 */
import { createHash } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnError } from '../../../base/errors.ts';

export interface ModelManifest {
  readonly format: 1;
  readonly id: string;
  readonly licence: string;
  readonly dimensions: number;
  /** Longest input, special tokens and prefix included. */
  readonly maxTokens: number;
  readonly pooling: 'mean' | 'cls';
  readonly prefixes: { readonly query: string; readonly passage: string };
  readonly tokenizer: { readonly kind: 'wordPiece' | 'unigram'; readonly file: string };
  readonly model: string;
  /** File beside `model` with its weights, where they are not part of it: the native runtime maps it instead of reading it. */
  readonly weights?: string;
  /** Float32 file with the mean vector of English, then of Chinese texts; see languageCentre.ts. */
  readonly centres?: string;
  /** What Chinese words mean in English, for a model that reads only English; see chineseLexicon.ts. */
  readonly lexicon?: string;
  /** What names of software are, for a model that does not know them; see knownNames.ts. */
  readonly names?: string;
  readonly files: Readonly<Record<string, { readonly sizeBytes: number; readonly sha256: string }>>;
}

export interface ModelFolder {
  readonly path: string;
  readonly manifest: ModelManifest;
  /** Changes when anything changes that moves vectors: weights, vocabulary, prefixes, pooling, truncation, centres, or how this program uses them. */
  readonly version: string;
}

// Changing how text becomes a vector (tokenizers, pooling, centring)? Raise this number: otherwise old vectors and new
// questions lie in different spaces and recall gets worse without one error. test/pins/embeddingVersion.test.ts watches.
const USE_VERSION = 1;

const PART_BYTES = 1 << 18;

/** Reads model.json. Throws MODEL_MISSING when there is none, MODEL_CORRUPT when it cannot be understood. */
export async function readModelFolder(path: string): Promise<ModelFolder> {
  let text: string;
  try {
    text = await readFile(join(path, 'model.json'), 'utf8');
  } catch (error) {
    throw new CairnError('MODEL_MISSING', `There is no model in ${path}: model.json cannot be read. Reinstall, or choose another model.`, { cause: error });
  }
  const manifest = parseManifest(text, path);
  const { id, dimensions, maxTokens, pooling, prefixes, tokenizer, files } = manifest;
  const hashes = Object.entries(files).map(([name, file]) => [name, file.sha256]).sort();
  const stamp = createHash('sha256').update(JSON.stringify([USE_VERSION, dimensions, maxTokens, pooling, prefixes.query, prefixes.passage, tokenizer.kind, hashes])).digest('hex');
  return { path, manifest, version: `${id}-${stamp.slice(0, 12)}` };
}

function parseManifest(text: string, path: string): ModelManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CairnError('MODEL_CORRUPT', `${join(path, 'model.json')} is not JSON.`, { cause: error });
  }
  const manifest = value as ModelManifest;
  const isUsable =
    manifest?.format === 1 && typeof manifest.id === 'string' && manifest.dimensions > 0 && manifest.maxTokens > 2 &&
    ['mean', 'cls'].includes(manifest.pooling) && typeof manifest.prefixes?.query === 'string' && typeof manifest.prefixes.passage === 'string' &&
    ['wordPiece', 'unigram'].includes(manifest.tokenizer?.kind) && [manifest.model, manifest.weights, manifest.tokenizer.file, manifest.centres, manifest.lexicon, manifest.names].every((name) => name === undefined || manifest.files?.[name] !== undefined);
  if (!isUsable) throw new CairnError('MODEL_CORRUPT', `${join(path, 'model.json')} does not describe a model that this version can use.`);
  return manifest;
}

/** Compares a file with its size and SHA-256. Throws MODEL_MISSING or MODEL_CORRUPT with the file's name. */
export async function verifyModelFile(folder: ModelFolder, name: string): Promise<void> {
  const file = join(folder.path, name);
  const expected = folder.manifest.files[name];
  let sha256: string;
  try {
    const { size } = await stat(file);
    if (size !== expected?.sizeBytes) throw corrupt(file, `has ${size} bytes instead of ${expected?.sizeBytes ?? 0}`);
    sha256 = await sha256Of(file);
  } catch (error) {
    if (error instanceof CairnError) throw error;
    throw new CairnError('MODEL_MISSING', `The model file ${file} cannot be read. Reinstall, or choose another model.`, { cause: error });
  }
  if (sha256 !== expected.sha256) throw corrupt(file, 'does not match its checksum');
}

/** Reads through one buffer: a stream makes a new one for each part, and a process does not give back for long what they took. */
async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(PART_BYTES);
  const handle = await open(file);
  try {
    for (;;) {
      const { bytesRead } = await handle.read(buffer);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/** A file's bytes after the check of `verifyModelFile`. */
export async function readModelFile(folder: ModelFolder, name: string): Promise<Buffer> {
  await verifyModelFile(folder, name);
  return readFile(join(folder.path, name));
}

const corrupt = (file: string, what: string): CairnError => new CairnError('MODEL_CORRUPT', `The model file ${file} ${what}. Reinstall it, or choose another model.`);
