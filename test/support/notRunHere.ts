/**
 * For the few things that a platform cannot run: says so in the report of `npm test`, instead of a test that passes
 * without having tested. Call it where the test would have been registered.
 */
import { appendFileSync } from 'node:fs';

export function notRunHere(what: string, reason: string): void {
  const line = `${what}: ${reason}`;
  if (process.env.CAIRN_TEST_NOT_RUN_FILE !== undefined) appendFileSync(process.env.CAIRN_TEST_NOT_RUN_FILE, `${line}\n`);
  else process.stderr.write(`not run here: ${line}\n`);
}
