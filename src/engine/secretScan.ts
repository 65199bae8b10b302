/**
 * Looks for secrets in what is stored already [P1]: rules grow, and what an older version let pass shall be found.
 */
import { CairnError } from '../base/errors.ts';
import type { Id } from '../base/ids.ts';
import type { ListedMemory } from './engineTypes.ts';
import type { Redactor } from './extraction/redaction/redactor.ts';

export interface FoundSecrets {
  readonly memoryId: Id;
  readonly kinds: readonly string[];
  readonly fingerprints: readonly string[];
}

/** Memories whose text the present rules would mask, and the fingerprints by which a person may allow it. */
export async function scanSecrets(memories: AsyncIterable<ListedMemory>, scan: Redactor['scan'], signal: AbortSignal): Promise<FoundSecrets[]> {
  const found: FoundSecrets[] = [];
  for await (const { memory } of memories) {
    if (signal.aborted) throw new CairnError('CANCELLED', 'Cancelled.');
    const texts = [memory.text, memory.provenance.quote ?? '', memory.provenance.context ?? '', ...memory.anchors.map(({ snippet }) => snippet ?? '')].join('\n');
    const findings = scan(texts);
    if (findings.length > 0) found.push({ memoryId: memory.id, kinds: [...new Set(findings.map(({ kind }) => kind))].sort(), fingerprints: [...new Set(findings.map(({ fingerprint }) => fingerprint))] });
  }
  return found;
}
