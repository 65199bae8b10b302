/**
 * readWaiting: reads with the chosen model what waits for it: batches that a process queued
 * which cannot ask that model, and batches whose provider did not answer and may be asked again.
 * A host that lives on calls it now and then; without anything waiting it is one look into the store.
 */
import { z } from 'zod';
import type { ExtractionRun } from '../engine/index.ts';
import { defineOperation } from './operation.ts';

const nothing = z.object({});

export const readWaitingOperation = defineOperation<z.output<typeof nothing>, { run: ExtractionRun }>({
  name: 'readWaiting',
  description: 'Reads batches that wait for the chosen model.',
  input: nothing,
  effect: 'write',
  needsConsent: true,
  async run(context) {
    const mode = (await context.host.setting('capture.mode')).value;
    if (mode !== 'model' || (await context.host.isPaused())) return { run: { remembered: 0, proposed: 0, duplicates: 0, rejectedByGate: 0, waitingBatches: 0 } };
    return { run: await context.engine.extraction.runDue({ waiting: true, signal: context.signal, onProgress: (progress) => context.progress(progress) }) };
  },
});
