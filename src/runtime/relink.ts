/**
 * relink: two known repositories become one. Rows are copied with their ids, history and
 * records into the target's store; only then do the names of the source lead to the
 * target. Repeatable: a run that was interrupted goes on where it stopped. The source's
 * store ends among the target's backups, where a purge names it.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Episode, MemoryStore } from '../engine/index.ts';
import { backupName } from './backups.ts';
import type { Runtime } from './runtime.ts';

const PAGE = 200;
/** More than a repository gathers in years. */
const ALL = 1_000_000;

/** Both by id, name or path. Throws REPOSITORY_UNKNOWN, REPOSITORY_AMBIGUOUS. */
export async function relinkRepositories(runtime: Runtime, fromText: string, toText: string, cwd: string | undefined): Promise<{ movedMemories: number }> {
  const from = (await runtime.repositories.find(fromText, cwd)).repository;
  const to = (await runtime.repositories.find(toText, cwd)).repository;
  if (from.id === to.id) return { movedMemories: 0 };
  const hasStore = fs.existsSync(runtime.paths.repository(from.id).store);
  const movedMemories = hasStore ? await copyStoreInto(runtime, from, to) : 0;
  await (await runtime.registry()).merge(from.id, to.id);
  await runtime.dropEngines(from.id);
  if (hasStore) retireStore(runtime, from.id);
  return { movedMemories };
}

type Named = { readonly id: string; readonly name: string };

async function copyStoreInto(runtime: Runtime, from: Named, to: Named): Promise<number> {
  const [source, target] = [await runtime.holdEngine({ repository: { id: from.id, name: from.name } }), await runtime.holdEngine({ repository: { id: to.id, name: to.name } })];
  try {
    const [fromStore, toStore] = [source.engine.store('repository'), target.engine.store('repository')];
    if (fromStore === undefined || toStore === undefined) return 0;
    const moved = await copyMemories(runtime, fromStore, toStore, from.name);
    await copyEpisodes(fromStore, toStore);
    await copyObservations(fromStore, toStore);
    await copyRecords(fromStore, toStore);
    const folder = path.join(runtime.paths.backups, to.id);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    await fromStore.backup(path.join(folder, backupName(runtime, `relinked from ${from.name}`)));
    return moved;
  } finally {
    source.release();
    target.release();
  }
}

/** A copy lies among the backups by now. A file of it that is still open elsewhere (on Windows) stays until somebody removes it. */
function retireStore(runtime: Runtime, id: string): void {
  const { store, index } = runtime.paths.repository(id);
  try {
    for (const side of ['', '-wal', '-shm', '.state']) fs.rmSync(`${store}${side}`, { force: true });
    fs.rmSync(index, { recursive: true, force: true });
  } catch (error) {
    runtime.log.write('warning', 'the store of a relinked repository could not be removed', { store, error: error instanceof Error ? error.name : 'unknown' });
  }
}

async function copyMemories(runtime: Runtime, from: MemoryStore, to: MemoryStore, name: string): Promise<number> {
  const actId = runtime.ids.next();
  let copied = 0;
  for (let offset = 0; ; offset += PAGE) {
    const memories = await from.listMemories({}, { limit: PAGE, offset, order: 'created' });
    if (memories.length === 0) return copied;
    const present = new Set((await to.getMemories(memories.map(({ id }) => id))).map(({ id }) => id));
    const wanted: { memory: (typeof memories)[number]; chunks: string[]; past: Awaited<ReturnType<MemoryStore['history']>> }[] = [];
    for (const memory of memories) {
      if (present.has(memory.id) || (await to.tombstone(memory.id)) !== undefined) continue;
      wanted.push({ memory, chunks: (await from.getChunks(memory.id)).map(({ text }) => text), past: await from.history(memory.id) });
    }
    await to.write(async (writer) => {
      for (const { memory, chunks, past } of wanted) {
        await writer.insertMemory(memory, chunks, { changeId: runtime.ids.next(), actId, verb: 'edit', at: runtime.clock.now(), actor: { surface: 'policy', clientId: runtime.clientId }, reason: `Relinked from ${name}.` });
        await writer.putPastChanges(past);
      }
    });
    copied += wanted.length;
  }
}

async function copyObservations(from: MemoryStore, to: MemoryStore): Promise<void> {
  for (let offset = 0; ; offset += PAGE) {
    const { observations } = await from.listObservations({}, { limit: PAGE, offset });
    if (observations.length === 0) return;
    const missing: typeof observations = [];
    for (const observation of observations) if ((await to.getObservation(observation.id)) === undefined) missing.push(observation);
    await to.write(async (writer) => {
      for (const observation of missing) await writer.putObservation(observation);
    });
  }
}

/** What was given, spent, run and related; each has an id, so that a second run changes nothing. */
async function copyRecords(from: MemoryStore, to: MemoryStore): Promise<void> {
  const [relations, receipts, spend, jobs, templates] = await Promise.all([from.relations({}, ALL), from.receipts({}, { limit: ALL, offset: 0 }), from.spend({}), from.jobs({}, ALL), from.promptTemplates()]);
  await to.write(async (writer) => {
    for (const relation of relations) await writer.putRelation(relation);
    for (const receipt of receipts.toReversed()) await writer.putReceipt(receipt);
    for (const entry of spend) await writer.putSpend(entry);
    for (const job of jobs.toReversed()) await writer.putJob(job);
    for (const template of templates) await writer.putPromptTemplate(template);
  });
}

async function copyEpisodes(from: MemoryStore, to: MemoryStore): Promise<void> {
  for (let offset = 0; ; offset += PAGE) {
    const episodes: Episode[] = await from.listEpisodes({ limit: PAGE, offset });
    if (episodes.length === 0) return;
    for (const episode of episodes) {
      const turns = await from.getTurns(episode.sessionId);
      const extracted = turns.findLast((turn) => turn.extracted);
      await to.write(async (writer) => {
        await writer.putEpisode(episode);
        await writer.putTurns(turns);
        // What was read once is not read again.
        if (extracted !== undefined) await writer.markTurnsExtracted(episode.sessionId, (await writer.getTurns(episode.sessionId)).at(-1)?.sequence ?? 0);
      });
    }
  }
}
