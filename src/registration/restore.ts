/**
 * restoreRegistration: puts back what a running client stripped. Claude Code writes its settings as it read them at its
 * start, so what was added meanwhile is gone. Only what a person registered comes back: our plugin folder is written at
 * registration and removed at `unregister`, so it says whether they did. What they switched off stays off.
 */
import fs from 'node:fs';
import { marketplaceFolder } from './pluginFiles.ts';
import { inspect, register, type RegistrationOptions, type RegistrationReport } from './register.ts';

export interface Restored {
  /** What was found: nothing of ours, or parts of it. */
  readonly state: 'absent' | 'incomplete';
  readonly report: RegistrationReport;
}

/** Undefined when nothing had to be done. Throws what `register` throws. */
export function restoreRegistration(options: RegistrationOptions): Restored | undefined {
  if (!fs.existsSync(marketplaceFolder(options.cairnHome))) return undefined;
  const { state, way, problems } = inspect(options);
  if (problems.length > 0 || (state !== 'absent' && state !== 'incomplete')) return undefined;
  // User scope is never the first choice: somebody wanted it, or nothing else was allowed.
  return { state, report: register(way === 'user' ? { ...options, way } : options) };
}
