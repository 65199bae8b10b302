/**
 * Runs the built command line once and hands back what a script would see.
 */
import { spawn } from 'node:child_process';
import { findProgram } from './program.ts';
import type { TemporaryHome } from './temporaryHome.ts';

export interface CairnRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON. Throws with both outputs in the message where it is not. */
  json<T = Record<string, unknown>>(): T;
  /** stdout as one JSON value per line. */
  jsonLines<T = Record<string, unknown>>(): T[];
}

export interface RunOptions {
  readonly home: TemporaryHome;
  /** Working directory; usually a repository. */
  readonly cwd: string;
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** After this long the process is killed and the run rejects. */
  readonly timeoutMs?: number;
  /** Whom it runs as; default: whoever runs the tests. */
  readonly user?: { readonly uid?: number; readonly gid?: number };
  /** Node that runs it; default: the one that runs the tests. */
  readonly node?: string;
}

export function runCairn(args: readonly string[], options: RunOptions): Promise<CairnRun> {
  const child = spawn(options.node ?? process.execPath, [findProgram(), ...args], {
    cwd: options.cwd, env: { ...options.home.env, ...options.env }, stdio: ['pipe', 'pipe', 'pipe'], ...options.user,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => undefined); // a program that ends without reading its input closes the pipe: its exit code tells the rest
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`cairn ${args.join(' ')} did not end.\nstdout: ${Buffer.concat(out).toString()}\nstderr: ${Buffer.concat(err).toString()}`));
    }, options.timeoutMs ?? 110_000);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const stdout = Buffer.concat(out).toString('utf8');
      const stderr = Buffer.concat(err).toString('utf8');
      const parse = <T>(text: string): T => {
        try {
          return JSON.parse(text) as T;
        } catch (cause) {
          throw new Error(`cairn ${args.join(' ')} printed no JSON (exit code ${code}).\nstdout: ${stdout}\nstderr: ${stderr}`, { cause });
        }
      };
      resolve({
        code, signal, stdout, stderr,
        json: <T>() => parse<T>(stdout),
        jsonLines: <T>() => stdout.split('\n').filter((line) => line.trim() !== '').map((line) => parse<T>(line)),
      });
    });
  });
}
