/**
 * Opens the wire of a page: schemas and handlers are loaded with the first page, since
 * activation must stay short and many windows never show one.
 */
import type { Acts } from '../acts.ts';
import type { ClaudeRegistration } from '../claudeRegistration.ts';
import type { EngineAccess } from '../engineAccess.ts';
import type { HostState } from '../hostState.ts';
import type { Log } from '../log.ts';
import type { Sources } from '../sources.ts';
import type { WorkspaceTarget } from '../workspaceTarget.ts';
import type { Handlers, OpenLink } from './webviewLink.ts';

export interface OpenLinkParts {
  readonly engine: EngineAccess;
  readonly workspace: WorkspaceTarget;
  readonly state: HostState;
  readonly acts: Acts;
  readonly sources: Sources;
  readonly registration: ClaudeRegistration;
  readonly home: string;
  readonly log: Log;
  readonly now: () => number;
}

export function createOpenLink(parts: OpenLinkParts): OpenLink {
  const { acts, engine, home, log, now, registration, sources, state, workspace } = parts;
  let handlers: Handlers | undefined;
  return async (webview) => {
    const [{ WebviewLink }, { memoryHandlers }, { inboxHandlers }, { pageHandlers }] = await Promise.all([import('./webviewLink.ts'), import('./memoryHandlers.ts'), import('./inboxHandlers.ts'), import('./pageHandlers.ts')]);
    handlers ??= {
      ...memoryHandlers({ engine, workspace, acts, sources, now }),
      ...inboxHandlers({ engine, workspace, sources, decided: (ids, what) => acts.decided(ids, what), did: (what, takeBack) => acts.did(what, takeBack), inOrder: async (act) => acts.inOrder(act) }),
      ...pageHandlers({ engine, state, workspace, registration, home }),
    };
    return new WebviewLink({ webview, handlers, snapshot: () => state.snapshot, log });
  };
}
