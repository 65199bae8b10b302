/**
 * Registration with Claude Code as the editor needs it: register, and know whether it
 * is there. What is written where is registration/'s business.
 */
export interface ClaudeRegistration {
  /** Idempotent. Throws CairnError with the cure. Resolves with one sentence: what was done. */
  register(): Promise<string>;
  unregister(): Promise<string>;
  inspect(): Promise<{ readonly registered: boolean; readonly detail: string }>;
}
