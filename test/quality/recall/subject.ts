/**
 * The product under measurement: an engine over fresh stores, filled through `rememberMany`
 * and asked through `recall`, as the command line does.
 */
import { CairnError } from '../../../src/base/errors.ts';
import type { Engine } from '../../../src/engine/engineFacade.ts';
import type { RecallMode, RememberInput } from '../../../src/engine/engineTypes.ts';
import type { Embedder } from '../../../src/engine/embedding/embedder.ts';
import { parseKind } from '../../../src/engine/model/kinds.ts';
import type { MemoryKind } from '../../../src/engine/model/kinds.ts';
import { splitText } from '../../../src/engine/text/split.ts';
import { openQualityEngine } from '../qualityEngine.ts';
import type { Corpus, CorpusMemory } from './corpus.ts';

const MAX_LENGTH = 8_000;
const ACTING = { actor: { surface: 'import' as const, clientId: 'quality' } };

function kindOf(name: string | undefined): MemoryKind {
  try {
    return parseKind(name ?? 'fact');
  } catch (error) {
    // Other tools have kinds of their own; what they hold is a fact.
    if (error instanceof CairnError) return 'fact';
    throw error;
  }
}

function toInput(memory: CorpusMemory, text: string): RememberInput {
  return {
    text,
    kind: kindOf(memory.kind),
    importance: 5,
    scope: { level: memory.user === true ? 'user' : 'repository' },
    pinned: memory.pinned === true,
    externalId: memory.id,
    consolidate: false,
    ...(memory.at === undefined ? {} : { createdAt: memory.at, validFrom: memory.at }),
    provenance: { via: 'import', clientId: 'quality' },
  };
}

export interface Subject {
  /** Corpus ids, best first, each once. */
  ask(question: string, mode: RecallMode, limit: number): Promise<string[]>;
  readonly engine: Engine;
  close(): Promise<void>;
}

export async function openSubject(corpus: Corpus, embedder: Embedder | undefined): Promise<Subject> {
  const { engine, close } = await openQualityEngine(embedder);
  const idOf = new Map<string, string>();
  const inputs = corpus.memories.flatMap((memory) => (memory.text.length > MAX_LENGTH ? splitText(memory.text, MAX_LENGTH) : [memory.text]).map((text) => toInput(memory, text)));
  for (let i = 0; i < inputs.length; i += 500) {
    const batch = inputs.slice(i, i + 500);
    for (const [j, result] of (await engine.rememberMany(batch, ACTING)).entries()) {
      const externalId = batch[j]?.externalId;
      if (!(result instanceof CairnError) && externalId !== undefined && !idOf.has(externalId)) idOf.set(externalId, result.id);
    }
  }
  for (const memory of corpus.memories) {
    const old = idOf.get(memory.id);
    const by = memory.supersededBy === undefined ? undefined : idOf.get(memory.supersededBy);
    if (old !== undefined && by !== undefined) await engine.edit(old, { status: 'superseded', supersededBy: by }, ACTING, { verb: 'supersede' });
  }
  if (embedder !== undefined) await engine.embedPending();
  return {
    engine,
    async ask(question, mode, limit) {
      const { results } = await engine.recall({ query: question, mode, limit, countUse: false });
      return [...new Set(results.map(({ memory }) => memory.externalId ?? memory.id))];
    },
    close,
  };
}
