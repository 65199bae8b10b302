/**
 * The index's file on disk: a small manifest that is renamed into place, and one of two data
 * files (`.a`, `.b`) that it names. A save writes the data file that is not in use, so a crash
 * leaves either the old pair or the new one, and never a third file.
 *
 * Whatever is wrong with either (gone, cut, flipped, another version) makes `load` answer with
 * the reason instead of an index; rows then serve.
 */
import { checksum } from './checksum.ts';
import type { PersistentVectorIndex } from './vectorIndex.ts';

/** File access, given by the host: the keeper itself knows no disk. */
export interface IndexFiles {
  /** Undefined when there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** A file that is not there is no error. */
  remove(path: string): Promise<void>;
}

export interface IndexStamp {
  readonly kind: 'exact' | 'hnsw';
  readonly embeddingVersion: string;
  readonly dimensions: number;
  readonly epoch: number;
  /** Which life of the store this belongs to; a restored backup starts another. */
  readonly generation: string;
}

interface Manifest extends IndexStamp {
  readonly format: 1;
  readonly vectors: number;
  readonly slot: 'a' | 'b';
  readonly sizeBytes: number;
  readonly checksum: string;
}

export type MakeIndex = (options: { dimensions: number; path?: string; capacity?: number }) => Promise<PersistentVectorIndex>;

export type LoadedIndex = { readonly index: PersistentVectorIndex; readonly stamp: IndexStamp } | { readonly reason: string };

const dataPath = (path: string, slot: 'a' | 'b'): string => `${path}.${slot}`;

function parseManifest(bytes: Uint8Array): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value !== 'object' || value === null) return undefined;
    const m = value as Partial<Manifest>;
    const whole = m.format === 1 && (m.kind === 'exact' || m.kind === 'hnsw') && (m.slot === 'a' || m.slot === 'b') && typeof m.embeddingVersion === 'string' && typeof m.generation === 'string'
      && [m.dimensions, m.epoch, m.vectors, m.sizeBytes].every((n) => Number.isSafeInteger(n)) && typeof m.checksum === 'string';
    return whole ? (m as Manifest) : undefined;
  } catch {
    // Not JSON: the manifest was cut or overwritten, which is the answer "no index".
    return undefined;
  }
}

export async function loadIndexFile(
  path: string,
  files: IndexFiles,
  expected: { embeddingVersion: string; dimensions: number; generation: string; storeEpoch: number; make: (kind: 'exact' | 'hnsw') => MakeIndex | undefined },
  pause: () => Promise<void>,
): Promise<LoadedIndex> {
  const manifestBytes = await files.read(path);
  if (manifestBytes === undefined) return { reason: 'no index file yet' };
  const manifest = parseManifest(manifestBytes);
  if (manifest === undefined) return { reason: 'the manifest is damaged' };
  if (manifest.embeddingVersion !== expected.embeddingVersion || manifest.dimensions !== expected.dimensions) return { reason: 'the file holds vectors of another embedding version' };
  if (manifest.generation !== expected.generation || manifest.epoch > expected.storeEpoch) return { reason: 'the file belongs to another state of the store' };
  const make = expected.make(manifest.kind);
  if (make === undefined) return { reason: `a ${manifest.kind} file is not wanted here` };
  const data = dataPath(path, manifest.slot);
  const bytes = await files.read(data);
  if (bytes === undefined) return { reason: 'the data file is gone' };
  if (bytes.byteLength !== manifest.sizeBytes || (await checksum(bytes, pause)) !== manifest.checksum) return { reason: 'the data file is damaged' };
  try {
    const index = await make({ dimensions: manifest.dimensions, path: data });
    if (index.size() === manifest.vectors) return { index, stamp: manifest };
    index.close();
    return { reason: 'the data file holds another number of vectors' };
  } catch (error) {
    // Whatever the reader says, rows can make the index again.
    return { reason: `the data file cannot be read (${error instanceof Error ? error.message : 'unknown'})` };
  }
}

export async function saveIndexFile(path: string, files: IndexFiles, index: PersistentVectorIndex, stamp: IndexStamp, pause: () => Promise<void>): Promise<void> {
  const previous = await files.read(path);
  const slot = (previous === undefined ? undefined : parseManifest(previous))?.slot === 'a' ? 'b' : 'a';
  const data = dataPath(path, slot);
  const vectors = index.size();
  await index.save(data);
  const bytes = await files.read(data);
  if (bytes === undefined) return;
  const manifest: Manifest = { format: 1, ...stamp, vectors, slot, sizeBytes: bytes.byteLength, checksum: await checksum(bytes, pause) };
  await files.write(`${path}.new`, new TextEncoder().encode(JSON.stringify(manifest)));
  await files.rename(`${path}.new`, path);
  await files.remove(dataPath(path, slot === 'a' ? 'b' : 'a'));
}

export async function removeIndexFile(path: string, files: IndexFiles): Promise<void> {
  for (const file of [path, dataPath(path, 'a'), dataPath(path, 'b'), `${path}.new`]) await files.remove(file);
}
