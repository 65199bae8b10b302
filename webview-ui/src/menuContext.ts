/**
 * What the editor's context menu is about. The editor reads it from an attribute outside any shadow root, so whoever is
 * under the pointer writes it there.
 */
import { isTyping } from './keyTarget.ts';

interface MemoryMeant {
  readonly id: string;
  readonly pinned: boolean;
  readonly archived?: boolean;
  readonly anchored?: boolean;
  readonly stale?: boolean;
}

const write = (context: Readonly<Record<string, unknown>>): void => { document.body.dataset['vscodeContext'] = JSON.stringify(context); };

/** Until somebody means something: in a field the editor's own cut, copy and paste, elsewhere nothing. */
export function meanNothing(event: Event): void {
  write({ webviewSection: 'none', preventDefaultContextMenuItems: !isTyping(event.composedPath()[0]) });
}

export function meanMemory({ id, pinned, archived = false, anchored = false, stale = false }: MemoryMeant): void {
  write({ webviewSection: 'memory', memoryId: id, memoryPinned: pinned, memoryArchived: archived, memoryAnchored: anchored, memoryStale: stale, preventDefaultContextMenuItems: true });
}

export function meanProposal(id: string, mergeable: boolean): void {
  write({ webviewSection: 'proposal', proposalId: id, proposalMergeable: mergeable, preventDefaultContextMenuItems: true });
}
