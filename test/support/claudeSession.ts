/**
 * Session files as Claude Code writes them: one turn of the person and a short answer each.
 */
import fs from 'node:fs';
import path from 'node:path';

const SESSION_ID = '3b0f6c0e-51d4-4c0e-8d0a-6c5f9d1e2a77';

interface Line {
  readonly sessionId: string;
  readonly uuid: string;
  readonly [name: string]: unknown;
}

/** Writes a session of the repository at `cwd`; returns its file. */
export function writeSession(claudeDirectory: string, cwd: string, said: readonly string[]): string {
  const folder = path.join(claudeDirectory, 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${SESSION_ID}.jsonl`);
  fs.writeFileSync(file, '');
  for (const text of said) append(file, { sessionId: SESSION_ID, cwd, version: '2.1.332', gitBranch: 'main', isSidechain: false, userType: 'external' }, null, text);
  return file;
}

/** The person says one thing more in the session of this file. */
export function continueSession(file: string, text: string): void {
  const { sessionId, uuid, cwd, version, gitBranch, isSidechain, userType } = JSON.parse(fs.readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '') as Line;
  append(file, { sessionId, cwd, version, gitBranch, isSidechain, userType }, uuid, text);
}

function append(file: string, common: Readonly<Record<string, unknown>>, parentUuid: string | null, text: string): void {
  const [user, assistant] = [crypto.randomUUID(), crypto.randomUUID()];
  const lines = [
    { ...common, type: 'user', uuid: user, parentUuid, timestamp: new Date().toISOString(), message: { role: 'user', content: text } },
    { ...common, type: 'assistant', uuid: assistant, parentUuid: user, timestamp: new Date().toISOString(), message: { id: `msg_${assistant}`, role: 'assistant', model: 'claude', content: [{ type: 'text', text: 'Understood.' }] } },
  ];
  fs.appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
