/**
 * How long Claude Code itself keeps transcripts: `cleanupPeriodDays` of its settings, 30 days unless changed.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export const DEFAULT_RETENTION_DAYS = 30;

/** Read by pattern, since one number of somebody else's file (with comments, perhaps broken) is all that is wanted. */
export async function readRetentionDays(claudeDirectory: string): Promise<number> {
  for (const name of ['settings.local.json', 'settings.json']) {
    const text = await readFile(path.join(claudeDirectory, name), 'utf8').catch(() => '');
    const days = /"cleanupPeriodDays"\s*:\s*(\d{1,6})/.exec(text.replaceAll(/^\s*\/\/.*$/gm, ''))?.[1];
    if (days !== undefined) return Number(days);
  }
  return DEFAULT_RETENTION_DAYS;
}

/** Whole days until the client removes a transcript last written at `modifiedAt`; 0 when it may go at any start. */
export function daysLeft(modifiedAt: number, retentionDays: number, now: number): number {
  return Math.max(0, Math.floor((modifiedAt + retentionDays * 86_400_000 - now) / 86_400_000));
}
