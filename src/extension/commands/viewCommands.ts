/**
 * Commands that show something or act on the memory under the context menu.
 */
import * as vscode from 'vscode';
import type { Acts, Verb } from '../acts.ts';
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

/** What the editor hands over from `data-vscode-context`. */
interface MemoryContext {
  readonly memoryId?: string;
}

export function registerViewCommands({ guard, sidebar, panels, engine, workspace, acts, state }: ViewCommandParts): vscode.Disposable[] {
  const onMemory = (id: string, run: (memoryId: string) => Promise<unknown>): vscode.Disposable => guard.command(id, async (context?: MemoryContext | string) => {
    const memoryId = typeof context === 'string' ? context : context?.memoryId;
    if (memoryId === undefined) void vscode.window.showInformationMessage(vscode.l10n.t('Choose a memory in the sidebar first.'));
    else await run(memoryId);
  });
  /** In the sidebar with its toast where it is visible, else here with a message. */
  const act = async (verb: Verb, memoryId: string): Promise<void> => {
    if (sidebar.tellIfVisible({ name: 'act', verb, id: memoryId })) return;
    const done = await acts.change(verb, [memoryId]);
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
    guard.command('cairn.openGraph', () => { panels.open('graph'); }),
    guard.command('cairn.undo', async () => {
      const done = await acts.undo();
      state.bump();
      if (!sidebar.tellIfVisible({ name: 'toast', message: done.message, undo: false })) void vscode.window.showInformationMessage(done.message);
    }),
    onMemory('cairn.memory.open', async (id) => sidebar.reveal({ name: 'openMemory', id })),
    onMemory('cairn.memory.edit', async (id) => sidebar.reveal({ name: 'openMemory', id, edit: true })),
    onMemory('cairn.memory.pin', async (id) => act('pin', id)),
    onMemory('cairn.memory.unpin', async (id) => act('unpin', id)),
    onMemory('cairn.memory.archive', async (id) => act('archive', id)),
    onMemory('cairn.memory.restore', async (id) => act('restore', id)),
    onMemory('cairn.memory.forget', async (id) => act('forget', id)),
    onMemory('cairn.memory.copy', async (id) => sidebar.reveal({ name: 'act', verb: 'copy', id })),
    onMemory('cairn.memory.openAnchor', async (id) => sidebar.reveal({ name: 'act', verb: 'anchor', id })),
    onMemory('cairn.memory.stillTrue', async (id) => {
      const done = await acts.stillTrue(id);
      state.bump();
      if (!sidebar.tellIfVisible({ name: 'toast', message: done.message, undo: done.undoable })) void vscode.window.setStatusBarMessage(done.message, 5_000);
    }),
  ];
}
