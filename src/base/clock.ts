/**
 * Clock: the only way the engine learns the time, so that every policy can be replayed.
 */

/** Milliseconds since 1970-01-01T00:00Z. */
export type EpochMs = number;

export interface Clock {
  now(): EpochMs;
  /** Minutes by which the person's wall clock is ahead of UTC at an instant; UTC if absent. Only for days that a person names. */
  utcOffsetMinutes?(at: EpochMs): number;
}

/** The machine's clock. Made in one place; everything else takes a Clock. */
export const systemClock: Clock = { now: () => Date.now(), utcOffsetMinutes: (at) => -new Date(at).getTimezoneOffset() };
