/**
 * Whether this editor's Node has a usable `node:sqlite`. Asked before anything else is
 * loaded: without it the extension still activates and says what is missing.
 */
import { createRequire } from 'node:module';

export interface SqliteProbe {
  readonly usable: boolean;
  readonly nodeVersion: string;
  /** The failure, for the log. */
  readonly detail?: string;
}

/** FTS5 is what the keyword search stands on, so its absence counts as absence. */
export function probeSqlite(moduleUrl: string, nodeVersion: string): SqliteProbe {
  try {
    const sqlite = createRequire(moduleUrl)('node:sqlite') as { DatabaseSync: new (path: string) => { exec(sql: string): void; close(): void } };
    const database = new sqlite.DatabaseSync(':memory:');
    try {
      database.exec('CREATE VIRTUAL TABLE probe USING fts5(text)');
    } finally {
      database.close();
    }
    return { usable: true, nodeVersion };
  } catch (error) {
    return { usable: false, nodeVersion, detail: error instanceof Error ? error.message : String(error) };
  }
}
