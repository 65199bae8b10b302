/**
 * What doctor asks about clients [O1]: is Claude Code registered, whole and once; have hooks fired lately.
 */
import type { HealthCheck } from '../engine/index.ts';
import { readHooksFired } from '../runtime/workQueue.ts';
import { inspect, register, type RegistrationOptions } from './register.ts';

const DAY_MS = 86_400_000;
const LATELY_MS = 7 * DAY_MS;

export function registrationHealth(options: RegistrationOptions): HealthCheck[] {
  return [registrationCheck(options), hooksCheck(options)];
}

function registrationCheck(options: RegistrationOptions): HealthCheck {
  const { state, way, detail, duplicates, problems } = inspect(options);
  const common = { id: 'claude-code', title: 'Registration with Claude Code' };
  if (problems.length > 0) return { ...common, state: state === 'registered' ? 'warning' : 'failed', detail: problems.join(' '), cure: 'Correct the file by hand, then run `cairn register`.' };
  if (state === 'absent') return { ...common, state: 'warning', detail, cure: 'Run `cairn register`.', fixable: true };
  if (state === 'disabled') return { ...common, state: 'warning', detail: `The plugin is switched off in Claude Code (${detail}).`, cure: 'Switch it on with /plugins, or run `cairn register`.' };
  if (state === 'incomplete') return { ...common, state: 'failed', detail: `Parts are missing or point elsewhere (${detail}).`, cure: 'Run `cairn register`.', fixable: true };
  if (duplicates.length > 0) return { ...common, state: 'warning', detail: duplicates.map(({ what }) => what).join(' '), cure: 'Remove the second one, or every turn is handled twice.' };
  return { ...common, state: 'ok', detail: `Registered by ${way} (${detail}).` };
}

function hooksCheck({ cairnHome, now }: RegistrationOptions): HealthCheck {
  const common = { id: 'hooks', title: 'Hooks of Claude Code' };
  const fired = [...readHooksFired(cairnHome)].sort((a, b) => b[1] - a[1]);
  const latest = fired[0];
  if (latest === undefined) return { ...common, state: 'unknown', detail: 'No hook has fired yet. They fire in a session of a repository with memory on.', cure: 'Start a session with `claude`, then look again.' };
  const ago = Math.max(0, now() - latest[1]);
  const names = fired.filter(([, at]) => now() - at < LATELY_MS).map(([name]) => name).sort();
  if (ago > LATELY_MS) return { ...common, state: 'warning', detail: `The last hook (${latest[0]}) fired ${Math.floor(ago / DAY_MS)} days ago.`, cure: 'In the editor\'s panel some hooks do not fire; the sidebar then follows the session files. In a terminal, run `cairn register`.' };
  return { ...common, state: 'ok', detail: `Fired in the last seven days: ${names.join(', ')}.` };
}

/** What `doctor --fix` can do here. */
export function fixRegistration(options: RegistrationOptions, ids: readonly string[]): HealthCheck[] {
  if (ids.length > 0 && !ids.includes('claude-code')) return [];
  const { state } = inspect(options);
  if (state === 'absent' || state === 'incomplete') register(options);
  return [registrationCheck(options)];
}
