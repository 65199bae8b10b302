/**
 * importMemories and exportMemories: one simple line format (JSON, one memory a line) in
 * and out. A bad line is refused with its number and code; the others are taken.
 */
import { z } from 'zod';
import { exportLines, parseImportLine } from '../engine/index.ts';
import type { RememberInput } from '../engine/index.ts';
import { filterFields, toFilters } from './fields.ts';
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
    let line = 0;
    for await (const text of context.host.readTextFile(path)) {
      line += 1;
      if (context.signal.aborted) throw new CairnError('CANCELLED', `Cancelled after line ${line - 1}; what was imported stays, run it again to go on.`);
      if (text === undefined) {
        refused.push({ line, code: 'TEXT_MALFORMED', message: 'Not UTF-8 text.' });
        continue;
      }
      const clean = line === 1 ? text.replace(/^\uFEFF/, '') : text;
      if (clean.trim() === '') continue;
      try {
        const inputs = parseImportLine(clean, context.clock.now());
        for (const one of inputs) batch.push({ line, input: importedInput(context, one, path, scope, consolidate) });
      } catch (error) {
        // A refused line is counted; a file of a later format, or a fault of ours, ends it.
        if (!(error instanceof CairnError) || error.code === 'FORMAT_TOO_NEW') throw error;
        refused.push({ line, code: error.code, message: error.message });
      }
      if (batch.length >= BATCH) {
        await flush();
        context.progress({ done: line, message: `${line} lines read` });
      }
    }
    await flush();
    return { ...counts, refused };
  },
});

function importedInput(context: OperationContext, input: Omit<RememberInput, 'provenance'> & { branch?: string; quote?: string }, path: string, scope: string | undefined, consolidate: boolean | undefined): RememberInput {
  const { branch, quote, ...rest } = input;
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
