/**
 * What fills the views beside memories: a session as Claude Code writes it, put through `cairn save`, for the inbox, and
 * relations said by the MCP server's tool, for the graph.
 */
import fs from 'node:fs';
import path from 'node:path';
import { openSdkMcpClient } from '../support/mcpClient.ts';
import { runCairn } from '../support/runCairn.ts';
import type { TemporaryHome } from '../support/temporaryHome.ts';

const SESSION_ID = '7f3f1c9a-2f6b-4d3e-9a55-0d1c2b3a4e5f';

interface Place {
  readonly home: TemporaryHome;
  readonly cwd: string;
}

/** What a person said, one turn each; what of it is worth keeping is the gate's business. */
export async function saveSession(said: readonly string[], { home, cwd }: Place): Promise<void> {
  const folder = path.join(home.claudeDirectory, 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  fs.mkdirSync(folder, { recursive: true });
  const lines = said.flatMap((text, index) => {
    const at = new Date(Date.now() - (said.length - index) * 120_000).toISOString();
    const common = { sessionId: SESSION_ID, cwd, version: '2.1.332', gitBranch: 'main', isSidechain: false, userType: 'external' };
    return [
      { ...common, type: 'user', uuid: `u-${index}`, parentUuid: index === 0 ? null : `a-${index - 1}`, timestamp: at, message: { role: 'user', content: text } },
      { ...common, type: 'assistant', uuid: `a-${index}`, parentUuid: `u-${index}`, timestamp: at, message: { id: `m-${index}`, role: 'assistant', model: 'claude', content: [{ type: 'text', text: 'Understood.' }] } },
    ];
  });
  const file = path.join(folder, `${SESSION_ID}.jsonl`);
  fs.writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const run = await runCairn(['save'], { home, cwd, stdin: JSON.stringify({ transcript_path: file, session_id: SESSION_ID, cwd }) });
  if (run.code !== 0) throw new Error(`cairn save: ${run.stderr}`);
}

/** Subject, predicate, object, and the memory that says so. */
export async function relate(relations: readonly (readonly [string, string, string, string?])[], { home, cwd }: Place): Promise<void> {
  const client = await openSdkMcpClient({ home, cwd });
  for (const [subject, predicate, object, memoryId] of relations) await client.callTool({ name: 'relate', arguments: { subject, predicate, object, ...(memoryId === undefined ? {} : { memory_id: memoryId }) } });
  await client.close();
}
