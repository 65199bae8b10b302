/**
 * By which door the editor's own agents reach the memory [U7]: the language-model tools, which ask the person before
 * something is kept, or the MCP server with all its tools. One of them at a time: an agent that sees a tool twice
 * chooses by chance. Where the chosen server cannot serve, the tools do.
 */
import * as vscode from 'vscode';
import type { WorkspaceTarget } from './workspaceTarget.ts';

const SECTION = 'cairn.editor.agents';

/** Whether this editor can start an MCP server that an extension names. */
export const canOfferServer = (): boolean => typeof (vscode.lm as Partial<typeof vscode.lm> | undefined)?.registerMcpServerDefinitionProvider === 'function';

/** A server works in a trusted folder on a disk; elsewhere the language-model tools reach the person's own memories. */
export function isServerChosen(workspace: WorkspaceTarget): boolean {
  const { folder, kind } = workspace.current;
  return vscode.workspace.getConfiguration().get<string>(SECTION) === 'server' && canOfferServer() && kind === 'folder' && folder !== undefined;
}

export const onDidChangeAgentAccess = (listener: () => void): vscode.Disposable => vscode.workspace.onDidChangeConfiguration((event) => {
  if (event.affectsConfiguration(SECTION)) listener();
});
