/**
 * Entry of the hook program: `hook EVENT`, the event's JSON on stdin, the hook's contract on stdout.
 *
 * Whatever happens, it ends with exit code 0 within a second and prints its contract or nothing (invariant 7): a
 * memory must never cost a session. What is heavy is loaded after the cheap reasons to do nothing have been asked.
 */
import fs from 'node:fs';
import os from 'node:os';
import { resolveHome } from '../runtime/paths.ts';

/** Claude Code waits for a hook; from here on it goes on without us. More only where a slow machine was told to wait. */
const HARD_STOP_MS = Number(process.env['CAIRN_HOOK_DEADLINE_MS']) || 1_000;
/** A prompt with a pasted book is still smaller. */
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;

const timer = setTimeout(() => process.exit(0), Math.max(100, HARD_STOP_MS - process.uptime() * 1_000));
process.on('uncaughtException', () => process.exit(0));
process.on('unhandledRejection', () => process.exit(0));

async function readPayload(): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > MAX_PAYLOAD_BYTES) return '';
  }
  return Buffer.concat(parts).toString('utf8');
}

async function run(): Promise<string> {
  // Something that Cairn itself started fires our hooks: it must not remember itself.
  if (process.env['CAIRN_REENTRANT'] !== undefined) return '';
  const home = resolveHome(process.env, os.homedir());
  if (!fs.existsSync(home)) return '';
  const [{ parseHookPayload }, text] = await Promise.all([import('./hookPayload.ts'), readPayload()]);
  const payload = parseHookPayload(text, process.argv.slice(2).find((argument) => argument !== 'hook'));
  if (payload === undefined) return '';
  const [{ openHookHost }, { handleEvent }, { noteHookFired }] = await Promise.all([import('./hookHost.ts'), import('./handleEvent.ts'), import('../runtime/workQueue.ts')]);
  const host = await openHookHost(process.env, process.execPath, process.argv[1] ?? '');
  noteHookFired(host.home, payload.event, Date.now());
  return handleEvent(payload, host);
}

let output = '';
try {
  output = await run();
} catch {
  // Locked, damaged or full stores, a home that cannot be read: the session goes on, and doctor tells.
}
clearTimeout(timer);
// Exit only when the text has left: a pipe takes more than one write for a long block.
process.stdout.write(output, () => process.exit(0));
