/**
 * The last words of a session as context for a memory [K4]: the newest turn and one
 * neighbour on each side, from the turns taken into the store (redacted already).
 */
import { liveTurns } from './extraction/abandoned.ts';
import type { Engine } from './engineFacade.ts';
import { MAX_CONTEXT_LENGTH } from './model/memory.ts';
import { cutText } from './text/graphemes.ts';

/** Undefined when no turn of this session was taken yet. */
export async function turnContext(engine: Engine, sessionId: string): Promise<string | undefined> {
  const store = engine.store('repository') ?? engine.store('user');
  const turns = (store === undefined ? undefined : await liveTurns(store, sessionId))?.filter((turn) => !turn.sidechain && (turn.speaker === 'user' || turn.speaker === 'assistant')).slice(-3);
  if (turns === undefined || turns.length === 0) return undefined;
  return cutText(turns.map((turn) => `${turn.speaker}: ${turn.text}`).join('\n'), MAX_CONTEXT_LENGTH);
}
