/**
 * `cairn mcp [-C DIR]`: the MCP server of the folder the client works in, with the engine in
 * a worker thread. stdout belongs to the protocol; everything else goes to stderr and the log.
 */
import path from 'node:path';
import { runStdioServer } from '../mcp/index.ts';
import { findProgramFolder } from '../runtime/programFolder.ts';
import { silenceSqliteWarning } from '../runtime/silenceWarnings.ts';
import { ThreadClient } from '../worker/index.ts';
import { workerFileOf } from './workerFile.ts';

export async function serveStdio(args: readonly string[]): Promise<void> {
  silenceSqliteWarning();
  // A library that prints must not speak into the protocol (invariant 8).
  const output = guardStdout();
  const program = findProgramFolder(import.meta.url);
  const log = (line: string): void => void process.stderr.write(`cairn mcp: ${line}\n`);
  const client = new ThreadClient({ workerFile: workerFileOf(program), env: { ...process.env }, processName: 'mcp', onStderr: (text) => process.stderr.write(text) });
  client.start();
  const stop = (): void => void process.stdin.destroy();
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  await runStdioServer({
    input: process.stdin,
    output,
    client,
    version: program.version,
    cwd: folderOf(args),
    sessionId: process.env['CLAUDE_CODE_SESSION_ID'],
    listLegacyNames: /^(1|true)$/i.test(process.env['CAIRN_MCP_LEGACY_TOOL_NAMES'] ?? ''),
    log,
  });
  // What still holds the process (a socket of the resident embedder, a timer of a library) must not outlive its client.
  process.exit(0);
}

function folderOf(args: readonly string[]): string {
  const flag = args.findIndex((arg) => arg === '-C' || arg === '--directory');
  const given = flag < 0 ? process.env['CLAUDE_PROJECT_DIR'] : args[flag + 1];
  return path.resolve(given ?? process.cwd());
}

/** The real stdout for the protocol; everybody else's writes to stdout go to stderr. */
function guardStdout(): NodeJS.WriteStream {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const protocol = new Proxy(stdout, { get: (target, key) => (key === 'write' ? write : bindTo(target, Reflect.get(target, key, target) as unknown)) });
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return protocol;
}

const bindTo = (target: object, value: unknown): unknown => (typeof value === 'function' ? (value.bind(target) as unknown) : value);
