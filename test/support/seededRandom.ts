/**
 * Repeatable chance for tests: mulberry32, a small generator whose whole state is one 32-bit number.
 */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The seed of a property test: CAIRN_TEST_SEED to repeat a failure, else the one given. Put it in the test's name. */
export function testSeed(fallback: number): number {
  const asked = Number(process.env.CAIRN_TEST_SEED);
  return Number.isInteger(asked) && asked > 0 ? asked : fallback;
}
