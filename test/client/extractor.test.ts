/**
 * The Claude Code extractor with the real client: what it sends, that it fires no hook and leaves no transcript.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClaudeCodeExtractor, type RunClaude } from '../../src/engine/index.ts';
import { readAll } from '../contract/extractor.contract.ts';
import { CLAUDE_VERSIONS, readTranscripts, runClaude } from '../support/claudeRig/claudeClient.ts';
import { startFakeApi } from '../support/claudeRig/fakeApi.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';

describe.each(CLAUDE_VERSIONS)('Claude Code %s as extractor', (version) => {
  it('reads the batch, answers in JSON, runs no hook and keeps no transcript', async () => {
    const home = createTemporaryHome();
    const cwd = createTemporaryFolder('extractor');
    const trace = path.join(cwd, 'hook-fired');
    fs.mkdirSync(home.claudeDirectory, { recursive: true });
    fs.writeFileSync(path.join(home.claudeDirectory, 'settings.json'), JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command: `echo fired > ${trace}` }] }] } }));
    const answer = JSON.stringify({ statements: [{ text: 'PostgreSQL is the database, not MySQL.', quote: 'We decided on PostgreSQL, not MySQL.', turn: 2, kind: 'decision', importance: 8, confidence: 0.9, scope: 'repository' }] });
    const api = await startFakeApi({ turns: [{ text: answer, kind: 'any', times: 0 }] });
    const run: RunClaude = async (args, { stdin, env, timeoutMs }) => {
      const { code, stdout, stderr } = await runClaude(args, { home, cwd, version, api, stdin, env, timeoutMs });
      return { exitCode: code ?? 1, stdout, stderr };
    };
    const { statements } = await readAll(createClaudeCodeExtractor({ run }));
    expect(statements).toMatchObject([{ text: 'PostgreSQL is the database, not MySQL.', kind: 'decision', provenance: { turnKey: 'm2:0' } }]);
    const sent = JSON.stringify(api.messages().map((one) => one.body));
    expect(sent).toContain('worth remembering for later sessions');
    expect(sent).toContain('We decided on PostgreSQL, not MySQL.');
    expect(fs.existsSync(trace)).toBe(false);
    expect(readTranscripts(home)).toEqual([]);
    await api.close();
  });
});
