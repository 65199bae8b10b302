/**
 * doctor: every check with its state, what was seen, and the cure; `fix` repairs what it can.
 */
import { z } from 'zod';
import type { HealthCheck } from './hostServices.ts';
import { defineOperation } from './operation.ts';

const input = z.object({ fix: z.boolean().optional(), scanSecrets: z.boolean().optional() });

export interface DoctorOutput {
  readonly healthy: boolean;
  readonly checks: readonly HealthCheck[];
  readonly fixed: readonly HealthCheck[];
  readonly secrets?: readonly { readonly memoryId: string; readonly kinds: readonly string[] }[];
}

export const doctorOperation = defineOperation<z.output<typeof input>, DoctorOutput>({
  name: 'doctor',
  description: 'Checks the runtime, store, index, model, registration and disk, and says how to cure what is wrong.',
  input,
  effect: 'read',
  needsConsent: false,
  async run(context, { fix, scanSecrets }) {
    const first = [...(await context.engine.healthChecks()), ...(await context.host.healthChecks())];
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
