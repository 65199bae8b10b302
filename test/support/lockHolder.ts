/**
 * A process of its own that takes a store's write lock and keeps it until it is told to let go.
 */
import { spawn } from 'node:child_process';

export interface LockHolder {
  /** Resolves when the lock is free. */
  release(): Promise<void>;
}

const SCRIPT = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[1], { timeout: 20000 });
database.exec('BEGIN IMMEDIATE');
process.stdout.write('held');
process.stdin.once('data', () => { database.exec('COMMIT'); database.close(); process.exit(0); });
`;

/** Resolves when the lock is held. */
export async function holdWriteLock(file: string): Promise<LockHolder> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', SCRIPT, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`The lock holder ended with code ${code} before it held the lock.`)));
  });
  return {
    release: async () => {
      child.stdin.write('now');
      await ended;
    },
  };
}
