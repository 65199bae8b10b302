/**
 * One writing and reading process of storeCrash.ts: arguments STORE LOG STOPFILE SEED. A line in the log
 * is written after the store acknowledged, and is in the file before the next write begins.
 */
import fs from 'node:fs';
import { isCairnError } from '../../src/base/errors.ts';
import { createIdSource } from '../../src/base/ids.ts';
import type { Memory } from '../../src/engine/model/memory.ts';
import { openSqliteStore } from '../../src/engine/storage/sqlite/openStore.ts';
import { sampleMemory } from './builders.ts';
import { createSeededRandom } from './seededRandom.ts';

const [storePath = '', logPath = '', stopFile = '', seed = '1'] = process.argv.slice(2);
const random = createSeededRandom(Number(seed));
const log = fs.openSync(logPath, 'a');
const note = (line: string): void => void fs.writeSync(log, `${line}\n`);
const clock = { now: () => Date.now() };
const ids = createIdSource(clock);

try {
  const store = await openSqliteStore({ path: storePath, role: 'repository', clock });
  const own: Memory[] = [];
  while (!fs.existsSync(stopFile)) {
    const change = { changeId: ids.next(), actId: ids.next(), verb: 'add', at: clock.now(), actor: { surface: 'cli' } } as const;
    const dice = random();
    const at = Math.floor(random() * own.length);
    const chosen = own[at];
    if (dice < 0.5 || chosen === undefined) {
      const memory = sampleMemory({ id: ids.next(), text: `quokka statement ${Math.floor(random() * 1e9)} of worker ${seed}`, tags: ['a', 'b'], anchors: [{ path: `src/${at}.ts` }] });
      await store.write((writer) => writer.insertMemory(memory, [memory.text], change));
      note(`wrote ${memory.id} 1`);
      own.push(memory);
    } else if (dice < 0.75) {
      const after = { ...chosen, version: chosen.version + 1, text: `${chosen.text} again` };
      await store.write((writer) => writer.replaceMemory(after, [after.text], { ...change, verb: 'edit' }));
      note(`wrote ${after.id} ${after.version}`);
      own[at] = after;
    } else if (dice < 0.8) {
      note(`purging ${chosen.id}`);
      await store.write((writer) => writer.purgeMemory(chosen.id, 'purged', clock.now()));
      note(`purged ${chosen.id}`);
      own.splice(at, 1);
    } else {
      const read = await store.getMemory(chosen.id);
      if (read?.version !== chosen.version) note(`STALE ${chosen.id}`);
      await store.searchText('quokka statement', {}, 5);
      await store.changedElsewhere();
    }
  }
  await store.close();
} catch (error) {
  note(isCairnError(error) ? `${error.code} ${error.message}` : `ERROR ${String(error)}`);
}
