/**
 * getMemory, relatedMemories: one memory with everything around it: history, what it replaced and
 * what replaced it, whether its anchors still hold; and what stands near it.
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import type { MemoryDetail, RelatedMemory } from '../engine/index.ts';
import { idField } from './fields.ts';
import { defineOperation } from './operation.ts';
import type { OperationContext } from './operation.ts';

const input = z.object({ id: idField });

export const getMemoryOperation = defineOperation<z.output<typeof input>, MemoryDetail>({
  name: 'getMemory',
  description: 'Shows one memory with its history and neighbours.',
  input,
  effect: 'read',
  needsConsent: false,
  async run(context, { id }) {
    return hereOrElsewhere(context, id, async () => context.engine.get(id));
  },
});

export interface RelatedOutput {
  readonly related: readonly RelatedMemory[];
}

export const relatedMemoriesOperation = defineOperation<z.output<typeof input>, RelatedOutput>({
  name: 'relatedMemories',
  description: 'What stands near one memory: alike in meaning or words, of the same file, about the same thing.',
  input,
  effect: 'read',
  needsConsent: false,
  run: async (context, { id }) => ({ related: await hereOrElsewhere(context, id, async () => context.engine.related(id, context.view, context.signal)) }),
});

/** Turns "unknown here" into ID_OF_OTHER_REPOSITORY when another registered repository holds the id; never shows its text. */
export async function hereOrElsewhere<T>(context: OperationContext, id: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'ID_UNKNOWN') throw error;
    const unknown = typeof error.data?.['id'] === 'string' ? error.data['id'] : id;
    for (const entry of await context.host.listRepositories()) {
      if (entry.id === context.repository?.id) continue;
      const opened = await context.host.openRepository(entry.id).catch(() => undefined); // A store that cannot be opened cannot answer.
      if (opened !== undefined && (await opened.engine.holds(unknown))) {
        throw new CairnError('ID_OF_OTHER_REPOSITORY', `Memory ${unknown} belongs to ${entry.name}. Add --project ${entry.name} if you mean that one.`, { data: { id: unknown, repository: entry.name } });
      }
    }
    throw error;
  }
}
