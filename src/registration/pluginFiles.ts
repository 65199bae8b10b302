/**
 * The plugin folder: what Claude Code loads to have Cairn's server and hooks. One folder of ours with everything in it,
 * so that one switch turns it on and nothing of other people's settings is merged.
 *
 * Prompts and file events go to the server that the session has anyway (`mcp_tool`: no process, warm model; measured
 * in docs/hooks.md to fail open when the server is dead, slow or wrong); the client offers no server yet at
 * SessionStart and none any more at the end, so those start the hook program, directly, without a shell.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { ProgramCommand } from '../runtime/programHome.ts';
import { ensurePrivateFolder, readFileIfPresent, writeFileAtomically } from '../runtime/paths.ts';
import { valueAt, type JsonObject, type JsonValue } from './foreignFile.ts';

export const PLUGIN_NAME = 'cairn';
export const MARKETPLACE_NAME = 'cairn-local';
export const PLUGIN_KEY = `${PLUGIN_NAME}@${MARKETPLACE_NAME}`;
export const SERVER_NAME = 'memory';
/** How the client names the plugin's server, and its tools in permissions. */
export const PLUGIN_SERVER = `plugin:${PLUGIN_NAME}:${SERVER_NAME}`;
export const TOOL_PREFIX = `mcp__plugin_${PLUGIN_NAME}_${SERVER_NAME}__`;
/** Name of the server where it is registered alone. */
export const ALONE_SERVER_NAME = 'cairn';
export const ALONE_TOOL_PREFIX = `mcp__${ALONE_SERVER_NAME}__`;
/** The tool that hooks go to; see mcp/hookTool.ts. */
const HOOK_TOOL = 'hook';

export interface PluginFacts {
  readonly version: string;
  readonly command: (args: readonly string[]) => ProgramCommand;
  /** CAIRN_HOOK_DEADLINE_MS, where a slow machine was told to wait longer for hooks. */
  readonly hookDeadlineMs?: number;
}

/** Seconds, as the client reads them. The hook program stops itself after one. */
const COMMAND_TIMEOUT_S = 5;
const TOOL_TIMEOUT_S = 3;

const timeoutOf = ({ hookDeadlineMs }: PluginFacts, seconds: number): number => Math.max(seconds, Math.ceil((hookDeadlineMs ?? 0) / 1_000) + 1);
const COMMAND_EVENTS = ['PreCompact', 'PostCompact', 'Stop', 'SubagentStop', 'SessionEnd'] as const;
const READING_TOOLS = 'Read';
const CHANGING_TOOLS = 'Edit|Write|MultiEdit|NotebookEdit';

export function serverEntry(facts: PluginFacts): JsonObject {
  const { command, args, env } = facts.command(['mcp']);
  return { type: 'stdio', command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

/** One hook that starts the hook program; undefined where it could only be started with an environment, which hooks cannot have. */
export function commandHook(facts: PluginFacts, event: string): JsonObject | undefined {
  const { command, args, env } = facts.command(['hook', event]);
  return env.ELECTRON_RUN_AS_NODE === undefined ? { type: 'command', command, args, timeout: timeoutOf(facts, COMMAND_TIMEOUT_S) } : undefined;
}

function toolHook(facts: PluginFacts, server: string, event: string, input: JsonObject): JsonObject {
  return {
    type: 'mcp_tool', server, tool: HOOK_TOOL, timeout: timeoutOf(facts, TOOL_TIMEOUT_S),
    input: { event, session_id: '${session_id}', cwd: '${cwd}', agent_id: '${agent_id}', ...input },
  };
}

/** Event -> matcher groups, as `hooks` of a plugin or of settings; `server` is what the client calls the server that they go to. */
export function hookGroups(facts: PluginFacts, server: string): Readonly<Record<string, readonly JsonObject[]>> {
  const groups = (matcher: string | undefined, hook: JsonObject | undefined): JsonObject[] => (hook === undefined ? [] : [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }]);
  const all: Record<string, JsonObject[]> = {
    // No matcher: clients that report another source than the documented ones are served too.
    SessionStart: groups(undefined, commandHook(facts, 'SessionStart')),
    UserPromptSubmit: groups(undefined, toolHook(facts, server, 'UserPromptSubmit', { prompt: '${prompt}', transcript_path: '${transcript_path}' })),
    PostToolUse: groups(READING_TOOLS, toolHook(facts, server, 'PostToolUse', { file_path: '${tool_input.file_path}' })),
    PreToolUse: groups(CHANGING_TOOLS, toolHook(facts, server, 'PreToolUse', { file_path: '${tool_input.file_path}', notebook_path: '${tool_input.notebook_path}' })),
    ...Object.fromEntries(COMMAND_EVENTS.map((event) => [event, groups(undefined, commandHook(facts, event))])),
  };
  return Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0));
}

/** The same hooks in somebody's settings, for the way that has no plugin. */
export const settingsHooks = (facts: PluginFacts): { event: string; group: JsonObject }[] =>
  Object.entries(hookGroups(facts, ALONE_SERVER_NAME)).flatMap(([event, groups]) => groups.map((group) => ({ event, group })));

/** A group of nothing but hooks of ours, of whatever version. */
export function isOurHookGroup(group: JsonValue): boolean {
  const hooks = valueAt(group, ['hooks']);
  return Array.isArray(hooks) && hooks.length > 0 && hooks.every((hook) => isOurHook(hook as JsonValue));
}

function isOurHook(hook: JsonValue): boolean {
  if (valueAt(hook, ['type']) === 'mcp_tool') return valueAt(hook, ['server']) === ALONE_SERVER_NAME && valueAt(hook, ['tool']) === HOOK_TOOL;
  const args = valueAt(hook, ['args']);
  return Array.isArray(args) && args.includes('hook') && [valueAt(hook, ['command']), ...args].some((word) => typeof word === 'string' && /(^|[\\/])cairn(\.cjs)?$/.test(word));
}

/** File below the plugin's folder -> content. */
export function pluginFiles(facts: PluginFacts): Readonly<Record<string, JsonObject>> {
  return {
    '.claude-plugin/plugin.json': { name: PLUGIN_NAME, version: facts.version, description: 'A memory of each repository: recalled when it matters, reviewed by you.', author: { name: 'Cairn' } },
    '.mcp.json': { mcpServers: { [SERVER_NAME]: serverEntry(facts) } },
    'hooks/hooks.json': { description: 'Gives Claude what was remembered, and takes what was said.', hooks: hookGroups(facts, PLUGIN_SERVER) },
  };
}

export const marketplaceFolder = (cairnHome: string): string => path.join(cairnHome, 'claude-plugin');

/** Writes the marketplace with the plugin in it; only files whose content differs are touched. Returns those. */
export function writeMarketplace(cairnHome: string, facts: PluginFacts): string[] {
  const folder = marketplaceFolder(cairnHome);
  const marketplace: JsonObject = { name: MARKETPLACE_NAME, owner: { name: 'Cairn' }, plugins: [{ name: PLUGIN_NAME, source: `./${PLUGIN_NAME}`, description: 'A memory of each repository for Claude Code.' }] };
  return [...writeFolder(folder, { '.claude-plugin/marketplace.json': marketplace }), ...writeFolder(path.join(folder, PLUGIN_NAME), pluginFiles(facts))];
}

export function writeFolder(folder: string, files: Readonly<Record<string, JsonObject>>): string[] {
  const written: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    const text = `${JSON.stringify(content, undefined, 2)}\n`;
    if (readFileIfPresent(file) === text) continue;
    ensurePrivateFolder(path.dirname(file));
    writeFileAtomically(file, text);
    written.push(file);
  }
  return written;
}

/** Is every file of the plugin there, as it should be? */
export const isFolderComplete = (folder: string, facts: PluginFacts): boolean => Object.entries(pluginFiles(facts)).every(([name, content]) => readFileIfPresent(path.join(folder, name)) === `${JSON.stringify(content, undefined, 2)}\n`);

export const isOurPluginFolder = (folder: string): boolean => /"name"\s*:\s*"cairn"/.test(readFileIfPresent(path.join(folder, '.claude-plugin', 'plugin.json')) ?? '') && fs.existsSync(path.join(folder, '.mcp.json'));
