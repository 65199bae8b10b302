/**
 * The product under measurement: an engine over fresh stores, filled through `rememberMany`
 * and asked through `recall`, as the command line does.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createIdSource } from '../../../src/base/ids.ts';
import { CairnError } from '../../../src/base/errors.ts';
import { openEngine } from '../../../src/engine/engine.ts';
import type { Engine } from '../../../src/engine/engineFacade.ts';
import { DEFAULT_ENGINE_CONFIG } from '../../../src/engine/engineOptions.ts';
import type { RecallMode, RememberInput } from '../../../src/engine/engineTypes.ts';
import type { Embedder } from '../../../src/engine/embedding/embedder.ts';
import { createLazyEmbedderSource, noEmbedderSource } from '../../../src/engine/embedding/embedderSource.ts';
import { parseKind } from '../../../src/engine/model/kinds.ts';
import type { MemoryKind } from '../../../src/engine/model/kinds.ts';
import { splitText } from '../../../src/engine/text/split.ts';
import { createSeededRandom } from '../../support/seededRandom.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import type { Corpus, CorpusMemory } from './corpus.ts';

const MAX_LENGTH = 8_000;
const ACTING = { actor: { surface: 'import' as const, clientId: 'quality' } };
/** A day after everything in the sets: time itself is not under test. */
const NOW = '2026-11-01T12:00:00Z';

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
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-quality-'));
  const clock = new FakeClock(NOW);
  const engine = await openEngine({
    repository: { id: 'quality', name: 'quality', storePath: path.join(folder, 'memory.db'), indexFolder: path.join(folder, 'index') },
    user: { storePath: path.join(folder, 'user.db'), indexFolder: path.join(folder, 'userIndex') },
    clock,
    ids: createIdSource(clock, createSeededRandom(1)),
    embedder: embedder === undefined ? noEmbedderSource : createLazyEmbedderSource(() => Promise.resolve(embedder), () => clock.now()),
    embedderWaitMs: 60_000,
    background: false,
    config: () => DEFAULT_ENGINE_CONFIG,
  });
  const idOf = new Map<string, string>();
  // Several pieces of one long text count as one answer: more are asked for, so that ten remain.
  const factor = corpus.memories.some((memory) => memory.text.length > MAX_LENGTH) ? 4 : 1;
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
      const { results } = await engine.recall({ query: question, mode, limit: limit * factor, countUse: false });
      return [...new Set(results.map(({ memory }) => memory.externalId ?? memory.id))].slice(0, limit);
    },
    async close() {
      await engine.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
