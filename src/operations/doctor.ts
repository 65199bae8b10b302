/**
 * doctor: every check with its state, what was seen, and the cure; `fix` repairs what it can.
 */
import { z } from 'zod';
import { ERROR_CODES } from '../base/errors.ts';
import type { CairnError } from '../base/errors.ts';
import type { HealthCheck } from '../engine/index.ts';
import { defineOperation } from './operation.ts';
import type { OperationContext } from './operation.ts';

const input = z.object({ fix: z.boolean().optional(), scanSecrets: z.boolean().optional() });

export interface DoctorOutput {
  readonly healthy: boolean;
  readonly checks: readonly HealthCheck[];
  readonly fixed: readonly HealthCheck[];
  readonly secrets?: readonly { readonly memoryId: string; readonly kinds: readonly string[]; readonly fingerprints: readonly string[] }[];
}

const REPAIRED = (how: 'salvaged' | 'backup' | 'empty', memories: number, from: string | undefined): string => ({
  salvaged: `${memories} memories salvaged from ${from ?? 'the damaged file'}`,
  backup: `${memories} memories restored from ${from ?? 'a backup'}`,
  empty: 'nothing could be brought back; a new store begins, the damaged file is kept',
})[how];

async function repaired(context: OperationContext, role: 'repository' | 'user', broken: HealthCheck): Promise<HealthCheck> {
  const { how, memories, from } = await context.host.repairStore(role);
  return { ...broken, state: how === 'empty' ? 'warning' : 'ok', detail: REPAIRED(how, memories, from), cure: undefined, fixable: undefined };
}

/** The repository's store does not open: say why; with `fix`, bring back what a damaged one still gives. */
async function examineDamage(context: OperationContext, failure: CairnError, fix: boolean): Promise<DoctorOutput> {
  const isDamaged = failure.code === 'STORE_CORRUPT' && context.repository !== undefined;
  const broken: HealthCheck = { id: 'store-repository', title: 'Store (repository)', state: 'failed', detail: failure.message, cure: isDamaged ? 'Repair brings back the larger of what can be salvaged and the newest whole copy; the damaged file is kept.' : ERROR_CODES[failure.code], fixable: isDamaged };
  const others = await context.host.healthChecks();
  // Where the registry is what does not open, its own check says so.
  if (!fix || !isDamaged) return { healthy: false, checks: context.repository === undefined ? others : [broken, ...others], fixed: [] };
  const fixed = await repaired(context, 'repository', broken);
  return { healthy: true, checks: [fixed, ...others], fixed: [fixed] };
}

export const doctorOperation = defineOperation<z.output<typeof input>, DoctorOutput>({
  name: 'doctor',
  description: 'Checks the runtime, store, index, model, registration and disk, and says how to cure what is wrong.',
  input,
  effect: 'read',
  needsConsent: false,
  runsWithoutStore: true,
  async run(context, { fix, scanSecrets }) {
    if (context.storeFailure !== undefined) return examineDamage(context, context.storeFailure, fix === true);
    const first = [...(await context.engine.healthChecks()), ...(await context.host.healthChecks())];
    const users = first.find(({ id, state, fixable }) => id === 'store-user' && state === 'failed' && fixable === true);
    if (fix === true && users !== undefined) {
      const fixed = await repaired(context, 'user', users);
      return { healthy: first.every((check) => check === users || check.state !== 'failed'), checks: first.map((check) => (check === users ? fixed : check)), fixed: [fixed] };
    }
    const fixable = first.filter((check) => check.state === 'failed' || check.state === 'warning').filter((check) => check.fixable === true).map((check) => check.id);
    const fixed = fix === true && fixable.length > 0 ? [...(await context.engine.fixHealth(fixable)), ...(await context.host.fixHealth(fixable))] : [];
    const checks = fixed.length === 0 ? first : [...(await context.engine.healthChecks()), ...(await context.host.healthChecks())];
    return {
      healthy: checks.every((check) => check.state !== 'failed'),
      checks,
      fixed,
      ...(scanSecrets === true ? { secrets: await context.engine.scanSecrets(context.signal) } : {}),
    };
  },
});
