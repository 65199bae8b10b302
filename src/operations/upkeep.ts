/**
 * embeddings, backup, restoreBackup, relink: looking after what is stored.
 */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import type { Engine } from '../engine/index.ts';

const embeddingsInput = z.object({ action: z.enum(['status', 'backfill']).optional() });

export type EmbeddingsOutput = Awaited<ReturnType<Engine['embeddingStatus']>> & { readonly embedded?: number };

export const embeddingsOperation = defineOperation<z.output<typeof embeddingsInput>, EmbeddingsOutput>({
  name: 'embeddings',
  description: 'State of search by meaning; backfill gives vectors to what has none.',
  input: embeddingsInput,
  effect: 'write',
  needsConsent: false,
  async run(context, { action }) {
    const embedded = action === 'backfill' ? await context.engine.embedPending(context.signal, ({ done, left }) => context.progress({ done, total: done + left })) : undefined;
    const status = await context.engine.embeddingStatus();
    return embedded === undefined ? status : { ...status, embedded };
  },
});

const backupInput = z.object({ list: z.boolean().optional() });

export interface BackupOutput {
  readonly made?: { readonly path: string };
  readonly backups: readonly { readonly path: string; readonly createdAt: number; readonly sizeBytes: number }[];
}

export const backupOperation = defineOperation<z.output<typeof backupInput>, BackupOutput>({
  name: 'backup',
  description: 'Makes a consistent copy while in use; old copies are kept with a limit.',
  input: backupInput,
  effect: 'write',
  needsConsent: false,
  runsWithoutStore: true,
  async run(context, { list }) {
    if (list !== true && context.storeFailure !== undefined) throw context.storeFailure;
    const made = list === true ? undefined : await context.host.backup('manual');
    return { made, backups: await context.host.listBackups() };
  },
});

const restoreInput = z.object({ path: z.string().min(1) });

export const restoreBackupOperation = defineOperation<z.output<typeof restoreInput>, { restored: string }>({
  name: 'restoreBackup',
  description: 'Brings a backup back; the present store is set aside first.',
  input: restoreInput,
  effect: 'destructive',
  needsConsent: false,
  runsWithoutStore: true,
  async run(context, { path }) {
    await context.host.restoreBackup(path);
    return { restored: path };
  },
});

const relinkInput = z.object({ from: z.string().min(1), to: z.string().min(1) });

export const relinkOperation = defineOperation<z.output<typeof relinkInput>, { movedMemories: number }>({
  name: 'relink',
  description: 'Makes two known repositories one.',
  input: relinkInput,
  effect: 'write',
  needsConsent: false,
  run: async (context, { from, to }) => context.host.relink(from, to),
});
