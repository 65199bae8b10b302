/**
 * Values of a repository's `.env*` files, so that redaction knows secrets that look like
 * nothing. Read when asked, never stored, never logged.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseKeysFile } from './settings.ts';

/** Shorter values ("true", "3000", "postgres") are ordinary words. */
const MIN_LENGTH = 8;
const MAX_BYTES = 256 * 1024;
/** Examples hold placeholders that are meant to be seen. */
const EXAMPLE = /\.(example|sample|template|dist|defaults?)$/i;
/** What such files hold beside secrets. */
const HARMLESS = /^(?:https?:\/\/localhost(?::\d+)?\/?|development|production|localhost|[a-z-]+\.local|\/[\w./-]*)$/i;

export function createEnvValuesReader(root: string, now: () => number, freshMs = 5_000): () => readonly string[] {
  let kept: readonly string[] = [];
  let stamp = '';
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (Math.abs(now() - lookedAt) < freshMs) return kept;
    lookedAt = now();
    const files = listEnvFiles(root);
    const current = files.map(({ file, mark }) => `${file}:${mark}`).join('|');
    if (current !== stamp) {
      stamp = current;
      kept = [...new Set(files.flatMap(({ file }) => readValues(file)))];
    }
    return kept;
  };
}

function listEnvFiles(root: string): { file: string; mark: string }[] {
  try {
    return fs.readdirSync(root).filter((name) => /^\.env(\..+)?$/.test(name) && !EXAMPLE.test(name)).flatMap((name) => {
      const file = path.join(root, name);
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      return stat?.isFile() === true && stat.size <= MAX_BYTES ? [{ file, mark: `${stat.mtimeMs}:${stat.size}` }] : [];
    });
  } catch {
    return []; // the folder is gone or not ours to read: then it can give nothing away either
  }
}

function readValues(file: string): string[] {
  try {
    return [...parseKeysFile(fs.readFileSync(file, 'utf8')).values()].filter((value) => value.length >= MIN_LENGTH && !HARMLESS.test(value));
  } catch {
    return []; // not readable for this user, so nothing of it can be quoted
  }
}
