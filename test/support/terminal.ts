/**
 * The built command line at a real terminal: a pseudo-terminal of util-linux's `script`, so that the program asks as it
 * asks a person. What was shown holds stdout and stderr together, as on a screen.
 */
import { spawn } from 'node:child_process';
import { findProgram } from './program.ts';
import type { TemporaryHome } from './temporaryHome.ts';

export const hasTerminal = process.platform === 'linux';

export interface TerminalRun {
  readonly code: number | null;
  readonly screen: string;
}

export interface TerminalOptions {
  readonly home: TemporaryHome;
  readonly cwd: string;
  readonly columns?: number;
  /** When the program has shown this, `answer` and Enter are typed. */
  readonly question?: string;
  readonly answer?: string;
}

export function runAtTerminal(args: readonly string[], options: TerminalOptions): Promise<TerminalRun> {
  const program = [process.execPath, findProgram(), ...args].map((part) => `'${part.replaceAll('\'', '\'\\\'\'')}'`).join(' ');
  const command = options.columns === undefined ? program : `stty cols ${options.columns}; ${program}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { cwd: options.cwd, env: { TERM: 'xterm', ...options.home.env, SHELL: '/bin/sh' }, stdio: ['pipe', 'pipe', 'inherit'] });
  let screen = '';
  let hasAnswered = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    if (hasAnswered || options.question === undefined || !screen.includes(options.question)) return;
    hasAnswered = true;
    child.stdin.write(`${options.answer ?? ''}\r`);
  });
  child.stdin.on('error', () => undefined); // it ended without reading: the exit code tells
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, screen }));
  });
}
