/**
 * Registry: which paths, remotes and root commits mean which repository, for this user.
 * One SQLite file, since several processes write it. Decisions are identity.ts's; here
 * they are looked up, made durable, and undone by `relink`. A lost or damaged file is made
 * again from the cards beside the stores.
 */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CairnError } from '../base/errors.ts';
import type { IdSource } from '../base/ids.ts';
import type { Clock } from '../base/clock.ts';
import { openSqliteDatabase, type SqliteDatabase } from '../engine/index.ts';
import { type Alias, aliasesOf, type AliasKind, type IdentityFacts, type KnownRepository, resolveIdentity, type Verdict } from './identity.ts';
import { tryAcquireLease } from './lease.ts';
import type { PathSystem } from './pathKeys.ts';
import { hasCard, readCards, removeCard, type RepositoryCard, writeCard } from './registryCards.ts';

export interface RegisteredRepository {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** Native roots seen, newest first. */
  readonly paths: readonly string[];
  readonly aliases: readonly Alias[];
}

export interface RegistryOptions {
  readonly file: string;
  /** Folder of the stores, where the cards lie. */
  readonly repositories: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly system: PathSystem;
}

const SCHEMA_VERSION = 1;
const SCHEMA = `
CREATE TABLE IF NOT EXISTS repository (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS alias (kind TEXT NOT NULL, value TEXT NOT NULL, repository_id TEXT NOT NULL REFERENCES repository(id), PRIMARY KEY (kind, value)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS alias_of_repository ON alias (repository_id);
CREATE TABLE IF NOT EXISTS root_path (path TEXT NOT NULL, repository_id TEXT NOT NULL REFERENCES repository(id), seen_at INTEGER NOT NULL, PRIMARY KEY (path, repository_id)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS merged_repository (from_id TEXT PRIMARY KEY, to_id TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS session_pause (session_id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA user_version = ${SCHEMA_VERSION};
`;
/** One entry per session that was ever paused; older ones cannot be running. */
const PAUSE_KEPT_MS = 30 * 86_400_000;
const SEEN_EVERY_MS = 60_000;

export class Registry {
  readonly #database: SqliteDatabase;
  readonly #options: RegistryOptions;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(database: SqliteDatabase, options: RegistryOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** What the facts mean to the registry as it is; writes nothing. */
  resolve(facts: IdentityFacts, lacksCommit?: (commit: string) => boolean): Verdict {
    return resolveIdentity(facts, this.#options.system, this.#knownBy(aliasesOf(facts, this.#options.system)), lacksCommit);
  }

  ownerOfFolder(folderKey: string): string | undefined {
    const id = this.#database.value("SELECT repository_id FROM alias WHERE kind = 'folder' AND value = ?", [folderKey]);
    return typeof id === 'string' ? id : undefined;
  }

  /** The root commits that the repository at this place had, for the question whether they are still there. */
  rootCommitsAt(facts: IdentityFacts): string[] {
    return this.#knownBy(aliasesOf(facts, this.#options.system)).flatMap(({ aliases }) => aliases.filter(({ kind }) => kind === 'root-commit').map(({ value }) => value));
  }

  /** Resolves again under the write lock and keeps what was learned, so that two processes never register one repository twice. */
  async register(facts: IdentityFacts, name: string, lacksCommit?: (commit: string) => boolean): Promise<{ repository: RegisteredRepository; isNew: boolean; forkOf?: string }> {
    const now = this.#options.clock.now();
    const { verdict, id } = await this.#write(() => {
      const made = this.resolve(facts, lacksCommit);
      const repositoryId = made.kind === 'known' ? made.id : this.#options.ids.next();
      if (made.kind === 'new') this.#database.run('INSERT INTO repository (id, name, created_at, last_used_at) VALUES (?, ?, ?, ?)', [repositoryId, name, now, now]);
      this.#learn(repositoryId, made.kind === 'new' ? made.aliases : made.learn);
      this.#noteSeen(repositoryId, facts.root, now);
      return { verdict: made, id: repositoryId };
    });
    this.#keepCard(id);
    return { repository: this.require(id), isNew: verdict.kind === 'new', ...(verdict.kind === 'new' && verdict.forkOf !== undefined ? { forkOf: verdict.forkOf } : {}) };
  }

  /** Keeps new names and the time of use of a known repository; at most one write a minute when nothing is new. */
  async noteUse(id: string, facts: IdentityFacts, learn: readonly Alias[]): Promise<void> {
    const now = this.#options.clock.now();
    const seen = this.#database.value('SELECT seen_at FROM root_path WHERE path = ? AND repository_id = ?', [facts.root, id]);
    if (learn.length === 0 && typeof seen === 'number' && Math.abs(now - seen) < SEEN_EVERY_MS) return;
    await this.#write(() => {
      this.#learn(id, learn);
      this.#noteSeen(id, facts.root, now);
    });
    if (learn.length > 0 || seen === undefined || !hasCard(this.#options.repositories, id)) this.#keepCard(id);
  }

  list(): RegisteredRepository[] {
    return this.#database.all('SELECT id FROM repository ORDER BY last_used_at DESC, id').map(({ id }) => this.require(String(id)));
  }

  get(id: string): RegisteredRepository | undefined {
    const followed = this.#database.value('SELECT to_id FROM merged_repository WHERE from_id = ?', [id]);
    const row = this.#database.get('SELECT id, name, created_at, last_used_at FROM repository WHERE id = ?', [typeof followed === 'string' ? followed : id]);
    if (row === undefined) return undefined;
    const found = String(row['id']);
    return {
      id: found, name: String(row['name']), createdAt: Number(row['created_at']), lastUsedAt: Number(row['last_used_at']),
      paths: this.#database.all('SELECT path FROM root_path WHERE repository_id = ? ORDER BY seen_at DESC, path', [found]).map(({ path }) => String(path)),
      aliases: this.#aliasesOf(found),
    };
  }

  /** Other repositories that this working tree may be meant by: of the same history (a fork), or in the same folder before. */
  kinOf(id: string, facts: IdentityFacts): { repository: RegisteredRepository; by: 'history' | 'folder' }[] {
    const byHistory = this.#database.all("SELECT repository_id FROM alias WHERE kind = 'root-commit' AND value = ?", [facts.rootCommit ?? '']);
    const byFolder = this.#database.all('SELECT repository_id FROM root_path WHERE path = ?', [facts.root]);
    const kin = new Map<string, 'history' | 'folder'>();
    for (const [by, rows] of [['history', byHistory], ['folder', byFolder]] as const) for (const row of rows) if (String(row['repository_id']) !== id && !kin.has(String(row['repository_id']))) kin.set(String(row['repository_id']), by);
    return [...kin].map(([other, by]) => ({ repository: this.require(other), by }));
  }

  /** Ids of repositories that were made one with this. */
  formerIds(id: string): string[] {
    return this.#database.all('SELECT from_id FROM merged_repository WHERE to_id = ? ORDER BY from_id', [id]).map((row) => String(row['from_id']));
  }

  require(id: string): RegisteredRepository {
    const found = this.get(id);
    if (found === undefined) throw new CairnError('REPOSITORY_UNKNOWN', `No repository "${id}" is registered. \`cairn project --global\` lists those that are.`, { data: { repository: id } });
    return found;
  }

  /** By id, else by name, else by the end of a remote (`org/app`). Throws REPOSITORY_AMBIGUOUS; undefined when nothing fits. */
  find(text: string): RegisteredRepository | undefined {
    const wanted = text.trim();
    const byId = this.get(wanted) ?? this.get(wanted.toUpperCase());
    if (byId !== undefined) return byId;
    const folded = wanted.toLowerCase().replace(/\.git$/, '');
    const all = this.list();
    const called = (name: string): RegisteredRepository[] => all.filter(({ aliases }) => aliases.some(({ kind, value }) => kind === 'name' && value === name));
    for (const matches of [all.filter(({ name }) => name === wanted), all.filter(({ name }) => name.toLowerCase() === folded), called(wanted), all.filter((repository) => repository.aliases.some(({ kind, value }) => kind === 'remote' && value.toLowerCase().endsWith(`/${folded}`)))]) {
      if (matches.length === 1) return matches[0];
      if (matches.length > 1) throw new CairnError('REPOSITORY_AMBIGUOUS', `"${text}" names several repositories: ${matches.map((match) => `${match.id} (${match.paths[0] ?? 'no path'})`).join(', ')}. Use the id.`, { data: { repository: text, ids: matches.map(({ id }) => id) } });
    }
    return undefined;
  }

  async rename(id: string, name: string): Promise<void> {
    await this.#write(() => this.#database.run('UPDATE repository SET name = ? WHERE id = ?', [name, id]));
    this.#keepCard(id);
  }

  /** All names of `fromId` now lead to `toId`; the old id stays known as another name of it. */
  async merge(fromId: string, toId: string): Promise<void> {
    const from = this.require(fromId);
    const to = this.require(toId);
    if (from.id === to.id) return;
    await this.#write(() => {
      this.#database.run('UPDATE alias SET repository_id = ? WHERE repository_id = ?', [to.id, from.id]);
      this.#database.run('UPDATE OR REPLACE root_path SET repository_id = ? WHERE repository_id = ?', [to.id, from.id]);
      this.#database.run('UPDATE merged_repository SET to_id = ? WHERE to_id = ?', [to.id, from.id]);
      this.#database.run('INSERT OR REPLACE INTO merged_repository (from_id, to_id, at) VALUES (?, ?, ?)', [from.id, to.id, this.#options.clock.now()]);
      if (from.name !== to.name) this.#learn(to.id, [{ kind: 'name', value: from.name }]);
      this.#database.run('DELETE FROM repository WHERE id = ?', [from.id]);
    });
    this.#keepCard(to.id);
    removeCard(this.#options.repositories, from.id);
  }

  /** Makes a repository of its own of this working tree: its place no longer leads to where it led. */
  async separate(facts: IdentityFacts, name: string): Promise<RegisteredRepository> {
    const now = this.#options.clock.now();
    const id = this.#options.ids.next();
    await this.#write(() => {
      this.#database.run('INSERT INTO repository (id, name, created_at, last_used_at) VALUES (?, ?, ?, ?)', [id, name, now, now]);
      const place = aliasesOf(facts, this.#options.system).filter(({ kind }) => kind === 'git-dir' || kind === 'folder' || kind === 'file-id');
      this.#learn(id, place);
      this.#database.run('DELETE FROM root_path WHERE path = ?', [facts.root]);
      this.#noteSeen(id, facts.root, now);
    });
    for (const each of this.list()) this.#keepCard(each.id);
    return this.require(id);
  }

  isSessionPaused(sessionId: string): boolean {
    return this.#database.get('SELECT 1 FROM session_pause WHERE session_id = ?', [sessionId]) !== undefined;
  }

  async setSessionPaused(sessionId: string, paused: boolean): Promise<void> {
    const now = this.#options.clock.now();
    await this.#write(() => {
      this.#database.run('DELETE FROM session_pause WHERE session_id = ? OR at < ?', [sessionId, now - PAUSE_KEPT_MS]);
      if (paused) this.#database.run('INSERT INTO session_pause (session_id, at) VALUES (?, ?)', [sessionId, now]);
    });
  }

  /** Takes what the cards say into a registry that was just made. */
  async readCards(): Promise<void> {
    const cards = readCards(this.#options.repositories);
    if (cards.length === 0) return;
    await this.#write(() => {
      for (const card of cards) this.#takeCard(card);
    });
  }

  close(): void {
    this.#database.close();
  }

  #takeCard({ id, name, createdAt, paths, aliases, formerIds }: RepositoryCard): void {
    this.#database.run('INSERT OR IGNORE INTO repository (id, name, created_at, last_used_at) VALUES (?, ?, ?, ?)', [id, name, createdAt, createdAt]);
    for (const { kind, value } of aliases) this.#database.run('INSERT OR IGNORE INTO alias (kind, value, repository_id) VALUES (?, ?, ?)', [kind, value, id]);
    for (const [i, root] of paths.entries()) this.#database.run('INSERT OR IGNORE INTO root_path (path, repository_id, seen_at) VALUES (?, ?, ?)', [root, id, createdAt - i]);
    for (const former of formerIds) this.#database.run('INSERT OR IGNORE INTO merged_repository (from_id, to_id, at) VALUES (?, ?, ?)', [former, id, createdAt]);
  }

  #keepCard(id: string): void {
    const { name, createdAt, paths, aliases } = this.require(id);
    writeCard(this.#options.repositories, { format: 1, id, name, createdAt, paths: [...paths], aliases: [...aliases], formerIds: this.formerIds(id) });
  }

  #knownBy(aliases: readonly Alias[]): KnownRepository[] {
    const ids = new Set<string>();
    for (const { kind, value } of aliases) {
      const id = this.#database.value('SELECT repository_id FROM alias WHERE kind = ? AND value = ?', [kind, value]);
      if (typeof id === 'string') ids.add(id);
    }
    return [...ids].map((id) => ({ id, aliases: this.#aliasesOf(id) }));
  }

  #aliasesOf(id: string): Alias[] {
    return this.#database.all('SELECT kind, value FROM alias WHERE repository_id = ? ORDER BY kind, value', [id]).map(({ kind, value }) => ({ kind: String(kind) as AliasKind, value: String(value) }));
  }

  #learn(id: string, aliases: readonly Alias[]): void {
    for (const { kind, value } of aliases) {
      // A place changes hands when something else is put there; a remote or a history does not.
      const verb = kind === 'remote' || kind === 'root-commit' ? 'INSERT OR IGNORE' : 'INSERT OR REPLACE';
      this.#database.run(`${verb} INTO alias (kind, value, repository_id) VALUES (?, ?, ?)`, [kind, value, id]);
    }
  }

  /** One connection, one transaction: calls that a server answers at the same time write one after the other. */
  async #write<T>(work: () => T): Promise<T> {
    const write = this.#writing.then(() => this.#database.transaction(work));
    this.#writing = write.catch(() => undefined); // its caller is told
    return write;
  }

  #noteSeen(id: string, root: string, now: number): void {
    this.#database.run('INSERT OR REPLACE INTO root_path (path, repository_id, seen_at) VALUES (?, ?, ?)', [root, id, now]);
    this.#database.run('UPDATE repository SET last_used_at = ? WHERE id = ?', [now, id]);
  }
}

/**
 * Opens the registry, making it if need be: from the cards, where its file is new or was
 * damaged (then it is set aside). A home that cannot be written is opened for reading.
 * Throws STORE_* codes and SCHEMA_TOO_NEW.
 */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const database = await openWhole(options);
  const version = Number(database.value('PRAGMA user_version') ?? 0);
  if (version > SCHEMA_VERSION) {
    database.close();
    throw new CairnError('SCHEMA_TOO_NEW', `${options.file} was written by a newer Cairn. Update this program.`, { data: { file: options.file, version } });
  }
  const registry = new Registry(database, options);
  if (version < SCHEMA_VERSION && database.mode === 'write') {
    await database.transaction(() => database.exec(SCHEMA));
    await registry.readCards();
  }
  return registry;
}

const REPAIR_TRIES = 20;
const REPAIR_PAUSE_MS = 100;

/** One process at a time puts a damaged file aside; the others find the new one. */
async function openWhole({ file, clock }: RegistryOptions): Promise<SqliteDatabase> {
  for (let attempt = 1; ; attempt += 1) {
    const repairing = attempt === 1 ? undefined : tryAcquireLease(`${file}.repair`);
    try {
      return await openChecked(file);
    } catch (error) {
      if (!(error instanceof CairnError) || error.code !== 'STORE_CORRUPT' || attempt > REPAIR_TRIES) throw error;
      if (repairing !== undefined) setAside(file, clock.now(), error);
      else if (attempt > 1) await sleep(REPAIR_PAUSE_MS);
    } finally {
      repairing?.dispose();
    }
  }
}

/** The file is small: every page is looked at. Throws STORE_CORRUPT. */
async function openChecked(file: string): Promise<SqliteDatabase> {
  const database = await openWritableElseReadable(file);
  let answer: unknown;
  try {
    answer = database.value('PRAGMA quick_check(1)');
  } catch (error) {
    answer = error instanceof Error ? error.message : String(error); // too damaged to be checked
  }
  if (answer === 'ok') return database;
  database.close();
  throw new CairnError('STORE_CORRUPT', `The registry of repositories ${file} is damaged (${String(answer)}). Make its folder writable, and it is made again from the stores; no memory is lost.`, { data: { path: file } });
}

async function openWritableElseReadable(file: string): Promise<SqliteDatabase> {
  try {
    return await openSqliteDatabase(file);
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'STORE_READ_ONLY') throw error;
    return openReadOnly(file, error);
  }
}

/** Throws the damage itself where the file cannot be moved. */
function setAside(file: string, now: number, damage: CairnError): void {
  const target = `${file}.damaged-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  try {
    for (const side of ['', '-wal', '-shm']) if (fs.existsSync(`${file}${side}`)) fs.renameSync(`${file}${side}`, `${target}${side}`);
  } catch {
    throw damage;
  }
}

async function openReadOnly(file: string, readOnly: CairnError): Promise<SqliteDatabase> {
  try {
    return await openSqliteDatabase(file, { mode: 'read' });
  } catch {
    try {
      return await openSqliteDatabase(file, { mode: 'immutable' });
    } catch {
      throw readOnly; // there is nothing to read: that it cannot be made is the reason to tell
    }
  }
}
