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

/** Types `answer` and Enter when the program has shown `question`. */
export function runAtTerminal(args: readonly string[], options: { home: TemporaryHome; cwd: string; question: string; answer: string }): Promise<TerminalRun> {
  const command = [process.execPath, findProgram(), ...args].map((part) => `'${part.replaceAll('\'', '\'\\\'\'')}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { cwd: options.cwd, env: { ...options.home.env, SHELL: '/bin/sh', TERM: 'xterm' }, stdio: ['pipe', 'pipe', 'inherit'] });
  let screen = '';
  let hasAnswered = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    if (hasAnswered || !screen.includes(options.question)) return;
    hasAnswered = true;
    child.stdin.write(`${options.answer}\r`);
  });
  child.stdin.on('error', () => undefined); // it ended without reading: the exit code tells
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, screen }));
  });
}
