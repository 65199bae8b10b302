/**
 * Repair of a store that was found damaged and set aside [O2]: brings back the larger of
 * what can be salvaged from the damaged file and what the newest whole backup holds. The
 * damaged file is kept. Only where neither gives anything does a new empty store begin,
 * and the outcome says so.
 */
import type { Clock } from '../../../base/clock.ts';
import { acceptEmptyStore, checkStoreFile, listBackups, restoreBackup } from './backup.ts';
import { countSalvageable, salvageStore } from './salvage.ts';
import { listSetAside } from './storeFiles.ts';

export interface StoreRepair {
  readonly how: 'salvaged' | 'backup' | 'empty';
  readonly memories: number;
  /** The file it was taken from. */
  readonly from?: string;
}

/** No process should have the store open. Throws STORE_* codes; then nothing was changed. */
export async function repairStore(storePath: string, options: { clock: Clock; backupFolder?: string }): Promise<StoreRepair> {
  let backup: { path: string; memories: number } | undefined;
  for (const candidate of listBackups(storePath, options.backupFolder)) {
    if ((await checkStoreFile(candidate.path)).length > 0) continue;
    backup = { path: candidate.path, memories: await countSalvageable(candidate.path) };
    break;
  }
  const damaged = listSetAside(storePath)[0];
  const salvageable = damaged === undefined ? 0 : await countSalvageable(damaged);
  if (damaged !== undefined && salvageable > 0 && salvageable >= (backup?.memories ?? 0)) {
    const { memories } = await salvageStore(damaged, storePath, { clock: options.clock });
    return { how: 'salvaged', memories, from: damaged };
  }
  if (backup !== undefined) {
    await restoreBackup(backup.path, storePath, { clock: options.clock });
    return { how: 'backup', memories: backup.memories, from: backup.path };
  }
  acceptEmptyStore(storePath);
  return { how: 'empty', memories: 0 };
}
