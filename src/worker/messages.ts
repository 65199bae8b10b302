/**
 * Messages between a host's thread and its engine worker: structured clones, one shape per
 * kind. Errors cross as SerializedError, since `instanceof` does not.
 */
import type { SerializedError } from '../base/errors.ts';
import type { Actor } from '../engine/index.ts';
import type { Progress } from '../operations/index.ts';
import type { HostKeys } from '../runtime/settings.ts';
import type { StoreChange, Target } from './engineClient.ts';

/** What the worker needs to build its runtime; plain data. */
export interface WorkerSettings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processName: string;
  readonly claudeFolder?: string;
  /** Keys of providers from the host's own secret storage. */
  readonly keys?: HostKeys;
  /** Which questions the host answers. */
  readonly hostParts: readonly HostQuestion[];
}

export type HostQuestion = 'healthChecks' | 'fixHealth' | 'findModel' | 'askModel';

export type ToWorker =
  | { readonly type: 'call'; readonly callId: number; readonly operation: string; readonly input: unknown; readonly target: Target; readonly actor: Actor }
  | { readonly type: 'cancel'; readonly callId: number }
  | { readonly type: 'listen'; readonly on: boolean }
  /** A part of an answer that comes in parts. */
  | { readonly type: 'piece'; readonly askId: number; readonly piece: unknown }
  | { readonly type: 'answer'; readonly askId: number; readonly value?: unknown; readonly error?: SerializedError }
  | { readonly type: 'close' };

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'failedToStart'; readonly error: SerializedError }
  | { readonly type: 'result'; readonly callId: number; readonly output: unknown }
  | { readonly type: 'error'; readonly callId: number; readonly error: SerializedError }
  | { readonly type: 'progress'; readonly callId: number; readonly progress: Progress }
  | { readonly type: 'change'; readonly change: StoreChange }
  | { readonly type: 'ask'; readonly askId: number; readonly question: HostQuestion; readonly input: unknown }
  | { readonly type: 'stopAsking'; readonly askId: number }
  | { readonly type: 'closed' };
