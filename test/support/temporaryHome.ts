/**
 * A home of its own for one test: HOME, Claude Code's settings and Cairn's store, with the environment that leads a
 * child process there and nowhere else.
 */
import path from 'node:path';
import { mkdirSync } from 'node:fs';
import { createTemporaryFolder, writeFiles } from './temporaryFolder.ts';

export interface TemporaryHome {
  /** Holds everything below; removed when the test file is through. */
  readonly root: string;
  /** Stands for `~`; also what `--claude-home` takes. */
  readonly home: string;
  /** `home/.claude`. */
  readonly claudeDirectory: string;
  readonly cairnHome: string;
  /** The whole environment for a child process: PATH and language of the caller, everything else of this home. */
  readonly env: Readonly<Record<string, string>>;
}

export interface TemporaryHomeOptions {
  /** Files below `home`; objects become JSON. */
  readonly files?: Readonly<Record<string, string | object>>;
  /** Set CLAUDE_CONFIG_DIR to `home/claude-config` (then `.claude.json` is in there too). */
  readonly withClaudeConfigDirectory?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export function createTemporaryHome(options: TemporaryHomeOptions = {}): TemporaryHome {
  const root = createTemporaryFolder('home');
  const home = path.join(root, 'home');
  const cairnHome = path.join(home, '.cairn');
  const claudeDirectory = options.withClaudeConfigDirectory === true ? path.join(home, 'claude-config') : path.join(home, '.claude');
  mkdirSync(home, { recursive: true });
  writeFiles(home, options.files ?? {});
  const env: Record<string, string> = {
    ...keepFromCaller(['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'ComSpec', 'PATHEXT']),
    HOME: home,
    USERPROFILE: home,
    APPDATA: path.join(home, 'AppData', 'Roaming'),
    LOCALAPPDATA: path.join(home, 'AppData', 'Local'),
    CAIRN_HOME: cairnHome,
    TZ: 'UTC',
    NO_COLOR: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: path.join(home, '.gitconfig'),
    ...(options.withClaudeConfigDirectory === true ? { CLAUDE_CONFIG_DIR: claudeDirectory } : {}),
    ...options.env,
  };
  return { root, home, claudeDirectory, cairnHome, env };
}

function keepFromCaller(names: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of names) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
