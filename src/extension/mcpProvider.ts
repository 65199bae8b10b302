/**
 * Cairn's MCP server for the editor's own agents [U7], where the editor has them. Started
 * from the program home; offered for trusted folders on a disk only.
 */
import path from 'node:path';
import * as vscode from 'vscode';
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
  if (typeof (vscode.lm as Partial<typeof vscode.lm> | undefined)?.registerMcpServerDefinitionProvider !== 'function') return undefined;
  const changed = new vscode.EventEmitter<void>();
  const registration = vscode.lm.registerMcpServerDefinitionProvider(PROVIDER_ID, {
    onDidChangeMcpServerDefinitions: changed.event,
    async provideMcpServerDefinitions() {
      const { folder: workspaceFolder, kind } = workspace.current;
      // A server works in a folder; elsewhere the language-model tools reach the person's own memories.
      if (kind !== 'folder' || workspaceFolder === undefined) return [];
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
  return vscode.Disposable.from(registration, trust, folders, changed);
}
