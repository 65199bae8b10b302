/**
 * What other extensions get from `vscode.extensions.getExtension('cairn.cairn-memory').exports` [U8];
 * its types are publicApi.ts.
 */
import * as vscode from 'vscode';
import type { RecallResult } from '../engine/index.ts';
import type { RememberOperationInput } from '../operations/remember.ts';
import type { Acts } from './acts.ts';
import type { EngineAccess } from './engineAccess.ts';
import type { HostState } from './hostState.ts';
import type { CairnApi } from './publicApi.ts';
import type { WorkspaceTarget } from './workspaceTarget.ts';

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
    async remember(text, { anchor, tags, ...others } = {}) {
      ready();
      const place = workspace.current;
      const input: RememberOperationInput = { text, ...others, ...(tags === undefined ? {} : { tags: [...tags] }), ...(anchor === undefined ? {} : { anchors: [anchor] }), ...(place.kind === 'folder' ? {} : { scope: 'user' }) };
      const { id, outcome } = await acts.remember(input, place.target, 'extension');
      state.bump();
      return { id, outcome };
    },
    async recall(query, { kinds, limit, token } = {}) {
      ready();
      const controller = new AbortController();
      const cancelled = token?.onCancellationRequested(() => { controller.abort(); });
      if (token?.isCancellationRequested === true) controller.abort();
      try {
        const { results } = await engine.ask<RecallResult>('recall', { query, ...(limit === undefined ? {} : { limit }), ...(kinds === undefined ? {} : { kinds: [...kinds] }) }, workspace.current.target, { signal: controller.signal });
        return results.map(({ memory }) => ({ id: memory.id, text: memory.text, kind: memory.kind, tags: [...memory.tags], importance: memory.importance, untrusted: memory.untrusted }));
      } finally {
        cancelled?.dispose();
      }
    },
    onDidChange: changed.event,
    dispose: () => {
      subscription.dispose();
      changed.dispose();
    },
  };
}

