/**
 * register and unregister with Claude Code. Three ways, the first that works, never two at once:
 *
 *   settings  two keys in settings.json that name our folder as a marketplace and enable its plugin
 *   skills    a copy of the plugin's folder in Claude Code's skills folder; no settings change at all
 *   user      the server in user scope and the hooks in settings.json; for clients where plugins are not allowed
 */
import fs from 'node:fs';
import path from 'node:path';
import { CairnError, isCairnError } from '../base/errors.ts';
import { claudePaths, type ClaudePaths } from './clientPaths.ts';
import { describeChange } from './diff.ts';
import { isEqual, isStrictJson, readForeignJson, valueAt, type JsonEdit, type JsonObject } from './foreignFile.ts';
import { inspectRegistration, isOurServer, marketplaceSource, ourHookGroupsIn, skillsFolderOf, type Duplicate, type InspectFacts, type RegistrationState, type Way, WAYS } from './inspect.ts';
import { Ledger, removeIfEmpty, type FileChange } from './ledger.ts';
import { ALONE_SERVER_NAME, isOurPluginFolder, MARKETPLACE_NAME, marketplaceFolder, PLUGIN_KEY, pluginFiles, serverEntry, settingsHooks, writeFolder, writeMarketplace, type PluginFacts } from './pluginFiles.ts';

export interface RegistrationOptions extends PluginFacts {
  /** Stands for the home folder that holds `.claude/` and `.claude.json`. */
  readonly claudeHome?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly osHome: string;
  readonly cairnHome: string;
  readonly now: () => number;
  /** Only this way; default: the first that works. */
  readonly way?: string;
  readonly projectRoot?: string;
}

export interface RegistrationReport {
  readonly way: string;
  readonly changedFiles: readonly string[];
  /** Sentences for a person: what was left alone and why, duplicates, what to do next. */
  readonly notes: readonly string[];
  readonly diff: string;
  readonly ok: true;
  readonly duplicates: readonly Duplicate[];
}

/** Lowest client whose plugins, hooks and settings were tested. */
export const LOWEST_CLIENT = '2.1.197';

interface Work {
  readonly options: RegistrationOptions;
  readonly paths: ClaudePaths;
  readonly ledger: Ledger;
  readonly changes: FileChange[];
  readonly notes: string[];
  /** The server is registered, but hooks cannot be set. */
  isWithoutHooks: boolean;
}

const factsOf = ({ options, paths }: Work): InspectFacts => ({ paths, cairnHome: options.cairnHome, plugin: options, ...(options.projectRoot === undefined ? {} : { projectRoot: options.projectRoot }) });

function begin(options: RegistrationOptions): Work {
  return { options, paths: claudePaths(options), ledger: new Ledger(options.cairnHome), changes: [], notes: [], isWithoutHooks: false };
}

/** What is there now. `claudeHome` and the environment as for register. */
export const inspect = (options: RegistrationOptions): RegistrationState => inspectRegistration(factsOf(begin(options)));

/**
 * Idempotent. Throws FOREIGN_FILE_UNPARSABLE, FOREIGN_FILE_CHANGED or REGISTRATION_FAILED when no way works; then every
 * file is as it was.
 */
export function register(options: RegistrationOptions): RegistrationReport {
  const work = begin(options);
  const asked = options.way === undefined ? undefined : WAYS.find((way) => way === options.way);
  if (options.way !== undefined && asked === undefined) throw new CairnError('INPUT_INVALID', `There is no way "${options.way}". Use ${WAYS.join(', ')}.`, { data: { field: 'way' } });
  writeMarketplace(options.cairnHome, options);
  let first: unknown;
  for (const way of asked === undefined ? WAYS : [asked]) {
    try {
      applyWay(way, work);
    } catch (error) {
      if (!isCairnError(error)) throw error;
      first ??= error;
      work.notes.push(error.message);
      continue;
    }
    removeOtherWays(way, work);
    const state = inspectRegistration(factsOf(work));
    const isThere = state.way === way && (state.state === 'registered' || (state.state === 'incomplete' && work.isWithoutHooks));
    if (!isThere) throw new CairnError('REGISTRATION_FAILED', `What was written is not there any more (${state.detail}); another program changed it. Try again.`, { data: { way, state: state.state } });
    for (const duplicate of state.duplicates) work.notes.push(`${duplicate.what} Remove it, or every turn is handled twice.`);
    return report(work, way, state.duplicates);
  }
  throw first;
}

function applyWay(way: Way, work: Work): void {
  const { options, paths, ledger } = work;
  if (way === 'skills') {
    const folder = skillsFolderOf(paths);
    if (fs.existsSync(folder) && !isOurPluginFolder(folder)) throw new CairnError('REGISTRATION_FAILED', `${folder} exists and is not ours; it was left as it is.`, { data: { folder } });
    const before = new Map(Object.keys(pluginFiles(options)).map((name) => [name, readText(path.join(folder, name))]));
    try {
      writeFolder(folder, pluginFiles(options));
    } catch (cause) {
      throw new CairnError('REGISTRATION_FAILED', `${folder} cannot be written (${cause instanceof Error ? cause.message : String(cause)}).`, { cause, data: { folder } });
    }
    for (const [name, old] of before) {
      const now = fs.readFileSync(path.join(folder, name));
      if (old !== now.toString('utf8')) work.changes.push({ file: path.join(folder, name), before: old === undefined ? undefined : Buffer.from(old), after: now });
    }
    return;
  }
  const keep = (change: FileChange | undefined): void => void (change !== undefined && work.changes.push(change));
  if (way === 'user') {
    // Older entries of ours would stand beside the new ones.
    if (inspectRegistration(factsOf(work)).way !== 'user' || ledger.holds(paths.settings, 'enabledPlugins') || holdsOtherHooksOfOurs(paths, options)) revertIfOurs(work, paths.settings);
    keep(ledger.apply(paths.userConfig, [{ path: ['mcpServers', ALONE_SERVER_NAME], value: serverEntry(options) }]));
    try {
      requireStrictJson(paths.settings);
      keep(ledger.apply(paths.settings, hookEdits(paths, options)));
    } catch (error) {
      if (!isCairnError(error)) throw error;
      work.isWithoutHooks = true;
      work.notes.push(`${error.message} Claude asks for memories by itself then; hooks are not set.`);
    }
    return;
  }
  requireStrictJson(paths.settings);
  if (ledger.holds(paths.settings, 'hooks')) revertIfOurs(work, paths.settings);
  keep(ledger.apply(paths.settings, [
    { path: ['extraKnownMarketplaces', MARKETPLACE_NAME], value: marketplaceSource(options.cairnHome) },
    { path: ['enabledPlugins', PLUGIN_KEY], value: true },
  ]));
  try {
    // Clients before 2.1.198 read this file before they look at settings; without it the first session goes without.
    const known = readForeignJson(paths.knownMarketplaces).tree[MARKETPLACE_NAME];
    const folder = marketplaceFolder(options.cairnHome);
    if (known === undefined || valueAt(known, ['installLocation']) !== folder) {
      keep(ledger.apply(paths.knownMarketplaces, [{ path: [MARKETPLACE_NAME], value: { ...marketplaceSource(options.cairnHome), installLocation: folder, lastUpdated: new Date(options.now()).toISOString() } }]));
    }
  } catch (error) {
    if (!isCairnError(error)) throw error;
    work.notes.push(`${error.message} An older Claude Code then takes Cairn up from its second session on.`);
  }
}

/**
 * Claude Code passes over a settings.json with comments or trailing commas as a whole (measured on 2.1.197 and 2.1.332),
 * so what is written there would be kept and never read.
 */
function requireStrictJson(file: string): void {
  readForeignJson(file); // what is no JSON at all is named as that
  if (!isStrictJson(file)) throw new CairnError('REGISTRATION_FAILED', `${file} has comments or trailing commas. Claude Code does not read such a file, so it was left as it is; take them out to have your settings obeyed.`, { data: { file } });
}

/** Our hooks behind those that are there, event by event. */
function hookEdits(paths: ClaudePaths, options: PluginFacts): JsonEdit[] {
  const { tree } = readForeignJson(paths.settings);
  const ends = new Map<string, number>();
  return settingsHooks(options).map(({ event, group }) => {
    const array = valueAt(tree, ['hooks', event]);
    const end = ends.get(event) ?? (Array.isArray(array) ? array.length : 0);
    ends.set(event, end + 1);
    return { path: ['hooks', event, end], value: group, insert: true };
  });
}

/** Hooks of ours as another version wrote them. */
function holdsOtherHooksOfOurs(paths: ClaudePaths, options: PluginFacts): boolean {
  try {
    return ourHookGroupsIn(readForeignJson(paths.settings).tree).some(({ event, group }) => !settingsHooks(options).some((wanted) => wanted.event === event && isEqual(wanted.group, group)));
  } catch (error) {
    if (!isCairnError(error)) throw error;
    return false; // it is named when hooks are to be written
  }
}

function removeOtherWays(kept: Way, work: Work): void {
  if (kept !== 'skills') removeSkillsFolder(work);
  if (kept !== 'user') revertIfOurs(work, work.paths.userConfig);
  if (kept === 'skills') {
    revertIfOurs(work, work.paths.settings);
    revertIfOurs(work, work.paths.knownMarketplaces);
  }
}

/** Files that a settings way could not even read have nothing of ours to take out. */
function revertIfOurs(work: Work, file: string): void {
  if (!work.ledger.files().includes(file)) return;
  try {
    const change = work.ledger.revert(file, (tree) => leftoversIn(tree, work));
    if (change !== undefined) work.changes.push(change);
  } catch (error) {
    if (!isCairnError(error)) throw error;
    work.notes.push(error.message);
  }
}

function removeSkillsFolder(work: Work): void {
  const folder = skillsFolderOf(work.paths);
  if (!isOurPluginFolder(folder)) return;
  for (const name of Object.keys(pluginFiles(work.options))) {
    const before = readText(path.join(folder, name));
    if (before !== undefined) work.changes.push({ file: path.join(folder, name), before: Buffer.from(before), after: undefined });
  }
  fs.rmSync(folder, { recursive: true, force: true });
  removeIfEmpty(work.paths.skills);
}

/**
 * Leaves every file as it was where nobody else changed it, and says what it did. Throws FOREIGN_FILE_UNPARSABLE when a
 * file could not be read; everything else is taken back before.
 */
export function unregister(options: RegistrationOptions): RegistrationReport {
  const work = begin(options);
  const { paths, ledger } = work;
  let failure: CairnError | undefined;
  removeSkillsFolder(work);
  removePluginData(work);
  // The settings last: with them goes the folder that was made for them, once nothing else is in it.
  for (const file of new Set([paths.installedPlugins, paths.knownMarketplaces, paths.userConfig, paths.settings])) {
    try {
      const change = ledger.revert(file, (tree) => leftoversIn(tree, work));
      if (change !== undefined) work.changes.push(change);
    } catch (error) {
      if (!isCairnError(error)) throw error;
      failure ??= error;
    }
  }
  fs.rmSync(marketplaceFolder(options.cairnHome), { recursive: true, force: true });
  removeIfEmpty(path.dirname(paths.knownMarketplaces));
  const { duplicates } = inspectRegistration(factsOf(work));
  for (const duplicate of duplicates) work.notes.push(`${duplicate.what} It was not written by this program and is still there.`);
  if (failure !== undefined) throw new CairnError(failure.code, `${failure.message} Everything else of ours was taken back; in that file it is named "${PLUGIN_KEY}" and "${MARKETPLACE_NAME}".`, { cause: failure, ...(failure.data === undefined ? {} : { data: failure.data }) });
  return report(work, 'none', duplicates);
}

/** Entries that clients made from ours, and ours where the ledger is lost. */
function leftoversIn(tree: JsonObject, { options }: Work): JsonEdit[] {
  const edits: JsonEdit[] = [];
  const source = valueAt(tree, ['extraKnownMarketplaces', MARKETPLACE_NAME]);
  if (source !== undefined) edits.push({ path: ['extraKnownMarketplaces', MARKETPLACE_NAME], value: undefined });
  if (valueAt(tree, ['enabledPlugins', PLUGIN_KEY]) !== undefined) edits.push({ path: ['enabledPlugins', PLUGIN_KEY], value: undefined });
  const known = tree[MARKETPLACE_NAME];
  if (known !== undefined && valueAt(known, ['installLocation']) === marketplaceFolder(options.cairnHome)) edits.push({ path: [MARKETPLACE_NAME], value: undefined });
  if (valueAt(tree, ['plugins', PLUGIN_KEY]) !== undefined) edits.push({ path: ['plugins', PLUGIN_KEY], value: undefined });
  const alone = valueAt(tree, ['mcpServers', ALONE_SERVER_NAME]);
  if (alone !== undefined && isOurServer(alone)) edits.push({ path: ['mcpServers', ALONE_SERVER_NAME], value: undefined });
  edits.push(...ourHooksIn(tree));
  return edits;
}

/** Edits that take hook groups of ours out of settings, last first so that places stay right. */
const ourHooksIn = (tree: JsonObject): JsonEdit[] => ourHookGroupsIn(tree).reverse().map(({ event, index }) => ({ path: ['hooks', event, index], value: undefined }));

/** What Claude Code kept for the plugin: its data folder and its cache. */
function removePluginData({ paths }: Work): void {
  for (const name of [PLUGIN_KEY, PLUGIN_KEY.replaceAll(/[^A-Za-z0-9_-]/g, '-')]) fs.rmSync(path.join(paths.pluginData, name), { recursive: true, force: true });
  const cache = path.join(path.dirname(paths.knownMarketplaces), 'cache');
  fs.rmSync(path.join(cache, MARKETPLACE_NAME), { recursive: true, force: true });
  for (const folder of [cache, paths.pluginData]) removeIfEmpty(folder);
}

/** Takes out servers of ours that somebody added by hand. Throws FOREIGN_FILE_UNPARSABLE. */
export function removeDuplicates(options: RegistrationOptions, duplicates: readonly Duplicate[]): RegistrationReport {
  const work = begin(options);
  for (const { file, keys } of duplicates) {
    if (keys.length === 0) removeSkillsFolder(work);
    else {
      const change = work.ledger.remove(file, [...keys]);
      if (change !== undefined) work.changes.push(change);
    }
  }
  return report(work, inspectRegistration(factsOf(work)).way ?? 'none', []);
}

function report({ changes, notes }: Work, way: string, duplicates: readonly Duplicate[]): RegistrationReport {
  const text = (bytes: Buffer | undefined): string | undefined => bytes?.toString('utf8');
  const diffs = changes.map(({ file, before, after }) => describeChange(file, text(before), text(after))).filter((diff) => diff !== '');
  return { way, changedFiles: [...new Set(changes.map(({ file }) => file))], notes, diff: diffs.join('\n'), ok: true, duplicates };
}

function readText(file: string): string | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}
