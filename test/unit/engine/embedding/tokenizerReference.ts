/** What every tokenizer of ours owes: the ids of the reference implementation (scripts/models/writeTokenizerReferences.py), and a frame that survives cutting. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Tokenizer } from '../../../../src/engine/embedding/bundled/tokenizer.ts';
import { repositoryDirectory } from '../../../support/program.ts';

/** `file` below media/models. */
export const readVocabulary = (file: string): string => fs.readFileSync(path.join(repositoryDirectory, 'media/models', file), 'utf8');

export function itFollowsTheReference(tokenizer: Tokenizer, reference: string, [first, last]: readonly [number, number]): void {
  const cases = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, reference), 'utf8')) as [string, number[]][];

  it(`gives the ids of the reference implementation for ${cases.length} texts in many scripts`, () => {
    const wrong = cases.filter(([text, ids]) => JSON.stringify(tokenizer.frame(tokenizer.encode(text), 100_000)) !== JSON.stringify(ids));
    expect(wrong.map(([text]) => text)).toEqual([]);
  });

  it('keeps both special tokens when it cuts a text to the length of the model', () => {
    const framed = tokenizer.frame(tokenizer.encode('word '.repeat(400)), 256);
    expect(framed).toHaveLength(256);
    expect([framed[0], framed[255]]).toEqual([first, last]);
  });
}
