/**
 * embeddings, backup, restoreBackup, relink: looking after what is stored.
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import { defineOperation } from './operation.ts';
import type { Engine, StoreSummary } from '../engine/index.ts';

const embeddingsInput = z.object({ action: z.enum(['status', 'backfill', 'switch']).optional() });

export type EmbeddingsOutput = Awaited<ReturnType<Engine['embeddingStatus']>> & { readonly embedded?: number; readonly dropped?: number };

export const embeddingsOperation = defineOperation<z.output<typeof embeddingsInput>, EmbeddingsOutput>({
  name: 'embeddings',
  description: 'State of search by meaning; backfill gives vectors to what has none; switch also removes those of other models when all are there.',
  input: embeddingsInput,
  effect: 'write',
  needsConsent: false,
  async run(context, { action }) {
    if (action === undefined || action === 'status') return context.engine.embeddingStatus();
    const embedded = await context.engine.embedPending(context.signal, ({ done, left }) => context.progress({ done, total: done + left }));
    const dropped = action === 'switch' ? await context.engine.dropOtherEmbeddings() : undefined;
    const status = await context.engine.embeddingStatus();
    if (action === 'switch' && status.version === undefined) throw new CairnError('EMBEDDING_FAILED', `The model does not serve: ${status.failure ?? 'search by meaning is off.'}`);
    return { ...status, embedded, ...(dropped === undefined ? {} : { dropped }) };
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

const restoreInput = z.object({
  path: z.string().min(1),
  /** Only says what would be replaced, and by what. */
  preview: z.boolean().optional(),
});

export interface RestoreOutput {
  readonly restored?: string;
  readonly plan?: { readonly role: 'repository' | 'user'; readonly backup: StoreSummary; readonly present?: StoreSummary };
}

export const restoreBackupOperation = defineOperation<z.output<typeof restoreInput>, RestoreOutput>({
  name: 'restoreBackup',
  description: 'Brings a backup back; the present store is set aside first.',
  input: restoreInput,
  effect: 'destructive',
  needsConsent: false,
  runsWithoutStore: true,
  async run(context, { path, preview }) {
    if (preview === true) return { plan: await context.host.planRestore(path) };
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
