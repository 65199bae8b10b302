/**
 * What other extensions get from `vscode.extensions.getExtension('cairn.cairn-memory').exports` [U8].
 * Plain data in and out; the shapes only grow.
 */
import * as vscode from 'vscode';
import type { RecallResult } from '../engine/index.ts';
import type { RememberOperationInput } from '../operations/remember.ts';
import type { Acts } from './acts.ts';
import type { EngineAccess } from './engineAccess.ts';
import type { HostState } from './hostState.ts';
import type { WorkspaceTarget } from './workspaceTarget.ts';

export interface CairnApi {
  readonly version: 1;
  /** Remembers for the person: an explicit act. Rejects with an Error that has a `code`. */
  remember(text: string, options?: { readonly kind?: string; readonly importance?: number; readonly tags?: readonly string[]; readonly scope?: string }): Promise<{ readonly id: string; readonly outcome: string }>;
  recall(query: string, options?: { readonly limit?: number; readonly kinds?: readonly string[] }): Promise<readonly { readonly id: string; readonly text: string; readonly kind: string; readonly tags: readonly string[]; readonly importance: number }[]>;
  /** Fires when memories changed, by whomever. */
  readonly onDidChange: vscode.Event<void>;
}

export interface ApiParts {
  readonly acts: Acts;
  readonly engine: EngineAccess;
  readonly workspace: WorkspaceTarget;
  readonly state: HostState;
  readonly unsupported: string | undefined;
}

export function createApi({ acts, engine, workspace, state, unsupported }: ApiParts): CairnApi & vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  let revision = state.snapshot.revision;
  const subscription = state.onDidChange((snapshot) => {
    if (snapshot.revision === revision) return;
    revision = snapshot.revision;
    changed.fire();
  });
  const ready = (): void => {
    if (unsupported !== undefined) throw Object.assign(new Error(unsupported), { code: 'RUNTIME_UNSUPPORTED' });
    state.wake();
  };
  return {
    version: 1,
    async remember(text, options = {}) {
      ready();
      const place = workspace.current;
      const { tags, ...others } = options;
      const input: RememberOperationInput = { text, ...others, ...(tags === undefined ? {} : { tags: [...tags] }), ...(place.kind === 'folder' ? {} : { scope: 'user' }) };
      const { id, outcome } = await acts.remember(input, place.target, 'extension');
      state.bump();
      return { id, outcome };
    },
    async recall(query, options = {}) {
      ready();
      const { results } = await engine.ask<RecallResult>('recall', { query, ...(options.limit === undefined ? {} : { limit: options.limit }), ...(options.kinds === undefined ? {} : { kinds: [...options.kinds] }) }, workspace.current.target);
      return results.map(({ memory }) => ({ id: memory.id, text: memory.text, kind: memory.kind, tags: [...memory.tags], importance: memory.importance }));
    },
    onDidChange: changed.event,
    dispose: () => {
      subscription.dispose();
      changed.dispose();
    },
  };
}

