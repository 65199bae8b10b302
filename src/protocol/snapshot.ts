/**
 * What the host tells a webview unasked: the snapshot of everything around the lists,
 * and events that move the person somewhere.
 */
import './jitless.ts';
import * as z from 'zod';
import { PROPOSAL_VERBS } from './names.ts';
import { responseMessage } from './wire.ts';

export const TABS = ['memories', 'inbox', 'injected'] as const;
export const tabName = z.enum(TABS);
export type TabName = z.infer<typeof tabName>;

export const STATES = ['starting', 'on', 'off', 'paused', 'degraded', 'failed', 'unsupported'] as const;

export const hostSnapshot = z.object({
  state: z.enum(STATES),
  /** Why it is degraded, failed or unsupported, and what to do. */
  reason: z.string().optional(),
  workspace: z.enum(['folder', 'none', 'virtual', 'untrusted']),
  folders: z.array(z.object({ name: z.string(), active: z.boolean() })),
  repository: z.object({ id: z.string(), name: z.string() }).optional(),
  branch: z.string().optional(),
  counts: z.object({ memories: z.number(), user: z.number(), inbox: z.number() }),
  /** The file the person is at, if it lies in the repository. */
  activeFile: z.object({ path: z.string(), name: z.string() }).optional(),
  /** Rises whenever a store changed, by whomever; lists then ask again. */
  revision: z.number(),
});
export type HostSnapshot = z.infer<typeof hostSnapshot>;

export const viewEvent = z.discriminatedUnion('name', [
  z.object({ name: z.literal('showTab'), tab: tabName }),
  z.object({ name: z.literal('focusSearch'), query: z.string().optional() }),
  z.object({ name: z.literal('openMemory'), id: z.string(), edit: z.boolean().optional() }),
  z.object({ name: z.literal('toast'), message: z.string(), undo: z.boolean(), openId: z.string().optional() }),
  // Without an id: the memory that is open or chosen.
  z.object({ name: z.literal('act'), verb: z.enum(['pin', 'unpin', 'edit', 'copy', 'anchor', 'stillTrue', 'archive', 'restore', 'forget']), id: z.string().optional() }),
  // Without an id: the proposals that the keys act on, where the person sees them.
  z.object({ name: z.literal('decide'), verb: z.enum(PROPOSAL_VERBS), id: z.string().optional() }),
  z.object({ name: z.literal('focusGraph'), focus: z.string() }),
]);
export type ViewEvent = z.infer<typeof viewEvent>;

/** From the host. */
export const fromHost = z.union([
  responseMessage,
  z.object({
    type: z.literal('init'),
    /** Translated texts by their English original; empty in English. */
    words: z.record(z.string(), z.string()),
    locale: z.string(),
    snapshot: hostSnapshot,
  }),
  z.object({ type: z.literal('snapshot'), snapshot: hostSnapshot }),
  z.object({ type: z.literal('event'), event: viewEvent }),
]);
export type FromHost = z.infer<typeof fromHost>;
