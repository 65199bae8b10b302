/**
 * PieceTable: the vocabulary of a tokenizer, found by its text. One string and three arrays of
 * numbers, searched by hash with open addressing: a Map of 57,000 pieces takes five times the
 * memory, in every process that embeds.
 */
export class PieceTable {
  readonly size: number;
  readonly #text: string;
  /** Piece `id` is the text from `#starts[id]` to `#ends[id]`. */
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  /** Ids, each at the first free place from its hash on; -1 is free. */
  readonly #places: Int32Array;

  /** `lines`: one piece a line, up to a tab where there is one; the line's number is the id. Of equal pieces the last is found. */
  constructor(lines: string) {
    this.#text = lines.replace(/\n$/, '');
    const starts = [0];
    for (let at = this.#text.indexOf('\n'); at >= 0; at = this.#text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.size = starts.length;
    this.#starts = Uint32Array.from(starts);
    this.#ends = this.#starts.map((start, id) => {
      const lineEnd = id + 1 < starts.length ? (starts[id + 1] ?? 0) - 1 : this.#text.length;
      const tab = this.#text.slice(start, lineEnd).lastIndexOf('\t');
      return tab < 0 ? lineEnd : start + tab;
    });
    this.#places = new Int32Array(2 ** Math.ceil(Math.log2(this.size * 2))).fill(-1);
    for (let id = 0; id < this.size; id += 1) this.#places[this.#placeOf(this.piece(id))] = id;
  }

  idOf(piece: string): number | undefined {
    const id = this.#places[this.#placeOf(piece)] ?? -1;
    return id < 0 ? undefined : id;
  }

  piece(id: number): string {
    return this.#text.slice(this.#starts[id], this.#ends[id]);
  }

  /** What stands behind the tab of a piece's line. */
  fieldOf(id: number): string {
    const end = this.#text.indexOf('\n', this.#ends[id]);
    return this.#text.slice((this.#ends[id] ?? 0) + 1, end < 0 ? undefined : end);
  }

  /** Where the piece is, or the free place where it would be. */
  #placeOf(piece: string): number {
    const last = this.#places.length - 1;
    for (let place = hashOf(piece) & last; ; place = (place + 1) & last) {
      const id = this.#places[place] ?? -1;
      if (id < 0 || this.#is(id, piece)) return place;
    }
  }

  #is(id: number, piece: string): boolean {
    const start = this.#starts[id] ?? 0;
    return (this.#ends[id] ?? 0) - start === piece.length && this.#text.startsWith(piece, start);
  }
}

/** FNV-1a over UTF-16 code units (Fowler, Noll, Vo; RFC 9923). */
function hashOf(piece: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < piece.length; i += 1) hash = Math.imul(hash ^ piece.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}
