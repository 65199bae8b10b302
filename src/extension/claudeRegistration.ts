/**
 * Registration with Claude Code as the editor needs it: register, take back, and know
 * whether it is there. What is written where is registration/'s business.
 */
import { CairnError } from '../base/errors.ts';
import type { HostQuestion } from '../worker/messages.ts';
import type { RunningProgram } from './programInstall.ts';

export interface ClaudeRegistration {
  /** Idempotent. Throws CairnError with the cure. Resolves with one sentence: what was done. */
  register(): Promise<string>;
  unregister(): Promise<string>;
  inspect(): Promise<{ readonly registered: boolean; readonly detail: string }>;
  /** What the engine's doctor asks of this host. */
  readonly hostParts: Readonly<Partial<Record<HostQuestion, (input: unknown) => Promise<unknown>>>>;
}

export interface RegistrationFacts {
  readonly program: () => Promise<RunningProgram>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly osHome: string;
}

export function openClaudeRegistration(facts: RegistrationFacts): ClaudeRegistration {
  const absent = async (): Promise<never> => {
    await facts.program();
    throw new CairnError('REGISTRATION_FAILED', 'This build has no registration.');
  };
  return { register: absent, unregister: absent, inspect: absent, hostParts: {} };
}
