/**
 * Fills the command line's Io and host from the real process.
 */
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { TextDecoder } from 'node:util';
import { CairnError } from '../base/errors.ts';
import { runCli } from '../cli/index.ts';
import type { CliHost, Io } from '../cli/index.ts';
import { findProgramFolder } from '../runtime/programFolder.ts';
import { assertRuntime, openRuntime } from '../runtime/runtime.ts';
import { Composition, InProcessClient, runtimeParts } from '../worker/index.ts';
import { fixRegistration, registrationHealth } from '../registration/index.ts';
import { acceptOffers, withdrawOffers } from './offering.ts';
import { registerClients, registrationOptions, unregisterClients } from './registering.ts';
import { workingFolder } from './workingFolder.ts';

export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const program = findProgramFolder(import.meta.url);
  const host: CliHost = {
    version: program.version,
    now: () => Date.now(),
    async openClient({ claudeHome }) {
      await assertRuntime();
      const runtime = await openRuntime({ env: process.env, role: 'command', processName: 'cli', ...runtimeParts() });
      const options = registrationOptions(claudeHome === undefined ? {} : { claudeHome });
      const onSettingProblem = (message: string): void => void process.stderr.write(`cairn: setting ignored: ${message}\n`);
      const parts = { onSettingProblem, healthChecks: async () => registrationHealth(options), fixHealth: async (ids: readonly string[]) => fixRegistration(options, ids) };
      return new InProcessClient(new Composition(runtime, parts, claudeHome === undefined ? undefined : path.join(path.resolve(claudeHome), '.claude')));
    },
    register: async (options) => registerClients(options),
    unregister: async (options) => unregisterClients(options),
    acceptOffers,
    withdrawOffers,
  };
  return runCli(createIo(argv, stop.signal), host);
}

function createIo(argv: readonly string[], signal: AbortSignal): Io {
  // `cairn list | head` closes the pipe early; that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    argv,
    env: process.env,
    cwd: workingFolder(),
    terminal: process.stdout.isTTY === true,
    columns: process.stdout.columns ?? 100,
    signal,
    stdinIsTerminal: process.stdin.isTTY === true,
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    readStdin,
    stdinLines,
    async ask(question) {
      if (process.stdin.isTTY !== true) return undefined;
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await terminal.question(question);
      } finally {
        terminal.close();
      }
    },
  };
}

/** Throws TEXT_MALFORMED: bytes that are not UTF-8 must not become question marks in a memory. */
async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch (cause) {
    throw new CairnError('TEXT_MALFORMED', 'stdin is not UTF-8 text.', { cause });
  }
}

async function* stdinLines(): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  for await (const part of process.stdin) {
    rest += decoder.decode(part as Buffer, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
