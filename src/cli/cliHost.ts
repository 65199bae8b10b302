/**
 * CliHost: what main.ts gives the command line beyond Io: how to reach the engine and how
 * to register with Claude Code.
 */
import type { EngineClient } from '../worker/index.ts';

export interface RegistrationReport {
  readonly way: string;
  readonly changedFiles: readonly string[];
  readonly notes: readonly string[];
  readonly diff?: string;
  readonly ok: boolean;
}

/** What a person asked for beside the registration itself. */
export interface OfferRequest {
  readonly claudeHome?: string;
  /** Root of the repository whose files are meant. */
  readonly root: string;
  readonly section?: boolean;
  readonly allowTools?: boolean;
  readonly contextFile?: { readonly repositoryId: string; readonly block: string };
}

export interface CliHost {
  readonly version: string;
  readonly now: () => number;
  /** `claudeHome` stands for the home folder that holds `.claude/`. */
  openClient(options: { claudeHome?: string }): Promise<EngineClient>;
  register(options: { claudeHome?: string; way?: string; desktop?: boolean }): Promise<RegistrationReport>;
  unregister(options: { claudeHome?: string; desktop?: boolean }): Promise<RegistrationReport>;
  /** One sentence for each thing done. */
  acceptOffers(request: OfferRequest): string[];
  withdrawOffers(root: string): string[];
}
