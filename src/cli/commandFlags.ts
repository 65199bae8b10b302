/**
 * Flags that mean the same on every command, and how they become operation input.
 * Numbers stay as typed: the operation's rule decides about 0, -1 and 1e9.
 */
import { Option } from 'commander';
import type { Command } from 'commander';
import { CairnError } from '../base/errors.ts';

/** A number as typed; throws INPUT_INVALID for words. */
export function numberFlag(name: string): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value.trim() === '' || Number.isNaN(number)) throw new CairnError('INPUT_INVALID', `--${name} takes a number, not "${value}".`, { data: { field: name } });
    return number;
  };
}

export const listFlag = (value: string, before: string[] = []): string[] => [...before, ...value.split(',').map((part) => part.trim()).filter((part) => part !== '')];

/** For a filter: an empty list (a script's unset variable) filters nothing, and whoever gave it did not mean everything. */
export const namesFlag = (name: string) => (value: string, before?: string[]): string[] => {
  const names = listFlag(value, before);
  if (names.length === 0) throw new CairnError('INPUT_INVALID', `--${name} names nothing. Give at least one, or leave it out.`, { data: { field: name } });
  return names;
};

export function addCommonFlags(command: Command): Command {
  return command
    .option('-C, --directory <dir>', 'act as if started in this folder')
    .option('-p, --project <name>', 'another known repository, by name, path or id')
    .option('--no-project', 'the user store, not a repository')
    .option('--user', 'the user store: what holds for you everywhere')
    .option('--json', 'print one JSON value')
    .addOption(new Option('--claude-home <dir>', 'folder that holds .claude/ and .claude.json').env('CAIRN_CLAUDE_HOME'))
    .option('--author <name>', 'who acts, for the history');
}

export const addFilterFlags = (command: Command): Command => addFilters(command).option('--limit <n>', 'how many at most', numberFlag('limit'));

/** Without a limit: for what is done to all that passes. */
export function addFilters(command: Command): Command {
  return command
    .option('--kind <kinds>', 'only these kinds (comma-separated)', namesFlag('kind'))
    .addOption(new Option('--type <kinds>', 'same as --kind').argParser(namesFlag('type')).hideHelp())
    .addOption(new Option('--category <kinds>', 'same as --kind').argParser(namesFlag('category')).hideHelp())
    .option('--tags <tags>', 'only with all of these tags', namesFlag('tags'))
    .option('--path <path>', 'only anchored at or below this path')
    .option('--branch <name>', 'only made on this branch')
    .option('--since <when>', 'only after: 2026-11-30, or an age such as 3d or 2w')
    .option('--until <when>', 'only before')
    .option('--client <id>', 'only from this machine')
    .option('--via <how>', 'only those that came this way: selection, command, mcp, transcript, import, cli')
    .option('--status <status>', 'active, archived, superseded, forgotten or inbox', namesFlag('status'))
    .option('--pinned', 'only pinned');
}

export interface FilterFlags {
  readonly kind?: string[];
  readonly type?: string[];
  readonly category?: string[];
  readonly tags?: string[];
  readonly path?: string;
  readonly branch?: string;
  readonly since?: string;
  readonly until?: string;
  readonly client?: string;
  readonly via?: string;
  readonly status?: string[];
  readonly pinned?: boolean;
  readonly limit?: number;
}

export function filterInput(flags: FilterFlags): Record<string, unknown> {
  const kinds = [...(flags.kind ?? []), ...(flags.type ?? []), ...(flags.category ?? [])];
  return prune({
    kinds: kinds.length === 0 ? undefined : kinds,
    tags: flags.tags,
    path: flags.path,
    branch: flags.branch,
    since: flags.since,
    until: flags.until,
    client: flags.client,
    via: flags.via,
    statuses: flags.status,
    pinned: flags.pinned,
    limit: flags.limit,
  });
}

export const prune = (value: Record<string, unknown>): Record<string, unknown> => Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
