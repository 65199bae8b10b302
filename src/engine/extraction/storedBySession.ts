/**
 * What Claude stored in the same session at the person's word. "Remember that X" is said once and kept once: the tool
 * wrote it in Claude's words, so the sentence itself is not proposed again however it was worded.
 */
import type { Memory } from '../model/memory.ts';
import type { ExtractedStatement } from '../model/observation.ts';
import type { MemoryStore } from '../storage/memoryStore.ts';
import { consolidate } from './consolidate.ts';
import { shapeOf, type StatementShape } from './consolidation/statementShape.ts';

/** Of the shorter one's words; what is stored is often fuller than what was said. */
const SAME_WORDS = 0.8;
const MANY = 200;

/** True when a memory that came through the tool after the sentence was said says the same. */
export async function isStoredBySession(stores: readonly (MemoryStore | undefined)[], statement: ExtractedStatement): Promise<boolean> {
  const { sessionId, saidAt } = statement.provenance;
  if (sessionId === undefined) return false;
  for (const store of stores) {
    const stored = await store?.listMemories({ sessionId, vias: ['mcp'], statuses: ['active'] }, { limit: MANY, offset: 0, order: 'created' });
    if (stored?.some((memory) => memory.createdAt >= (saidAt ?? 0) && saysTheSame(statement, memory)) === true) return true;
  }
  return false;
}

function saysTheSame(statement: ExtractedStatement, memory: Memory): boolean {
  // Claude chooses kind and scope as well as words.
  const { outcome } = consolidate({ ...statement, scope: memory.scope }, [{ memory }], memory.createdAt);
  if (outcome !== 'add') return outcome === 'duplicate' || outcome === 'merge' || outcome === 'revise';
  const [said, stored] = [shapeOf(statement.text), shapeOf(memory.text)];
  const [shorter, longer] = [wordsOf(said), wordsOf(stored)].sort((a, b) => a.size - b.size);
  if (shorter === undefined || longer === undefined || shorter.size < 2 || said.negated !== stored.negated) return false;
  return [...shorter].filter((word) => longer.has(word)).length / shorter.size >= SAME_WORDS;
}

const wordsOf = (shape: StatementShape): Set<string> => new Set([...shape.subject, ...shape.values.map(({ value }) => value)]);
