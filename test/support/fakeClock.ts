/**
 * A clock that stands still until a test moves it.
 */
import type { Clock, EpochMs } from '../../src/base/clock.ts';

export const DAY_MS = 86_400_000;

export class FakeClock implements Clock {
  #now: EpochMs;

  /** `start` is an ISO time or epoch milliseconds. */
  constructor(start: string | EpochMs = '2026-03-01T09:00:00Z') {
    this.#now = typeof start === 'string' ? Date.parse(start) : start;
  }

  now(): EpochMs {
    return this.#now;
  }

  advance(byMs: number): EpochMs {
    this.#now += byMs;
    return this.#now;
  }

  advanceDays(days: number): EpochMs {
    return this.advance(days * DAY_MS);
  }

  set(time: string | EpochMs): void {
    this.#now = typeof time === 'string' ? Date.parse(time) : time;
  }
}
