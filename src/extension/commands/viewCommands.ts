/**
 * Commands that show something or act on the memory under the context menu.
 */
import * as vscode from 'vscode';
import { PROPOSAL_VERBS } from '../../protocol/names.ts';
import type { Acts, Verb } from '../acts.ts';
import type { ProposalVerb, ViewEvent } from '../../protocol/index.ts';
import type { EngineAccess } from '../engineAccess.ts';
import type { HostState } from '../hostState.ts';
import type { PagePanels } from '../pages/pagePanels.ts';
import type { SidebarView } from '../sidebar/sidebarView.ts';
import type { WorkspaceTarget } from '../workspaceTarget.ts';
import type { Guard } from './guard.ts';
import { recallPick } from './recallPick.ts';

export interface ViewCommandParts {
  readonly guard: Guard;
  readonly sidebar: SidebarView;
  readonly panels: PagePanels;
  readonly engine: EngineAccess;
  readonly workspace: WorkspaceTarget;
  readonly acts: Acts;
  readonly state: HostState;
}

type ActVerb = Extract<ViewEvent, { name: 'act' }>['verb'];

/** What the editor hands over from `data-vscode-context`. */
interface MemoryContext {
  readonly memoryId?: string;
}
interface ProposalContext {
  readonly proposalId?: string;
}

export function registerViewCommands({ guard, sidebar, panels, engine, workspace, acts, state }: ViewCommandParts): vscode.Disposable[] {
  const idOf = (context: MemoryContext | string | undefined): string | undefined => (typeof context === 'string' ? context : context?.memoryId);
  /** On the memory under the menu, the one a link names, or the one that is open or chosen in the sidebar. */
  const onMemory = (id: string, verb: ActVerb): vscode.Disposable => guard.command(id, async (context?: MemoryContext | string) => {
    const memoryId = idOf(context);
    const event = { name: 'act', verb, ...(memoryId === undefined ? {} : { id: memoryId }) } as const;
    if (sidebar.tellIfVisible(event)) return;
    if (memoryId === undefined || verb === 'edit' || verb === 'copy' || verb === 'anchor') await sidebar.reveal(event);
    else await actHere(verb, memoryId);
  });
  /** On the proposal under the menu, or on what the keys of the inbox act on; out of sight nothing is decided. */
  const onProposal = (verb: ProposalVerb): vscode.Disposable => guard.command(`cairn.proposal.${verb}`, async (context?: ProposalContext) => {
    const id = context?.proposalId;
    if (!sidebar.tellIfVisible({ name: 'decide', verb, ...(id === undefined ? {} : { id }) })) await sidebar.reveal({ name: 'showTab', tab: 'inbox' });
  });
  /** With the sidebar out of sight: the toast is a message. */
  const actHere = async (verb: Verb | 'stillTrue', memoryId: string): Promise<void> => {
    const done = verb === 'stillTrue' ? await acts.stillTrue(memoryId) : await acts.change(verb, [memoryId]);
    state.bump();
    const undo = vscode.l10n.t('Undo');
    if (await vscode.window.showInformationMessage(done.message, undo) === undo) await vscode.commands.executeCommand('cairn.undo');
  };
  return [
    guard.command('cairn.showMemories', async () => sidebar.reveal({ name: 'showTab', tab: 'memories' }), { always: true }),
    guard.command('cairn.showInbox', async () => sidebar.reveal({ name: 'showTab', tab: 'inbox' }), { always: true }),
    guard.command('cairn.showInjected', async () => sidebar.reveal({ name: 'showTab', tab: 'injected' }), { always: true }),
    guard.command('cairn.search', async (query?: string) => sidebar.reveal({ name: 'focusSearch', ...(typeof query === 'string' ? { query } : {}) }), { always: true }),
    guard.command('cairn.recall', async () => recallPick(engine, workspace.current.target, async (id) => sidebar.reveal({ name: 'openMemory', id }))),
    guard.command('cairn.refresh', () => { state.bump(); }, { always: true }),
    guard.command('cairn.firstRun', () => { panels.open('firstRun'); }, { always: true }),
    guard.command('cairn.openInsights', () => { panels.open('insights'); }),
    guard.command('cairn.openGraph', (focus?: unknown) => { panels.open('graph', typeof focus === 'string' ? { name: 'focusGraph', focus } : undefined); }),
    guard.command('cairn.undo', async () => {
      const done = await acts.undo();
      state.bump();
      if (!sidebar.tellIfVisible({ name: 'toast', message: done.message, undo: false })) void vscode.window.showInformationMessage(done.message);
    }),
    guard.command('cairn.memory.open', async (context?: MemoryContext | string) => {
      const id = idOf(context);
      await sidebar.reveal(id === undefined ? { name: 'showTab', tab: 'memories' } : { name: 'openMemory', id });
    }),
    ...PROPOSAL_VERBS.map(onProposal),
    onMemory('cairn.memory.edit', 'edit'),
    onMemory('cairn.memory.copy', 'copy'),
    onMemory('cairn.memory.openAnchor', 'anchor'),
    onMemory('cairn.memory.pin', 'pin'),
    onMemory('cairn.memory.unpin', 'unpin'),
    onMemory('cairn.memory.stillTrue', 'stillTrue'),
    onMemory('cairn.memory.archive', 'archive'),
    onMemory('cairn.memory.restore', 'restore'),
    onMemory('cairn.memory.forget', 'forget'),
  ];
}
