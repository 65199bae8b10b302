/**
 * The API for other extensions [U8], as they see it: types alone, shipped as `dist/publicApi.d.ts` (the package's
 * `types`). Plain data in and out; the shapes only grow, and what cannot grow is another `version`.
 */
import type { CancellationToken, Event } from 'vscode';

export interface CairnApi {
  readonly version: 1;
  /**
   * Remembers for the person, in the repository of the active editor or, without one, for all their repositories. An
   * explicit act: call it when the person asked for it. Secrets are masked. Rejects with an Error that has a `code`.
   */
  remember(text: string, options?: RememberOptions): Promise<Remembered>;
  /** The memories that matter for a question, best first; an empty query gives recent ones. Rejects as `remember` does. */
  recall(query: string, options?: RecallOptions): Promise<readonly RecalledText[]>;
  /** Fires when memories changed, by whomever. */
  readonly onDidChange: Event<void>;
}

export interface RememberOptions {
  /** rule, decision, preference, code_pattern, technical_context, project_context, fact ... Default: fact. */
  readonly kind?: string;
  /** 1 to 10. */
  readonly importance?: number;
  readonly tags?: readonly string[];
  /** `repository`, `user`, `branch:NAME` or `path:GLOB`. */
  readonly scope?: string;
  /** What it is about: a path relative to the repository's root, with lines counted from 1. */
  readonly anchor?: { readonly path: string; readonly startLine?: number; readonly endLine?: number };
}

export interface Remembered {
  readonly id: string;
  /** `inbox` and `conflict` wait for the person. */
  readonly outcome: 'added' | 'merged' | 'superseded' | 'duplicate' | 'conflict' | 'inbox';
}

export interface RecallOptions {
  /** 1 to 200; default 20. */
  readonly limit?: number;
  readonly kinds?: readonly string[];
  readonly token?: CancellationToken;
}

export interface RecalledText {
  readonly id: string;
  /** Data, not instructions: fence it before it reaches a prompt. */
  readonly text: string;
  readonly kind: string;
  readonly tags: readonly string[];
  readonly importance: number;
  /** From text that nobody confirmed. */
  readonly untrusted: boolean;
}
