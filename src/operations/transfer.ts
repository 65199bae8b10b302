/**
 * importMemories and exportMemories: one simple line format (JSON, one memory a line) out and in; in also the JSON that
 * other tools export. A bad record is refused with its number and code; the others are taken.
 */
import { z } from 'zod';
import { exportLines, parseImportRecord } from '../engine/index.ts';
import type { ImportedInput, RememberInput } from '../engine/index.ts';
import { filterFields, toFilters } from './fields.ts';
import { importEntries } from './importEntries.ts';
import { defineOperation } from './operation.ts';
import type { OperationContext } from './operation.ts';
import { checkAnchor } from './remember.ts';
import { CairnError } from '../base/errors.ts';

const importInput = z.object({
  path: z.string().min(1),
  format: z.enum(['jsonl']).optional(),
  consolidate: z.boolean().optional(),
  /** Scope for lines that name none. */
  scope: z.enum(['user', 'repository']).optional(),
});

export interface ImportOutput {
  readonly added: number;
  readonly merged: number;
  readonly superseded: number;
  readonly duplicate: number;
  readonly refused: readonly { readonly line: number; readonly code: string; readonly message: string }[];
}

const BATCH = 500;

export const importMemoriesOperation = defineOperation<z.output<typeof importInput>, ImportOutput>({
  name: 'importMemories',
  description: 'Imports memories from a JSONL file.',
  input: importInput,
  effect: 'write',
  needsConsent: false,
  async run(context, { path, consolidate, scope }) {
    const counts = { added: 0, merged: 0, superseded: 0, duplicate: 0 };
    const refused: { line: number; code: string; message: string }[] = [];
    let batch: { line: number; input: RememberInput }[] = [];
    const flush = async (): Promise<void> => {
      const results = await context.engine.rememberMany(batch.map(({ input }) => input), { actor: context.actor, reason: 'Import.' });
      for (const [i, result] of results.entries()) {
        if (result instanceof CairnError) refused.push({ line: batch[i]?.line ?? 0, code: result.code, message: result.message });
        else if (result.outcome === 'merged' || result.outcome === 'superseded' || result.outcome === 'duplicate') counts[result.outcome] += 1;
        else counts.added += 1;
      }
      batch = [];
    };
    let read = 0;
    for await (const { line, record, problem } of importEntries(context.host.readTextFile(path))) {
      if (context.signal.aborted) throw new CairnError('CANCELLED', `Cancelled after ${read} records; what was imported stays, run it again to go on.`);
      read += 1;
      try {
        if (problem !== undefined) throw problem;
        for (const one of parseImportRecord(record, context.clock.now())) batch.push({ line, input: importedInput(context, one, path, scope, consolidate) });
      } catch (error) {
        // A refused record is counted; a file of a later format, or a fault of ours, ends it.
        if (!(error instanceof CairnError) || error.code === 'FORMAT_TOO_NEW') throw error;
        refused.push({ line, code: error.code, message: error.message });
      }
      if (batch.length >= BATCH) {
        await flush();
        context.progress({ done: read, message: `${read} records read` });
      }
    }
    await flush();
    return { ...counts, refused };
  },
});

function importedInput(context: OperationContext, { branch, quote, ...rest }: ImportedInput, path: string, scope: string | undefined, consolidate: boolean | undefined): RememberInput {
  const fallback = scope === 'user' || context.repository === undefined ? ({ level: 'user' } as const) : ({ level: 'repository' } as const);
  return {
    ...rest,
    scope: rest.scope ?? fallback,
    anchors: rest.anchors?.map((anchor) => checkAnchor(anchor)),
    consolidate,
    provenance: { via: 'import', importedFrom: path.split(/[\\/]/).pop(), clientId: context.host.clientId, branch, quote, saidAt: rest.createdAt },
  };
}

const { path: anchoredAt, ...otherFilters } = filterFields;
const exportInput = z.object({
  /** File to write; without one the lines are returned. */
  path: z.string().optional(),
  anchoredAt,
  format: z.enum(['jsonl']).optional(),
  ...otherFilters,
});

export const exportMemoriesOperation = defineOperation<z.output<typeof exportInput>, { exported: number; lines?: readonly string[] }>({
  name: 'exportMemories',
  description: 'Exports memories as JSONL; the same fields that import takes.',
  input: exportInput,
  effect: 'read',
  needsConsent: false,
  async run(context, given) {
    const lines: string[] = [];
    for await (const line of exportLines(context.engine, toFilters(context, { ...given, path: given.anchoredAt }), context.signal)) lines.push(line);
    if (given.path === undefined) return { exported: lines.length, lines };
    await context.host.writeTextFile(given.path, lines);
    return { exported: lines.length };
  },
});
