/**
 * Ids: ULIDs, so that ids sort by creation and two machines never make the same one.
 * Monotonic within a process: a clock going back does not reorder or repeat ids.
 */
import { monotonicFactory } from 'ulid';
import type { Clock } from './clock.ts';

/** A 26-character ULID in Crockford's base 32, upper case. */
export type Id = string;

export interface IdSource {
  next(): Id;
}

/** `random` yields numbers in [0, 1); give a seeded one for replays. */
export function createIdSource(clock: Clock, random?: () => number): IdSource {
  const make = random === undefined ? monotonicFactory() : monotonicFactory(random);
  return { next: () => make(clock.now()) };
}

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const isId = (text: string): boolean => ULID.test(text);
