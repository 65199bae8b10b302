/**
 * Keeps one line of JSON small while it is read: string values beyond a limit are cut inside, so that a picture of
 * many megabytes costs neither memory nor the rest of its line.
 *
 * The bytes are walked once with three facts: inside a string or not, inside an escape or not, and how much of this
 * string was kept. A cut never falls into an escape or a UTF-8 sequence, so what comes out is still JSON.
 */

/** Bytes kept of one string value; more than the longest speech that is kept, in any script. */
export const MAX_STRING_BYTES = 128 * 1024;
/** A line that is longer than this after cutting holds no message of a conversation. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

export class LineSlimmer {
  #parts: Buffer[] = [];
  #bytes = 0;
  #inString = false;
  /** Bytes of an escape that are still to come; -1 directly after the backslash. */
  #escape = 0;
  #stringBytes = 0;
  #cutting = false;
  #overflowed = false;

  push(chunk: Buffer): void {
    if (this.#overflowed) return;
    let from = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (!this.#inString) {
        if (byte === QUOTE) {
          this.#inString = true;
          this.#stringBytes = 0;
        }
        continue;
      }
      const isBoundary = this.#escape === 0 && (byte & 0xc0) !== 0x80;
      if (isBoundary && byte === QUOTE) {
        if (this.#cutting) from = index;
        this.#cutting = false;
        this.#inString = false;
        continue;
      }
      if (!this.#cutting && isBoundary && this.#stringBytes >= MAX_STRING_BYTES) {
        this.#keep(chunk.subarray(from, index));
        this.#cutting = true;
      }
      this.#stringBytes += 1;
      this.#followEscape(byte);
    }
    if (!this.#cutting) this.#keep(chunk.subarray(from));
  }

  /** The line's text, or undefined when it stayed too long. */
  finish(): string | undefined {
    return this.#overflowed ? undefined : Buffer.concat(this.#parts).toString('utf8');
  }

  #followEscape(byte: number): void {
    if (this.#escape === -1) this.#escape = byte === LETTER_U ? 4 : 0;
    else if (this.#escape > 0) this.#escape -= 1;
    else if (byte === BACKSLASH) this.#escape = -1;
  }

  #keep(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_LINE_BYTES) {
      this.#overflowed = true;
      this.#parts = [];
      return;
    }
    // The chunk's memory is used again for the next read.
    this.#parts.push(Buffer.from(bytes));
  }
}
