/**
 * The rig itself: the real client, offline, in a scratch home, says what the script says and asks through a tool.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { CLAUDE_VERSIONS, promptClaude, readTranscripts } from '../support/claudeRig/claudeClient.ts';
import { findInRequests, startFakeApi, type FakeApi } from '../support/claudeRig/fakeApi.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

let api: FakeApi | undefined;
afterEach(() => api?.close());

for (const version of CLAUDE_VERSIONS) {
  describe(`the Claude Code client ${version}`, () => {
    it('runs offline in a scratch home and reads a file of the repository through its own tool', async () => {
      const repository = createTemporaryRepository({ files: { 'note.txt': 'the marker is KESTREL-7\n' } });
      const home = createTemporaryHome();
      api = await startFakeApi({ strict: true, turns: [{ tool: { name: 'Read', input: { file_path: repository.path('note.txt') } } }, { text: 'It says KESTREL.' }] });

      const run = await promptClaude('What does the note say?', { home, cwd: repository.directory, version, api, args: ['--allowedTools', 'Read'] });

      expect(run.result?.result, run.stderr).toBe('It says KESTREL.');
      expect(findInRequests(api, 'the marker is KESTREL-7')).toHaveLength(1);
      expect(api.unusedTurns()).toEqual([]);
      expect(readTranscripts(home)).not.toEqual([]);
    });
  });
}
