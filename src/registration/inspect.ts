/**
 * What is registered now, found by reading files: which way, whether it is whole, and whether anything of ours is there
 * a second time. Never starts `claude` (its `mcp list` takes twenty seconds offline).
 */
import path from 'node:path';
import { isCairnError } from '../base/errors.ts';
import type { ClaudePaths } from './clientPaths.ts';
import { isEqual, isStrictJson, readForeignJson, valueAt, type JsonObject, type JsonValue } from './foreignFile.ts';
import { ALONE_SERVER_NAME, isFolderComplete, isOurHookGroup, isOurPluginFolder, MARKETPLACE_NAME, marketplaceFolder, PLUGIN_KEY, PLUGIN_NAME, serverEntry, settingsHooks, type PluginFacts } from './pluginFiles.ts';

export const WAYS = ['settings', 'skills', 'user'] as const;
export type Way = (typeof WAYS)[number];

export interface Duplicate {
  readonly file: string;
  /** Where in it: a path of keys. */
  readonly keys: readonly (string | number)[];
  /** A sentence for a person. */
  readonly what: string;
}

export interface RegistrationState {
  readonly way?: Way;
  /** `disabled`: the person switched the plugin off in Claude Code. `incomplete`: parts are missing or point elsewhere. */
  readonly state: 'registered' | 'disabled' | 'incomplete' | 'absent';
  readonly detail: string;
  readonly duplicates: readonly Duplicate[];
  /** Files that could not be read or parsed. */
  readonly problems: readonly string[];
}

export interface InspectFacts {
  readonly paths: ClaudePaths;
  readonly cairnHome: string;
  readonly plugin: PluginFacts;
  /** A repository whose `.mcp.json` and local scope are looked at too. */
  readonly projectRoot?: string;
}

export const skillsFolderOf = (paths: ClaudePaths): string => path.join(paths.skills, PLUGIN_NAME);

export function inspectRegistration(facts: InspectFacts): RegistrationState {
  const problems: string[] = [];
  const read = (file: string): JsonObject => {
    try {
      return readForeignJson(file).tree;
    } catch (error) {
      if (!isCairnError(error)) throw error;
      problems.push(error.message);
      return {};
    }
  };
  const settings = read(facts.paths.settings);
  const userConfig = read(facts.paths.userConfig);
  const found: { way: Way; state: RegistrationState['state']; detail: string; duplicate: Duplicate }[] = [];

  const source = valueAt(settings, ['extraKnownMarketplaces', MARKETPLACE_NAME]);
  const enabled = valueAt(settings, ['enabledPlugins', PLUGIN_KEY]);
  if (enabled !== undefined || source !== undefined) {
    const folder = marketplaceFolder(facts.cairnHome);
    const isWhole = isEqual(source, marketplaceSource(facts.cairnHome)) && isFolderComplete(path.join(folder, PLUGIN_NAME), facts.plugin);
    const state = enabled === false ? 'disabled' : enabled === true && isWhole ? 'registered' : 'incomplete';
    found.push({ way: 'settings', state, detail: `plugin ${PLUGIN_KEY} in ${facts.paths.settings}`, duplicate: { file: facts.paths.settings, keys: ['enabledPlugins', PLUGIN_KEY], what: `The plugin is also enabled in ${facts.paths.settings}.` } });
  }
  const skills = skillsFolderOf(facts.paths);
  if (isOurPluginFolder(skills)) {
    found.push({ way: 'skills', state: isFolderComplete(skills, facts.plugin) ? 'registered' : 'incomplete', detail: `plugin folder ${skills}`, duplicate: { file: skills, keys: [], what: `The plugin folder ${skills} is there too.` } });
  }
  const alone = valueAt(userConfig, ['mcpServers', ALONE_SERVER_NAME]);
  if (alone !== undefined && isOurServer(alone)) {
    const isWhole = isEqual(alone, serverEntry(facts.plugin)) && hasHooks(facts, settings);
    found.push({ way: 'user', state: isWhole ? 'registered' : 'incomplete', detail: `server "${ALONE_SERVER_NAME}" in ${facts.paths.userConfig}`, duplicate: { file: facts.paths.userConfig, keys: ['mcpServers', ALONE_SERVER_NAME], what: `The server "${ALONE_SERVER_NAME}" is also in ${facts.paths.userConfig} (user scope).` } });
  }
  const main = found.find(({ state }) => state === 'registered') ?? found[0];
  const duplicates = [...found.filter((entry) => entry !== main).map(({ duplicate }) => duplicate), ...strayServers(facts, userConfig, read, main?.way)];
  if (main === undefined) return { state: 'absent', detail: 'Claude Code does not know Cairn.', duplicates, problems };
  return { way: main.way, state: main.state, detail: main.detail, duplicates, problems };
}

/** Clients that run strip what others added to settings. Settings that the client itself does not read (comments) are asked nothing. */
function hasHooks(facts: InspectFacts, settings: JsonObject): boolean {
  if (!isStrictJson(facts.paths.settings)) return true;
  const there = ourHookGroupsIn(settings);
  return settingsHooks(facts.plugin).every(({ event, group }) => there.some((one) => one.event === event && isEqual(one.group, group)));
}

/** Groups of nothing but our hooks in somebody's settings. */
export function ourHookGroupsIn(tree: JsonObject): { event: string; index: number; group: JsonValue }[] {
  const { hooks } = tree;
  if (typeof hooks !== 'object' || hooks === null || Array.isArray(hooks)) return [];
  return Object.entries(hooks as JsonObject).flatMap(([event, groups]) => (Array.isArray(groups) ? groups.map((group, index) => ({ event, index, group: group as JsonValue })) : [])).filter(({ group }) => isOurHookGroup(group));
}

export const marketplaceSource = (cairnHome: string): JsonObject => ({ source: { source: 'directory', path: marketplaceFolder(cairnHome) } });

/** Servers of ours that somebody added by hand: other names in user scope, local scope, the project's `.mcp.json`. */
function strayServers(facts: InspectFacts, userConfig: JsonObject, read: (file: string) => JsonObject, way: Way | undefined): Duplicate[] {
  const strays: Duplicate[] = [];
  const look = (file: string, keys: readonly (string | number)[], servers: JsonValue | undefined, scope: string): void => {
    if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) return;
    for (const [name, entry] of Object.entries(servers)) {
      if (!isOurServer(entry) || (way === 'user' && file === facts.paths.userConfig && keys.length === 1 && name === ALONE_SERVER_NAME)) continue;
      if (file === facts.paths.userConfig && keys.length === 1 && name === ALONE_SERVER_NAME) continue; // reported as a way of its own
      strays.push({ file, keys: [...keys, name], what: `The server "${name}" in ${file} (${scope}) starts Cairn as well.` });
    }
  };
  look(facts.paths.userConfig, ['mcpServers'], userConfig.mcpServers, 'user scope');
  const { projects } = userConfig;
  if (typeof projects === 'object' && projects !== null && !Array.isArray(projects)) {
    for (const [project, entry] of Object.entries(projects)) look(facts.paths.userConfig, ['projects', project, 'mcpServers'], valueAt(entry, ['mcpServers']), `local scope of ${project}`);
  }
  if (facts.projectRoot !== undefined) {
    const file = path.join(facts.projectRoot, '.mcp.json');
    look(file, ['mcpServers'], read(file).mcpServers, 'project scope');
  }
  return strays;
}

/** A server entry that starts Cairn, whoever wrote it. */
export function isOurServer(entry: JsonValue): boolean {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return false;
  const { command, args } = entry as JsonObject;
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word): word is string => typeof word === 'string');
  if (words.some((word) => /(^|[\\/])cairn\.(cjs|mjs)$/.test(word))) return true;
  return words.some((word) => /(^|[\\/])cairn(-memory)?(\.cmd)?$/.test(word)) && words.includes('mcp');
}
