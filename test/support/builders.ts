/**
 * Builders of the engine's nouns: a valid default for every field, so that a test names only what it is about.
 */
import type { Memory, Provenance } from '../../src/engine/model/memory.ts';

/** A fixed moment that tests count from. */
export const SAMPLE_TIME = Date.parse('2026-03-01T09:00:00Z');

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
let count = 0;

/** Ids in the form of ULIDs, rising with each call. */
export function sampleId(): string {
  count += 1;
  let digits = '';
  for (let rest = count; rest > 0; rest = Math.floor(rest / 32)) digits = `${CROCKFORD[rest % 32]}${digits}`;
  return `01JNA${digits.padStart(21, '0')}`;
}

export const sampleProvenance = (changes: Partial<Provenance> = {}): Provenance => ({ via: 'cli', clientId: 'test-machine', author: 'Wei Rivera', ...changes });

export function sampleMemory(changes: Partial<Memory> = {}): Memory {
  return {
    id: sampleId(),
    text: 'Use pnpm, not npm, in this repository.',
    kind: 'preference',
    importance: 5,
    confidence: 1,
    tags: [],
    pinned: false,
    scope: { level: 'repository' },
    status: 'active',
    createdAt: SAMPLE_TIME,
    updatedAt: SAMPLE_TIME,
    validFrom: SAMPLE_TIME,
    recallCount: 0,
    notRelevantCount: 0,
    repeatCount: 0,
    version: 1,
    provenance: sampleProvenance(),
    anchors: [],
    supersedes: [],
    untrusted: false,
    suspicious: false,
    ...changes,
  };
}
