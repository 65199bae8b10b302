/**
 * Guards the person's own home while tests run: a test that writes into the real `~/.claude*` or `~/.cairn` fails.
 *
 * Where those places are absent, any appearance counts. Where they exist, somebody may be using Claude Code or Cairn
 * meanwhile, so only what a registration or a store of ours would change is compared: settings, plugins, MCP entries
 * and the list of repositories.
 */
import fs from 'node:fs';
import path from 'node:path';

/** Names of the real home's folder for the worker processes, whose HOME is a scratch folder. */
export const REAL_HOME_VARIABLE = 'CAIRN_TEST_REAL_HOME';

const WATCHED_FILES = ['.claude/settings.json', '.claude/settings.local.json', '.claude/CLAUDE.md'];
const WATCHED_FOLDERS = ['.claude/plugins', '.claude/skills', '.claude/commands', '.cairn/repos', '.cairn/app'];

/** One line per watched thing; equal before and after means untouched. */
export function readHomeInventory(home: string): string[] {
  const lines: string[] = [];
  for (const name of ['.claude', '.claude.json', '.cairn']) lines.push(`${name}: ${fs.existsSync(path.join(home, name)) ? 'there' : 'absent'}`);
  for (const name of WATCHED_FILES) lines.push(`${name}: ${readText(path.join(home, name))}`);
  for (const name of WATCHED_FOLDERS) lines.push(`${name}: ${listFolder(path.join(home, name)).join(' ')}`);
  lines.push(`.claude.json servers: ${readServers(path.join(home, '.claude.json'))}`);
  return lines;
}

/** What differs, as sentences; empty when nothing does. */
export function compareInventories(before: readonly string[], after: readonly string[]): string[] {
  return after.filter((line) => !before.includes(line)).map((line) => `changed in the real home while tests ran: ${line.slice(0, 200)}`);
}

function readText(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '(absent)';
}

function listFolder(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : ['(absent)'];
}

/** Every `mcpServers` entry that is ours; the rest of that file changes with each run of the client. */
function readServers(file: string): string {
  return (readText(file).match(/[^\n]*cairn[^\n]*/gi) ?? []).join(' ');
}
