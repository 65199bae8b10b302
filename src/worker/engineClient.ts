/**
 * EngineClient: how a surface reaches the engine. Behind it is either this very thread
 * (command line) or a worker thread (extension host and MCP server, where nothing heavy
 * may run on the main thread); the surface cannot tell.
 */
import type { Disposable } from '../base/disposable.ts';
import type { Actor } from '../engine/index.ts';
import type { Progress } from '../operations/operation.ts';

/** Which stores a call is about. */
export interface Target {
  /** Absolute path of a folder inside the working tree. */
  readonly cwd?: string;
  /** Registered repository by id, name or path; wins over cwd. */
  readonly project?: string;
  /** Only the user's store. */
  readonly userOnly?: boolean;
  /** Relative path of the file the person is at. */
  readonly activePath?: string;
}

export interface CallOptions {
  readonly target: Target;
  readonly actor: Actor;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface StoreChange {
  readonly repositoryId: string | 'user';
  readonly epoch: number;
}

export interface EngineClient {
  /** Runs an operation by name. Rejects with CairnError; OPERATION_UNKNOWN for unknown names, INPUT_INVALID when the schema refuses. */
  call<Output = unknown>(operation: string, input: unknown, options: CallOptions): Promise<Output>;
  /** Fires when a store this client opened changed, by whomever (polled at 500 ms while listened to). */
  onDidChange(listener: (change: StoreChange) => void): Disposable;
  close(): Promise<void>;
}
