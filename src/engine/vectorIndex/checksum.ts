/**
 * Checksum of an index file: notices truncation and flipped bits. Not a defence against
 * anybody: the file is the user's own and can always be made again from rows.
 */

/** FNV-1a over 32-bit words, two lanes; every single flipped bit changes it. Yields between slices of 8 MB. */
export async function checksum(bytes: Uint8Array, pause: () => Promise<void>): Promise<string> {
  const words = new Uint32Array(bytes.byteOffset % 4 === 0 ? bytes.buffer : bytes.slice().buffer, bytes.byteOffset % 4 === 0 ? bytes.byteOffset : 0, bytes.byteLength >> 2);
  const SLICE = 2_097_152;
  let a = 0x811c9dc5;
  let b = bytes.byteLength | 0;
  for (let from = 0; from < words.length; from += SLICE) {
    const end = Math.min(words.length, from + SLICE);
    for (let i = from; i < end; i += 1) {
      const word = words[i] as number;
      a = Math.imul(a ^ word, 0x01000193);
      b = Math.imul(b ^ word, 0x85ebca6b) ^ (a >>> 15);
    }
    if (end < words.length) await pause();
  }
  for (let i = words.length * 4; i < bytes.byteLength; i += 1) a = Math.imul(a ^ (bytes[i] as number), 0x01000193);
  return `${(a >>> 0).toString(16).padStart(8, '0')}${(b >>> 0).toString(16).padStart(8, '0')}`;
}
