/**
 * Corpora in one normal form: memories, and questions with the memories that answer them.
 *
 * Our own sets lie in ../sets as text; of two memories whose names differ in `old` and `new` (旧, 新) at the end the second replaced the first, unlinked. Others are read from the folder in CAIRN_QUALITY_DATA:
 * each of its folders may hold a `load.mjs` whose `load(options)` gives
 * `{ name, corpus: [{ id, text, time?, status?, supersededBy?, pinned?, type?, user?, domains? }], queries: [{ id, text, category, relevantIds, forbiddenIds?, domains? }] }`.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface CorpusMemory {
  readonly id: string;
  readonly text: string;
  readonly at?: number;
  readonly kind?: string;
  readonly pinned?: boolean;
  /** Id of the memory that replaced it. */
  readonly supersededBy?: string;
  /** Seen everywhere: lives in the user's store. */
  readonly user?: boolean;
}

export interface CorpusQuestion {
  readonly id: string;
  readonly text: string;
  readonly category: string;
  readonly relevantIds: readonly string[];
  readonly forbiddenIds: readonly string[];
}

/** One repository with its memories and the questions asked in it. */
export interface Corpus {
  readonly name: string;
  readonly memories: readonly CorpusMemory[];
  readonly questions: readonly CorpusQuestion[];
}

const setsFolder = fileURLToPath(new URL('../sets/', import.meta.url));

function readSet(name: string, file: string): Corpus {
  const memories: CorpusMemory[] = [];
  const questions: CorpusQuestion[] = [];
  for (const line of fs.readFileSync(path.join(setsFolder, file), 'utf8').split('\n')) {
    const [what, ...rest] = line.split(' ');
    if (what === 'memories') memories.push(...readSet('', rest[0] ?? '').memories);
    if (what === 'm') memories.push({ id: rest[0] ?? '', at: Date.parse(rest[1] ?? ''), kind: rest[2] ?? 'fact', text: rest.slice(3).join(' ') });
    if (what === 'q') questions.push({ id: `q${questions.length + 1}`, category: rest[0] ?? '', relevantIds: rest[1] === '-' ? [] : (rest[1] ?? '').split(','), forbiddenIds: [], text: rest.slice(2).join(' ') });
  }
  return { name, memories, questions };
}

/** Memories that a newer one replaced without any link to it, with that one. */
export function unlinkedReplacements(memories: readonly CorpusMemory[]): Map<string, string> {
  const ids = new Set(memories.map(({ id }) => id));
  const pairs = [...ids].map((id): [string, string] => [id, id.replace(/old$/, 'new').replace(/旧$/, '新')]);
  return new Map(pairs.filter(([old, by]) => old !== by && ids.has(by)));
}

export const ownSets = (): Corpus[] => [
  readSet('own English', 'english.txt'),
  readSet('own Chinese', 'chinese.txt'),
  readSet('own Chinese, second', 'chineseSecond.txt'),
  readSet('own Chinese to English', 'chineseToEnglish.txt'),
  readSet('own English, second', 'englishSecond.txt'),
  readSet('own Chinese, third', 'chineseThird.txt'),
  readSet('own English, third', 'englishThird.txt'),
  readSet('own Chinese, fourth', 'chineseFourth.txt'),
];

interface LoadedMemory {
  id: string;
  text: string;
  time?: string | null;
  status?: string;
  supersededBy?: string | null;
  pinned?: boolean;
  type?: string;
  user?: string;
  domains?: string[];
}

interface LoadedQuestion {
  id: string;
  text: string;
  category?: string;
  relevantIds: string[];
  forbiddenIds?: string[];
  domains?: string[];
}

interface Loaded {
  name: string;
  corpus: LoadedMemory[];
  queries: LoadedQuestion[];
}

function toMemory(memory: LoadedMemory): CorpusMemory {
  const at = memory.time === undefined || memory.time === null ? undefined : Date.parse(memory.time);
  return {
    id: memory.id,
    text: memory.text,
    ...(at === undefined || Number.isNaN(at) ? {} : { at }),
    ...(memory.pinned === true ? { pinned: true } : {}),
    ...(memory.type === undefined ? {} : { kind: memory.type }),
    ...(memory.supersededBy === undefined || memory.supersededBy === null ? {} : { supersededBy: memory.supersededBy }),
    ...(memory.domains?.some((domain) => domain.startsWith('user:')) === true ? { user: true } : {}),
  };
}

/** Memories of several users and domains: each question sees those of its own user and domains, as one repository would. */
function byDomain({ name, corpus, queries }: Loaded): Corpus[] {
  const owners = new Map<string, number>();
  for (const { user } of corpus) owners.set(user ?? '', (owners.get(user ?? '') ?? 0) + 1);
  const owner = [...owners].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
  const groups = new Map<string, LoadedQuestion[]>();
  for (const query of queries) {
    const key = [...(query.domains ?? [])].sort().join('+');
    groups.set(key, [...(groups.get(key) ?? []), query]);
  }
  return [...groups].map(([key, asked]) => {
    const domains = new Set(key.split('+'));
    const seen = corpus.filter((memory) => (memory.user ?? '') === owner && (memory.domains ?? []).some((domain) => domains.has(domain) || domain.startsWith('user:')));
    const foreign = corpus.filter((memory) => !seen.includes(memory) || memory.status === 'superseded').map(({ id }) => id);
    return { name, memories: seen.map(toMemory), questions: asked.map((query) => ({ id: query.id, text: query.text, category: query.category ?? '', relevantIds: query.relevantIds, forbiddenIds: [...(query.forbiddenIds ?? []), ...foreign] })) };
  });
}

/** Ways to load a folder's corpus; unknown folders are loaded without options. */
const VARIANTS: Readonly<Record<string, readonly Record<string, string>[]>> = { cosqa: [{ split: 'dev' }] };

export async function foreignSets(folder: string | undefined): Promise<Corpus[]> {
  if (folder === undefined) return [];
  const corpora: Corpus[] = [];
  for (const name of fs.readdirSync(folder).sort()) {
    const loader = path.resolve(folder, name, 'load.mjs');
    if (!fs.existsSync(loader)) continue;
    const module = (await import(pathToFileURL(loader).href)) as { load: (options?: Record<string, string>) => Partial<Loaded> };
    for (const options of VARIANTS[name] ?? [{}]) {
      const loaded = module.load(options);
      if (loaded.corpus === undefined || loaded.queries === undefined || loaded.name === undefined) continue;
      const whole = loaded as Loaded;
      if (whole.queries.some((query) => query.domains !== undefined)) corpora.push(...byDomain(whole));
      else corpora.push({ name: whole.name, memories: whole.corpus.map(toMemory), questions: whole.queries.map((query) => ({ id: query.id, text: query.text, category: query.category ?? '', relevantIds: query.relevantIds, forbiddenIds: query.forbiddenIds ?? [] })) });
    }
  }
  return corpora;
}
