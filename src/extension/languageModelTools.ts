/**
 * Cairn's tools for the editor's own agents [U7], as `vscode.lm` knows tools. What they do is
 * the MCP server's, by the same table (operations/agentTools.ts). Here is only what the editor
 * adds: where they are offered, the question before something is kept, and cancellation.
 */
import * as vscode from 'vscode';
import type { Call, Connection } from '../operations/agentTools.ts';
import type { HostSnapshot } from '../protocol/index.ts';
import { isServerChosen, onDidChangeAgentAccess } from './agentAccess.ts';
import { shortened } from './shortened.ts';
import type { EngineAccess } from './engineAccess.ts';
import type { HostState } from './hostState.ts';
import type { WorkspaceTarget } from './workspaceTarget.ts';

/** Names in the table; the manifest has them with `cairn_` before, and schemas and descriptions as they are there (a test compares). */
const OFFERED_TOOLS = ['recall', 'remember', 'get_context'] as const;

/** `when` of the tools in the manifest. */
const OFFERED_KEY = 'cairn.agentTools';

export interface LanguageModelToolParts {
  readonly engine: EngineAccess;
  readonly state: HostState;
  readonly workspace: WorkspaceTarget;
}

/** Undefined where this editor has no such API. */
export function registerLanguageModelTools(parts: LanguageModelToolParts): vscode.Disposable | undefined {
  if (typeof (vscode.lm as Partial<typeof vscode.lm> | undefined)?.registerTool !== 'function') return undefined;
  const connection: Connection = { profileGiven: false, isShown: () => !approvesEverything() };
  const offer = (): void => { void vscode.commands.executeCommand('setContext', OFFERED_KEY, isOffered(parts.state.snapshot) && !isServerChosen(parts.workspace)); };
  offer();
  return vscode.Disposable.from(
    parts.state.onDidChange(offer),
    onDidChangeAgentAccess(offer),
    ...OFFERED_TOOLS.map((name) => vscode.lm.registerTool(`cairn_${name}`, languageModelTool(name, connection, parts))),
  );
}

/** As the MCP server: nothing without the repository's yes or while paused; and nothing in a folder that is not trusted. */
const isOffered = ({ state, workspace }: HostSnapshot): boolean => (state === 'on' || state === 'degraded') && workspace !== 'untrusted';

function languageModelTool(name: string, connection: Connection, { engine, workspace }: LanguageModelToolParts): vscode.LanguageModelTool<Record<string, unknown>> {
  return {
    prepareInvocation: ({ input }) => prepare(name, input),
    async invoke({ input }, token) {
      const place = workspace.current;
      if (place.kind === 'untrusted') throw new Error('This folder is not trusted, so its memory is not available.');
      if (isServerChosen(workspace)) throw new Error('The person gave agents Cairn\'s MCP server instead of this tool; use its tools.');
      const controller = new AbortController();
      const cancelled = token.onCancellationRequested(() => { controller.abort(); });
      if (token.isCancellationRequested) controller.abort();
      const call: Call = async (operation, given) => engine.ask(operation, given, place.target, { surface: 'mcp', signal: controller.signal });
      try {
        const { enabled } = await call<{ enabled: boolean }>('consent', {});
        if (!enabled) throw new Error('Cairn is not switched on for this repository, or is paused. The person can change that in its sidebar.');
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(await runNamed(name, call, input, connection))]);
      } finally {
        cancelled.dispose();
      }
    },
  };
}

/** The table is loaded with the first call: most windows never see one. */
async function runNamed(name: string, call: Call, input: Record<string, unknown>, connection: Connection): Promise<string> {
  const [{ TOOLS }, { runTool }] = await Promise.all([import('../operations/agentTools.ts'), import('../operations/agentArguments.ts')]);
  const tool = TOOLS.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`There is no tool "${name}".`);
  return runTool(tool, call, input, connection);
}

/** The confirmation is what makes a model's `remember` an act of the person; what cannot be confirmed goes to the inbox. */
function prepare(name: string, input: Record<string, unknown>): vscode.PreparedToolInvocation {
  const said = (key: string): string => shortened(typeof input[key] === 'string' ? input[key] : '');
  if (name === 'recall') return { invocationMessage: vscode.l10n.t('Recalling “{0}”', said('query')) };
  if (name === 'get_context') return { invocationMessage: vscode.l10n.t('Reading what this repository remembers') };
  const message = new vscode.MarkdownString();
  message.appendText(typeof input['text'] === 'string' ? input['text'] : '');
  const replaced = Array.isArray(input['supersedes']) ? input['supersedes'].length : 0;
  if (replaced > 0) message.appendMarkdown(`\n\n${vscode.l10n.t('It replaces {0} older memories.', replaced)}`);
  if (input['scope'] === 'user') message.appendMarkdown(`\n\n${vscode.l10n.t('It will be known in all your repositories.')}`);
  return { invocationMessage: vscode.l10n.t('Remembering “{0}”', said('text')), confirmationMessages: { title: vscode.l10n.t('Remember this in Cairn?'), message } };
}

/** Whether the editor runs every tool without showing it; the setting had another name before. */
function approvesEverything(): boolean {
  const chat = vscode.workspace.getConfiguration('chat.tools');
  return chat.get<boolean>('global.autoApprove') === true || chat.get<unknown>('autoApprove') === true;
}
