/**
 * Cairn's MCP server for the editor's own agents [U7], where the editor has them. Started
 * from the program home; offered for trusted folders on a disk only, and by choice (agentAccess.ts).
 */
import path from 'node:path';
import * as vscode from 'vscode';
import { canOfferServer, isServerChosen, onDidChangeAgentAccess } from './agentAccess.ts';
import type { RunningProgram } from './programInstall.ts';
import type { WorkspaceTarget } from './workspaceTarget.ts';

const PROVIDER_ID = 'cairn.mcp';

export interface McpProviderParts {
  readonly program: () => Promise<RunningProgram>;
  readonly workspace: WorkspaceTarget;
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

/** Undefined where this editor has no such API. */
export function registerMcpProvider({ program, workspace, execPath, env, version }: McpProviderParts): vscode.Disposable | undefined {
  if (!canOfferServer()) return undefined;
  const changed = new vscode.EventEmitter<void>();
  const registration = vscode.lm.registerMcpServerDefinitionProvider(PROVIDER_ID, {
    onDidChangeMcpServerDefinitions: changed.event,
    async provideMcpServerDefinitions() {
      const { folder: workspaceFolder } = workspace.current;
      if (!isServerChosen(workspace) || workspaceFolder === undefined) return [];
      const { folder } = await program();
      const definition = new vscode.McpStdioServerDefinition('Cairn', execPath, [path.join(folder, 'cairn.mjs'), 'mcp'], {
        // The editor's own runtime is Electron: this makes it a plain Node.
        ELECTRON_RUN_AS_NODE: '1',
        ...(env['CAIRN_HOME'] === undefined ? {} : { CAIRN_HOME: env['CAIRN_HOME'] }),
      }, version);
      definition.cwd = workspaceFolder.uri;
      return [definition];
    },
  });
  const trust = vscode.workspace.onDidGrantWorkspaceTrust(() => { changed.fire(); });
  const folders = vscode.workspace.onDidChangeWorkspaceFolders(() => { changed.fire(); });
  const choice = onDidChangeAgentAccess(() => { changed.fire(); });
  return vscode.Disposable.from(registration, trust, folders, choice, changed);
}
