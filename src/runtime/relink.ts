/**
 * relink: two known repositories become one. Rows are copied with their ids into the
 * target's store; only then do the names of the source lead to the target. Repeatable: a
 * run that was interrupted goes on where it stopped. The source's files stay where they are.
 */
import fs from 'node:fs';
import type { Episode, MemoryStore } from '../engine/index.ts';
import type { Runtime } from './runtime.ts';

const PAGE = 200;

/** Both by id, name or path. Throws REPOSITORY_UNKNOWN, REPOSITORY_AMBIGUOUS. */
export async function relinkRepositories(runtime: Runtime, fromText: string, toText: string, cwd: string | undefined): Promise<{ movedMemories: number }> {
  const from = (await runtime.repositories.find(fromText, cwd)).repository;
  const to = (await runtime.repositories.find(toText, cwd)).repository;
  if (from.id === to.id) return { movedMemories: 0 };
  let movedMemories = 0;
  if (fs.existsSync(runtime.paths.repository(from.id).store)) {
    const [source, target] = [await runtime.holdEngine({ repository: { id: from.id, name: from.name } }), await runtime.holdEngine({ repository: { id: to.id, name: to.name } })];
    try {
      const [fromStore, toStore] = [source.engine.store('repository'), target.engine.store('repository')];
      if (fromStore !== undefined && toStore !== undefined) movedMemories = await copyRows(runtime, fromStore, toStore, from.name);
    } finally {
      source.release();
      target.release();
    }
  }
  await (await runtime.registry()).merge(from.id, to.id);
  await runtime.dropEngines(from.id);
  return { movedMemories };
}

async function copyRows(runtime: Runtime, from: MemoryStore, to: MemoryStore, name: string): Promise<number> {
  const actId = runtime.ids.next();
  let copied = 0;
  for (let offset = 0; ; offset += PAGE) {
    const { memories } = await from.listMemories({}, { limit: PAGE, offset, order: 'created' });
    if (memories.length === 0) break;
    const present = new Set((await to.getMemories(memories.map(({ id }) => id))).map(({ id }) => id));
    const wanted: { memory: (typeof memories)[number]; chunks: string[] }[] = [];
    for (const memory of memories) {
      if (present.has(memory.id) || (await to.tombstone(memory.id)) !== undefined) continue;
      wanted.push({ memory, chunks: (await from.getChunks(memory.id)).map(({ text }) => text) });
    }
    await to.write(async (writer) => {
      for (const { memory, chunks } of wanted) {
        await writer.insertMemory(memory, chunks, { changeId: runtime.ids.next(), actId, verb: 'add', at: runtime.clock.now(), actor: { surface: 'policy', clientId: runtime.clientId }, reason: `Relinked from ${name}.` });
      }
    });
    copied += wanted.length;
  }
  await copyEpisodes(from, to);
  for (let offset = 0; ; offset += PAGE) {
    const { observations } = await from.listObservations({}, { limit: PAGE, offset });
    if (observations.length === 0) break;
    const missing: typeof observations = [];
    for (const observation of observations) if ((await to.getObservation(observation.id)) === undefined) missing.push(observation);
    await to.write(async (writer) => {
      for (const observation of missing) await writer.putObservation(observation);
    });
  }
  const relations = await from.relations({}, 100_000);
  await to.write(async (writer) => {
    for (const relation of relations) await writer.putRelation(relation);
  });
  return copied;
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
