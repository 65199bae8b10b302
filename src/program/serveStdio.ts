/**
 * `cairn mcp [-C DIR]`: the MCP server of the folder the client works in, with the engine in
 * a worker thread. stdout belongs to the protocol; everything else goes to stderr and the log.
 */
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runStdioServer } from '../mcp/index.ts';
import { readConsent } from '../runtime/consentReader.ts';
import { findProgramFolder } from '../runtime/programFolder.ts';
import { silenceSqliteWarning } from '../runtime/silenceWarnings.ts';
import { ThreadClient } from '../worker/index.ts';
import { workerFileOf } from './workerFile.ts';
import { workingFolder } from './workingFolder.ts';

export async function serveStdio(args: readonly string[]): Promise<void> {
  silenceSqliteWarning();
  keepWorkerSmall();
  // A library that prints must not speak into the protocol (invariant 8).
  // The engine starts when the first answer is out: a client waits for `initialize`, and nothing of it needs the engine.
  const output = guardStdout(() => client.start());
  const program = findProgramFolder(import.meta.url);
  const log = (line: string): void => void process.stderr.write(`cairn mcp: ${line}\n`);
  const client = new ThreadClient({ workerFile: workerFileOf(program), env: { ...process.env }, processName: 'mcp', onStderr: (text) => process.stderr.write(text) });
  const cwd = folderOf(args);
  const stop = (): void => void process.stdin.destroy();
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  await runStdioServer({
    input: process.stdin,
    output,
    client,
    version: program.version,
    cwd,
    readConsent: () => readConsent(process.env, cwd),
    sessionId: process.env['CLAUDE_CODE_SESSION_ID'],
    ...deadlineOf(process.env['CAIRN_HOOK_DEADLINE_MS']),
    listLegacyNames: /^(1|true)$/i.test(process.env['CAIRN_MCP_LEGACY_TOOL_NAMES'] ?? ''),
    log,
  });
  // What still holds the process (a socket of the resident embedder, a timer of a library) must not outlive its client.
  process.exit(0);
}

/**
 * V8 lets a new heap grow to 256 MB before it looks for garbage among what has lived a while, and doubles the room for
 * new things at each chance. A session's server lives long and has company: it looks from 24 MB on, and stays with the
 * room it has (after 600 prompts 172 -> 140 MB resident, after 20 recalls 122 -> 118, at the same processor time).
 */
function keepWorkerSmall(): void {
  setFlagsFromString('--initial-old-space-size=24');
  setFlagsFromString('--semi-space-growth-factor=1');
}

function folderOf(args: readonly string[]): string {
  const flag = args.findIndex((arg) => arg === '-C' || arg === '--directory');
  const given = flag < 0 ? process.env['CLAUDE_PROJECT_DIR'] : args[flag + 1];
  return given === undefined ? workingFolder() : path.resolve(workingFolder(), given);
}

/** The real stdout for the protocol; everybody else's writes to stdout go to stderr. */
function guardStdout(onFirstWrite: () => void): NodeJS.WriteStream {
  const { stdout, stderr } = process;
  const plainWrite = stdout.write.bind(stdout) as (...args: unknown[]) => boolean;
  let hasWritten = false;
  const write = (...args: unknown[]): boolean => {
    if (!hasWritten) setImmediate(onFirstWrite);
    hasWritten = true;
    return plainWrite(...args);
  };
  const protocol = new Proxy(stdout, { get: (target, key) => (key === 'write' ? write : bindTo(target, Reflect.get(target, key, target) as unknown)) });
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return protocol;
}

const bindTo = (target: object, value: unknown): unknown => (typeof value === 'function' ? (value.bind(target) as unknown) : value);

/** For machines on which everything is slow; the plugin's own limits follow it at registration. */
function deadlineOf(text: string | undefined): { hookDeadlineMs?: number } {
  const deadline = Number(text);
  return Number.isFinite(deadline) && deadline > 0 ? { hookDeadlineMs: deadline } : {};
}
