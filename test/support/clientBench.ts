/**
 * A home with Cairn installed and registered as a person has it, for one version of the real Claude Code: the built
 * program in the home, repositories with the yes, and the scripted API in place of the vendor's.
 */
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { promptClaude, type PromptRun } from './claudeRig/claudeClient.ts';
import { startFakeApi, type FakeApi, type Turn } from './claudeRig/fakeApi.ts';
import { runCairn } from './runCairn.ts';
import { createTemporaryHome, type TemporaryHome } from './temporaryHome.ts';
import { createTemporaryRepository, type TemporaryRepository } from './temporaryRepository.ts';
import { waitUntil } from './waitUntil.ts';

/** A client run may take long on a busy machine; nothing here measures time. */
export const CLIENT_TEST_MS = 300_000;
const SLOW_MACHINE = { CAIRN_HOOK_DEADLINE_MS: '40000', CAIRN_EMBEDDING_MODEL: 'off' };

export interface ClientBench {
  readonly home: TemporaryHome;
  readonly version: string;
  /** A repository in which memory is on; the first call registers with Claude Code as well. */
  repository(name: string): Promise<TemporaryRepository>;
  cairn<T = Record<string, unknown>>(repository: TemporaryRepository, ...args: string[]): Promise<T>;
  prompt(repository: TemporaryRepository, text: string, turns: readonly Turn[], args?: readonly string[]): Promise<PromptRun & { readonly api: FakeApi }>;
  /** `speaker: text` of the turns that the repository's store took of a session, in order. */
  takenTurns(repository: TemporaryRepository, sessionId: string): Promise<string[]>;
  /** The repository's store. */
  storeFile(repository: TemporaryRepository): string;
  closeApis(): Promise<void>;
}

export function createClientBench(version: string): ClientBench {
  const home = createTemporaryHome({ env: SLOW_MACHINE });
  const apis: FakeApi[] = [];
  const ids = new Map<string, string>();
  const bench: ClientBench = {
    home,
    version,
    async repository(name) {
      const repository = createTemporaryRepository({ name });
      const { repository: { id } } = await bench.cairn<{ repository: { id: string } }>(repository, 'init');
      ids.set(repository.directory, id);
      return repository;
    },
    async cairn<T>(repository: TemporaryRepository, ...args: string[]) {
      const run = await runCairn([...args, '--json'], { home, cwd: repository.directory });
      expect(run.code, `cairn ${args.join(' ')}: ${run.stderr}`).toBe(0);
      return run.json<T>();
    },
    async prompt(repository, text, turns, args = []) {
      const api = await startFakeApi({ turns });
      apis.push(api);
      const run = await promptClaude(text, { home, cwd: repository.directory, version, api, args, env: SLOW_MACHINE, timeoutMs: CLIENT_TEST_MS });
      expect(run.result?.is_error, `${run.stderr}\n${run.stdout.slice(-2_000)}`).not.toBe(true);
      return { ...run, api };
    },
    async takenTurns(repository, sessionId) {
      const database = new DatabaseSync(bench.storeFile(repository), { readOnly: true });
      try {
        return database.prepare('SELECT * FROM turn WHERE session_id = ? ORDER BY rowid').all(sessionId).map((row) => `${String(row['speaker'])}: ${String(row['text'])}`);
      } finally {
        database.close();
      }
    },
    storeFile: (repository) => path.join(home.cairnHome, 'repos', ids.get(repository.directory) ?? '', 'memory.db'),
    async closeApis() {
      await Promise.all(apis.splice(0).map(async (api) => api.close()));
    },
  };
  return bench;
}

/** The worker that hooks leave notes for has none left and is gone. */
export async function waitForWorker({ home }: ClientBench): Promise<void> {
  const folder = path.join(home.cairnHome, 'work');
  await waitUntil(() => fs.existsSync(folder) && fs.readdirSync(folder).length === 0 && !fs.existsSync(path.join(home.cairnHome, 'leases', 'work')), 'the worker of the hooks', 120_000);
}
