/**
 * Clock: the only way the engine learns the time, so that every policy can be replayed.
 */

/** Milliseconds since 1970-01-01T00:00Z. */
export type EpochMs = number;

export interface Clock {
  now(): EpochMs;
}

/** The machine's clock. Made in one place; everything else takes a Clock. */
export const systemClock: Clock = { now: () => Date.now() };
