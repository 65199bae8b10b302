/**
 * Registration with Claude Desktop: its one configuration file. The app has no working folder, so its server serves the
 * user's own store unless a project is named.
 */
import { desktopConfigPath } from './clientPaths.ts';
import { describeChange } from './diff.ts';
import { valueAt } from './foreignFile.ts';
import { isOurServer } from './inspect.ts';
import { Ledger, type FileChange } from './ledger.ts';
import { ALONE_SERVER_NAME, type PluginFacts } from './pluginFiles.ts';
import type { RegistrationReport } from './register.ts';

export interface DesktopOptions extends PluginFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly osHome: string;
  readonly platform: string;
  readonly cairnHome: string;
  /** Stands for the home folder. */
  readonly claudeHome?: string;
}

const fileOf = ({ platform, env, osHome, claudeHome }: DesktopOptions): string => (claudeHome === undefined ? desktopConfigPath(platform, env, osHome) : desktopConfigPath(platform, {}, claudeHome));

/** Throws FOREIGN_FILE_UNPARSABLE, FOREIGN_FILE_CHANGED, REGISTRATION_FAILED; the file is then as it was. */
export function registerDesktop(options: DesktopOptions): RegistrationReport {
  const { command, args, env } = options.command(['mcp']);
  const entry = { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
  const change = new Ledger(options.cairnHome).apply(fileOf(options), [{ path: ['mcpServers', ALONE_SERVER_NAME], value: entry }]);
  return reportOf(change, 'desktop', change === undefined ? ['Claude Desktop knew Cairn already.'] : ['Restart Claude Desktop to load it.']);
}

export function unregisterDesktop(options: DesktopOptions): RegistrationReport {
  const change = new Ledger(options.cairnHome).revert(fileOf(options), (tree) => {
    const alone = valueAt(tree, ['mcpServers', ALONE_SERVER_NAME]);
    return alone !== undefined && isOurServer(alone) ? [{ path: ['mcpServers', ALONE_SERVER_NAME], value: undefined }] : [];
  });
  return reportOf(change, 'none', []);
}

function reportOf(change: FileChange | undefined, way: string, notes: readonly string[]): RegistrationReport {
  const diff = change === undefined ? '' : describeChange(change.file, change.before?.toString('utf8'), change.after?.toString('utf8'));
  return { way, changedFiles: change === undefined ? [] : [change.file], notes, diff, ok: true, duplicates: [] };
}
