/**
 * The proof that processes sharing one store can be killed at any moment: workers write and note what was acknowledged,
 * a supervisor kills some of them at random and starts new ones, and in the end everything noted must be there.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { openSqliteStore } from '../../src/engine/storage/sqlite/openStore.ts';
import { FakeClock } from './fakeClock.ts';
import { createSeededRandom } from './seededRandom.ts';
import { waitUntil } from './waitUntil.ts';

export interface CrashPlan {
  readonly folder: string;
  readonly processes: number;
  /** The run ends after so many kills and acknowledged writes. */
  readonly kills: number;
  readonly acknowledged: number;
  readonly seed: number;
}

export interface CrashReport {
  readonly acknowledged: number;
  readonly killed: number;
  /** Acknowledged writes that are not in the store. */
  readonly lost: readonly string[];
  /** Error codes that workers met. */
  readonly errors: readonly string[];
  readonly problems: readonly string[];
  /** Memories whose history, tokens or epoch do not fit their row. */
  readonly inconsistent: readonly string[];
}

/** One file without TypeScript: a worker must start in a fraction of the time between two kills. */
async function bundleWorker(folder: string): Promise<string> {
  const outfile = path.join(folder, 'worker.mjs');
  await build({ entryPoints: [path.join(import.meta.dirname, 'storeCrashWorker.ts')], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node22', logLevel: 'error' });
  return outfile;
}

const logsIn = (folder: string): string[] => fs.readdirSync(folder).filter((name) => name.startsWith('log-')).map((name) => path.join(folder, name));
const linesIn = (file: string): string[] => fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);

export async function runCrashes(plan: CrashPlan): Promise<CrashReport> {
  const random = createSeededRandom(plan.seed);
  const worker = await bundleWorker(plan.folder);
  const storePath = path.join(plan.folder, 'memory.db');
  const stopFile = path.join(plan.folder, 'stop');
  const running = new Map<ChildProcess, Promise<unknown>>();
  let started = 0;
  let killed = 0;
  const start = (): void => {
    started += 1;
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', worker, storePath, path.join(plan.folder, `log-${started}`), stopFile, String(plan.seed + started)], { stdio: ['ignore', 'ignore', 'inherit'] });
    running.set(child, new Promise((resolve) => child.once('exit', resolve)));
  };
  const acknowledged = (): number => logsIn(plan.folder).reduce((sum, file) => sum + linesIn(file).length, 0);
  for (let i = 0; i < plan.processes; i += 1) start();
  await waitUntil(() => logsIn(plan.folder).filter((file) => linesIn(file).length > 0).length >= plan.processes, 'every worker to have written');
  while (killed < plan.kills || acknowledged() < plan.acknowledged) {
    await new Promise((resolve) => setTimeout(resolve, 20 + random() * 150));
    const victims = [...running.keys()];
    const victim = victims[Math.floor(random() * victims.length)];
    if (victim === undefined) continue;
    victim.kill('SIGKILL');
    killed += 1;
    await running.get(victim);
    running.delete(victim);
    start();
  }
  fs.writeFileSync(stopFile, '');
  await Promise.all(running.values());
  return { killed, ...(await verify(plan.folder, storePath)) };
}

async function verify(folder: string, storePath: string): Promise<Omit<CrashReport, 'killed'>> {
  const store = await openSqliteStore({ path: storePath, role: 'repository', clock: new FakeClock() });
  const lost: string[] = [];
  const errors: string[] = [];
  const inconsistent: string[] = [];
  const versions = new Map<string, number>();
  const purgeTried = new Set<string>();
  const purged = new Set<string>();
  let acknowledged = 0;
  for (const file of logsIn(folder)) {
    // A killed worker may leave half a line: it was not acknowledged.
    for (const line of linesIn(file)) {
      const [what, id = '', version = '0'] = line.split(' ');
      if (what === 'wrote') versions.set(id, Math.max(Number(version), versions.get(id) ?? 0));
      else if (what === 'purging') purgeTried.add(id);
      else if (what === 'purged') purged.add(id);
      else errors.push(line);
      if (what === 'wrote' || what === 'purged') acknowledged += 1;
    }
  }
  for (const [id, version] of versions) {
    const memory = await store.getMemory(id);
    if (memory === undefined) {
      if (!purgeTried.has(id) || (await store.tombstone(id)) === undefined) lost.push(`${id} at version ${version}`);
      continue;
    }
    if (memory.version < version) lost.push(`${id} at version ${version}, stored ${memory.version}`);
    const history = await store.history(id);
    if (history.length !== memory.version || history.at(-1)?.after.text !== memory.text) inconsistent.push(`${id}: history`);
    if ((await store.getChunks(id)).map((chunk) => chunk.text).join() !== memory.text) inconsistent.push(`${id}: chunks`);
    if (!(await store.searchText(memory.text, { ids: [id] }, 1)).some((hit) => hit.memoryId === id)) inconsistent.push(`${id}: text index`);
  }
  for (const id of purged) if ((await store.getMemory(id)) !== undefined) lost.push(`purge of ${id}`);
  const { problems } = await store.checkIntegrity();
  await store.close();
  return { acknowledged, lost, errors, problems, inconsistent };
}
