/**
 * Operation: our verb, defined once: an input schema, whether it changes anything, and a
 * handler. Command line, MCP server, hooks and editor call the same ones; a surface
 * translates, it does not decide.
 */
import type { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { CairnError } from '../base/errors.ts';
import type { Actor, Engine, ViewContext } from '../engine/index.ts';
import type { HostServices, RepositoryIdentity } from './hostServices.ts';

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

export interface OperationContext {
  /** Stores of the target: repository (if any) and user. */
  readonly engine: Engine;
  readonly repository?: RepositoryIdentity;
  readonly view: ViewContext;
  readonly actor: Actor;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly host: HostServices;
  /** Why the store that was asked for is not open; only for operations that run without it. */
  readonly storeFailure?: CairnError;
  progress(progress: Progress): void;
}

export interface Operation<Input = unknown, Output = unknown> {
  readonly name: string;
  /** One sentence that says when to use it. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly effect: 'read' | 'write' | 'destructive';
  /** False: also runs without the repository's yes (explicit acts of the person: add, import, status, config). */
  readonly needsConsent: boolean;
  /** True: also runs when the repository's store cannot be opened, to say why and to cure it; `storeFailure` is set then. */
  readonly runsWithoutStore?: boolean;
  run(context: OperationContext, input: Input): Promise<Output>;
}

export function defineOperation<Input, Output>(operation: Operation<Input, Output>): Operation<Input, Output> {
  return operation;
}
