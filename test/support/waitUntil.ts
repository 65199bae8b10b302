/**
 * Waiting for a state instead of a time.
 */

/** Asks again until `look` gives something other than undefined, false or null; fails with `what` after `timeoutMs`. */
export async function waitUntil<T>(look: () => T | Promise<T>, what: string, timeoutMs = 90_000): Promise<NonNullable<T>> {
  const end = Date.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await look();
      if (value !== undefined && value !== null && value !== false) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error; // not yet: reported with the time-out, if it comes to that
    }
    if (Date.now() > end) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`, lastError === undefined ? {} : { cause: lastError });
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
