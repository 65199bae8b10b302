/** PieceTable against a Map of the same pieces. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PieceTable } from '../../../../src/engine/embedding/bundled/pieceTable.ts';
import { repositoryDirectory } from '../../../support/program.ts';

describe('the table of a vocabulary', () => {
  it('finds every piece of a real vocabulary under its line number, and its field', () => {
    const text = fs.readFileSync(path.join(repositoryDirectory, 'media/models/use-multilingual/pieces.txt'), 'utf8');
    const table = new PieceTable(text);
    const lines = text.replace(/\n$/, '').split('\n');
    expect(table.size).toBe(lines.length);
    const found = lines.map((_, id) => [table.piece(id), table.fieldOf(id), table.idOf(table.piece(id)) === id]);
    expect(found).toEqual(lines.map((line) => [line.slice(0, line.lastIndexOf('\t')), line.slice(line.lastIndexOf('\t') + 1), true]));
  });

  it('does not find what is not there: parts of pieces, pieces with their field, nothing, halves of a surrogate pair', () => {
    const table = new PieceTable('alpha\t-1\nal\t-2\n🙂\t-3\n');
    expect(['alpha', 'al', '🙂'].map((piece) => table.idOf(piece))).toEqual([0, 1, 2]);
    for (const piece of ['alph', 'a', '', 'alpha\t-1', 'alpha\n', '\ud83d', '-1', 'l']) expect([piece, table.idOf(piece)]).toEqual([piece, undefined]);
  });

  it('takes lines without fields, with and without an end of the last line, and finds the last of equal ones', () => {
    for (const text of ['a\nb\na', 'a\nb\na\n']) {
      const table = new PieceTable(text);
      expect([table.size, table.idOf('a'), table.idOf('b'), table.piece(2)]).toEqual([3, 2, 1, 'a']);
    }
  });
});
