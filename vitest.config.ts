/**
 * How the tests run that need no editor: every file in a process of its own, with a scratch HOME for the whole run.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Those run inside the editor's extension host, where mocha drives them.
    exclude: ['test/extension/inHost/**', 'node_modules/**', 'dist/**', '.cache/**'],
    globalSetup: ['test/support/globalSetup.ts'],
    setupFiles: ['test/support/setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Generous: a time-out is for what hangs, never for what is slow on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    allowOnly: false,
    // Lists of findings are shown whole: a test that says "57 items" helps nobody.
    chaiConfig: { truncateThreshold: 4_000 },
    // node:sqlite says on Node 22 that it is experimental; that is known and would drown the rest.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  },
});
