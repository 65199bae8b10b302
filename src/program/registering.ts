/**
 * Registration as the command line offers it.
 */
import { CairnError } from '../base/errors.ts';
import type { RegistrationReport } from '../cli/index.ts';

export async function registerClients(_options: { claudeHome?: string; way?: string; desktop?: boolean }): Promise<RegistrationReport> {
  throw new CairnError('REGISTRATION_FAILED', 'Registration is not wired yet.');
}

export async function unregisterClients(_options: { claudeHome?: string; desktop?: boolean }): Promise<RegistrationReport> {
  throw new CairnError('REGISTRATION_FAILED', 'Registration is not wired yet.');
}
