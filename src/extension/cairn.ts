/**
 * Cairn in the editor, put together: who knows whom. Nothing here is heavy; the engine
 * starts when a view, a command or an existing memory asks for it.
 */
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { RememberResult } from '../engine/index.ts';
import type { EngineClient, Target } from '../worker/engineClient.ts';
import { Acts } from './acts.ts';
import { registerAnchorMarks } from './anchors/anchorMarks.ts';
import { DocumentAnchors } from './anchors/documentAnchors.ts';
import { createApi } from './api.ts';
import { keepRegistered } from './claudeRegistration.ts';
import type { ClaudeRegistration } from './claudeRegistration.ts';
import { registerCareCommands } from './commands/careCommands.ts';
import { Guard } from './commands/guard.ts';
import { registerModelCommands } from './commands/modelCommands.ts';
import { registerProfileCommand } from './commands/profileCommand.ts';
import { registerRememberCommands } from './commands/rememberCommands.ts';
import { registerViewCommands } from './commands/viewCommands.ts';
import type { EditorKeys } from './editorKeys.ts';
import type { EditorModels } from './editorModels.ts';
import { EngineAccess } from './engineAccess.ts';
import { HostState } from './hostState.ts';
import { registerLanguageModelTools } from './languageModelTools.ts';
import type { Log } from './log.ts';
import { registerMcpProvider } from './mcpProvider.ts';
import { PagePanels } from './pages/pagePanels.ts';
import type { ProgramFacts, RunningProgram } from './programInstall.ts';
import type { CairnApi } from './publicApi.ts';
import { Receipts } from './receipts.ts';
import { RememberThis, announcement } from './remember/rememberThis.ts';
import { claudeDirectoryOf, SessionCapture } from './sessionCapture.ts';
import { SettingsFace } from './settingsFace.ts';
import { createOpenLink } from './sidebar/openLink.ts';
import { SIDEBAR_ID, SidebarView } from './sidebar/sidebarView.ts';
import { Sources } from './sources.ts';
import { StatusBar, showStatusMenu } from './statusBar.ts';
import { WaitingBatches } from './waitingBatches.ts';
import { WorkspaceTarget } from './workspaceTarget.ts';

export interface CairnParts {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  /** What is missing here; undefined where Cairn can run. */
  readonly unsupported: string | undefined;
  readonly facts: Omit<ProgramFacts, 'log'>;
  readonly home: string;
  readonly program: () => Promise<RunningProgram>;
  readonly openClient: () => Promise<EngineClient>;
  readonly registration: ClaudeRegistration;
  readonly models: EditorModels;
  readonly keys: EditorKeys;
  readonly now: () => number;
}

const ASKED_KEY = 'cairn.asked';

export interface RunningCairn {
  readonly api: CairnApi;
  close(): Promise<void>;
}

export function startCairn(parts: CairnParts): RunningCairn {
  const { context, facts, home, keys, log, models, openClient, program, registration, unsupported } = parts;
  const keep = <T extends vscode.Disposable>(item: T): T => {
    context.subscriptions.push(item);
    return item;
  };
  const engine = keep(new EngineAccess(openClient, log));
  const workspace = keep(new WorkspaceTarget());
  const state = keep(new HostState(engine, workspace, unsupported));
  const acts = new Acts(engine, () => workspace.current.target, (anchors) => sources.unsavedFile(anchors));
  const sources = keep(new Sources(state));
  const guard = new Guard(log, unsupported);
  const openLink = createOpenLink({ engine, workspace, state, acts, sources, registration, home, log, now: parts.now });
  const shared = { extensionUri: context.extensionUri, state, openLink, log };
  const sidebar = keep(new SidebarView(shared));
  const panels = keep(new PagePanels(shared));
  const statusBar = keep(new StatusBar(state));
  keep(vscode.window.registerWebviewViewProvider(SIDEBAR_ID, sidebar));
  keep(acts.onDidAct(() => { state.bump(); }));

  const announce = (result: RememberResult): void => {
    const message = announcement(result);
    const stored = result.outcome !== 'duplicate' && result.outcome !== 'inbox' && result.outcome !== 'conflict';
    const openId = result.outcome === 'inbox' || result.outcome === 'conflict' ? undefined : result.id;
    sidebar.tellIfVisible({ name: 'toast', message, undo: stored, ...(openId === undefined ? {} : { openId }) });
    statusBar.announce(message, stored, openId);
  };
  const tagsOf = async (target: Target): Promise<readonly string[]> => (await engine.ask<{ tags: readonly { tag: string }[] }>('tags', {}, target)).tags.map(({ tag }) => tag);
  const remember = new RememberThis({ acts, state, workspace, tagsOf, announce });
  const common = { guard, engine, workspace, state };
  const waiting = keep(new WaitingBatches({ engine, state, workspace, models }));
  for (const command of [
    ...registerRememberCommands({ ...common, remember }),
    ...registerViewCommands({ ...common, sidebar, panels, acts }),
    ...registerCareCommands({ ...common, registration, log, extensionId: context.extension.id, showText: async (title, text) => sources.showText(title, text) }),
    registerProfileCommand(common),
    ...registerModelCommands({ ...common, keys, models, waiting }),
    guard.command('cairn.statusMenu', async () => showStatusMenu(state), { always: true }),
  ]) keep(command);

  const api = keep(createApi({ acts, engine, workspace, state, unsupported }));
  const mcp = unsupported === undefined ? registerMcpProvider({ program, workspace, execPath: facts.execPath, env: facts.env, version: versionOf(context) }) : undefined;
  if (mcp !== undefined) keep(mcp);
  const tools = unsupported === undefined ? registerLanguageModelTools({ engine, state, workspace }) : undefined;
  if (tools !== undefined) keep(tools);
  keep(state.onDidChange((snapshot) => {
    void vscode.commands.executeCommand('setContext', 'cairn.state', snapshot.state);
    void vscode.commands.executeCommand('setContext', 'cairn.paused', snapshot.state === 'paused');
  }));

  keep(new Receipts(engine, state, workspace));
  if (unsupported === undefined) keep(new SessionCapture({ engine, state, workspace, log, claudeDirectory: claudeDirectoryOf(facts.env, facts.osHome), now: parts.now }));
  keep(registerAnchorMarks(keep(new DocumentAnchors(engine, state)), context.extensionUri, parts.now));

  if (unsupported === undefined) {
    const face = keep(new SettingsFace({ engine, memento: context.globalState, keys: settingKeys(context), file: async () => path.join((await program()).home, 'config.json'), log, onDidSync: () => { state.refresh(); } }));
    const keepRegistration = async (): Promise<void> => keepRegistered(registration, log);
    keep(vscode.workspace.onDidGrantWorkspaceTrust(() => { void keepRegistration(); }));
    void wakeWhenUsed({ context, face, home, keepRegistration, panels, state, workspace });
  }
  return { api, close: async () => engine.close() };
}

interface WakeParts {
  readonly context: vscode.ExtensionContext;
  readonly face: SettingsFace;
  readonly home: string;
  readonly keepRegistration: () => Promise<void>;
  readonly panels: PagePanels;
  readonly state: HostState;
  readonly workspace: WorkspaceTarget;
}

/** Somebody who never used Cairn is asked once and pays nothing; everybody else gets counts and settings without asking. */
async function wakeWhenUsed({ context, face, home, keepRegistration, panels, state, workspace }: WakeParts): Promise<void> {
  const used = await exists(path.join(home, 'registry.db'));
  const asked = context.globalState.get<boolean>(ASKED_KEY, false);
  if (!used && !asked && workspace.current.kind === 'folder') {
    await context.globalState.update(ASKED_KEY, true);
    panels.open('firstRun');
  }
  if (!used) return;
  state.wake();
  await Promise.all([face.follow(), keepRegistration()]);
}

async function exists(file: string): Promise<boolean> {
  try {
    await fs.promises.access(file);
    return true;
  } catch {
    return false; // Absent is the answer that was asked for.
  }
}

/** Keys below `cairn.` of package.json that mirror a settings file. */
function settingKeys(context: vscode.ExtensionContext): string[] {
  const manifest = context.extension.packageJSON as { contributes?: { configuration?: { properties?: Record<string, unknown> }[] } };
  return (manifest.contributes?.configuration ?? []).flatMap(({ properties = {} }) => Object.keys(properties)).filter((key) => !key.startsWith('cairn.editor.')).map((key) => key.replace(/^cairn\./, ''));
}

const versionOf = (context: vscode.ExtensionContext): string => (context.extension.packageJSON as { version: string }).version;
