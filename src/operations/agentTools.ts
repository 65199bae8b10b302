/**
 * The operations as a model sees them, whichever surface offers them (MCP server, the editor's
 * language-model tools): short descriptions that say when to call, small schemas, and how
 * their arguments become operation input. All definitions together stay under 1,500 tokens
 * (pinned by a test); `recall` and `remember` are loaded at once, the others on demand.
 */
import { CairnError } from '../base/errors.ts';
import { MEMORY_KINDS } from '../engine/index.ts';
import type { MemoryDetail, RecallResult } from '../engine/index.ts';
import { contextText, detailText, inboxText, listText, outcomeText, recallText } from './agentTexts.ts';
import type { RelatedOutput } from './getMemory.ts';
import type { ListMemoriesOutput } from './listMemories.ts';
import type { RememberOutput } from './remember.ts';

export type Call = <T>(operation: string, input: unknown) => Promise<T>;
type Arguments = Record<string, unknown>;

/** What is remembered of one client's connection. */
export interface Connection {
  profileGiven: boolean;
  /** What the client handed over of the person's words, if it does. */
  readonly prompts?: () => readonly string[];
  /** False where calls run without the person seeing them: then nobody asked for what a model stores [P2]. */
  readonly isShown?: () => boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly properties: Record<string, object>; readonly required?: readonly string[] };
  readonly effect: 'read' | 'write' | 'destructive';
  readonly alwaysLoad?: boolean;
  /** Arguments that are taken too, and not listed since every definition costs tokens. */
  readonly alsoTakes?: readonly string[];
  /** By runTool of agentArguments.ts, which reads the arguments. */
  run(call: Call, args: Arguments, connection: Connection): Promise<string>;
}

/** [P2] Whether the person's own words ask for keeping this. */
async function isAsked(call: Call, statement: unknown, connection: Connection, replaces = false): Promise<boolean> {
  return connection.isShown?.() !== false && (await call<{ asked: boolean }>('personAsked', { text: statement, prompts: connection.prompts?.() ?? [], ...(replaces ? { replaces } : {}) })).asked;
}

const text = (description: string): object => ({ type: 'string', description });
const kind = { type: 'string', enum: MEMORY_KINDS };
const filters = {
  kind,
  tags: { type: 'array', items: { type: 'string' } },
  path: text('only memories about this file or folder'),
  since: text('ISO date, or an age such as 7d'),
  limit: { type: 'integer', minimum: 1, maximum: 200 },
};

/** Of the filters that a person has; never those that reach beyond this repository. */
const FURTHER_FILTERS = ['until', 'branch', 'via', 'pinned'];

const filterInput = (args: Arguments): Arguments => {
  const { kind: one, ...rest } = args;
  return one === undefined ? rest : { ...rest, kinds: Array.isArray(one) ? one : [one] };
};

/** One memory with everything around it, as a model reads it. */
export async function memoryText(call: Call, args: Arguments): Promise<string> {
  const detail = await call<MemoryDetail>('getMemory', args);
  return detailText(detail, (await call<RelatedOutput>('relatedMemories', args)).related);
}

export const TOOLS: readonly Tool[] = [
  {
    name: 'recall',
    description: 'What this repository\'s memory knows: decisions, rules, preferences, facts. Call before a choice that stored context could change, and when the person refers to earlier work or preferences.',
    inputSchema: { type: 'object', properties: { query: text('words or a question, any language; empty lists recent'), mode: { type: 'string', enum: ['hybrid', 'semantic', 'keyword'] }, ...filters }, required: ['query'] },
    effect: 'read',
    alwaysLoad: true,
    alsoTakes: FURTHER_FILTERS,
    run: async (call, args, connection) => recallText(await call<RecallResult>('recall', { ...filterInput(args), limit: args['limit'] ?? 8 }), await profileOnce(call, connection)),
  },
  {
    name: 'remember',
    description: 'Keeps one statement for later sessions. Call when the person asks to remember something, or states a lasting decision, rule or preference. Not for task progress.',
    inputSchema: {
      type: 'object',
      properties: {
        text: text('one self-contained statement, in the person\'s words and language'),
        kind,
        importance: { type: 'integer', minimum: 1, maximum: 10 },
        tags: { type: 'array', items: { type: 'string' } },
        scope: text('repository (default), user (everywhere), branch:NAME or path:GLOB'),
        path: text('file it is about'),
        supersedes: { type: 'array', items: { type: 'string' }, description: 'ids it replaces' },
      },
      required: ['text'],
    },
    effect: 'write',
    alwaysLoad: true,
    alsoTakes: ['confidence', 'pinned', 'expires'],
    async run(call, args, connection) {
      const { path, expires, ...rest } = args;
      const input = { ...rest, ...(path === undefined ? {} : { anchors: [{ path }] }), ...(expires === undefined ? {} : { expiresAt: expires }) };
      const asked = await isAsked(call, args['text'], connection);
      return outcomeText(await call<RememberOutput>('remember', { ...input, asked }));
    },
  },
  {
    name: 'update_memory',
    description: 'Corrects or removes a memory or profile value when the person says it is wrong or outdated.',
    inputSchema: { type: 'object', properties: { observation_id: text('id of the memory'), profile_key: text('key of the profile instead'), new_value: text('the corrected statement or value'), delete: { type: 'boolean' }, reason: text('the person\'s words') } },
    effect: 'write',
    alsoTakes: ['id'],
    async run(call, args, connection) {
      const { new_value: newValue, profile_key: key, delete: remove, reason } = args;
      // A memory that was forgotten comes back by undo, a value of the profile does not: taking it out needs the person's words too.
      const said = typeof newValue === 'string' ? newValue : remove === true && key !== undefined ? (reason ?? key) : undefined;
      const asked = typeof said === 'string' ? { asked: await isAsked(call, said, connection, true) } : {};
      return (await call<{ message: string }>('correct', { id: args['observation_id'] ?? args['id'], profileKey: args['profile_key'], newValue, remove: args['delete'], reason: args['reason'], ...asked })).message;
    },
  },
  {
    name: 'forget',
    description: 'Forgets memories the person no longer wants. Undoable by the person.',
    inputSchema: { type: 'object', properties: { ids: { type: 'array', items: { type: 'string' } }, reason: text('why') }, required: ['ids'] },
    effect: 'destructive',
    run: async (call, args) => `Forgotten: ${(await call<{ changed: string[] }>('forget', args)).changed.join(', ') || 'nothing'}. The person can undo this.`,
  },
  {
    name: 'list_memories',
    description: 'Pages through memories by filter, unranked.',
    inputSchema: { type: 'object', properties: { ...filters, offset: { type: 'integer', minimum: 0 }, status: { type: 'string', enum: ['active', 'archived', 'superseded', 'forgotten', 'inbox'] } } },
    effect: 'read',
    alsoTakes: [...FURTHER_FILTERS, 'order'],
    async run(call, args) {
      const { status, ...rest } = filterInput(args);
      return listText(await call<ListMemoriesOutput>('listMemories', { ...rest, limit: rest['limit'] ?? 20, ...(status === undefined ? {} : { statuses: Array.isArray(status) ? status : [status] }) }));
    },
  },
  {
    name: 'get_memory',
    description: 'One memory with quote, history, neighbours and whether its code still matches.',
    inputSchema: { type: 'object', properties: { id: text('id of the memory') }, required: ['id'] },
    effect: 'read',
    run: async (call, args) => memoryText(call, args),
  },
  {
    name: 'get_context',
    description: 'The background a session starts with: pinned memories, rules, profile, latest decisions.',
    inputSchema: { type: 'object', properties: { query: text('adds what is relevant to it') } },
    effect: 'read',
    run: async (call, args) => contextText(await call('getContext', args)),
  },
  {
    name: 'save_conversation',
    description: 'Takes what was said in this session into memory now. Call at the end of a long session.',
    inputSchema: { type: 'object', properties: { session_id: text('default: this session'), transcript_path: text('its transcript file') } },
    effect: 'write',
    run: async (call, args) => (await call<{ message: string }>('saveConversation', { sessionId: args['session_id'], transcriptPath: args['transcript_path'] })).message,
  },
  {
    name: 'review_inbox',
    description: 'Proposals that wait for the person: list them, or accept and reject as the person says.',
    inputSchema: { type: 'object', properties: { action: { type: 'string', enum: ['list', 'accept', 'reject'] }, ids: { type: 'array', items: { type: 'string' } }, limit: { type: 'integer', minimum: 1, maximum: 100 } } },
    effect: 'write',
    async run(call, args, connection) {
      const isDecision = args['action'] === 'accept' || args['action'] === 'reject';
      if (isDecision && !(await call<{ decides: boolean }>('personDecides', { prompts: connection.prompts?.() ?? [] })).decides) return 'Nothing was decided: that is the person\'s to do, and their last words say nothing of it. Show them the proposals and ask.';
      if (args['action'] === 'accept') return inboxText(await call('acceptObservation', { ids: args['ids'] }));
      if (args['action'] === 'reject') return inboxText(await call('rejectObservation', { ids: args['ids'] }));
      if (args['action'] !== undefined && args['action'] !== 'list') throw new CairnError('INPUT_INVALID', `There is no action "${String(args['action'])}". Use list, accept or reject.`, { data: { field: 'action' } });
      return inboxText(await call('listInbox', { limit: args['limit'] ?? 20 }));
    },
  },
  {
    name: 'relate',
    description: 'Links two entities, such as service "orders" uses "PostgreSQL".',
    inputSchema: { type: 'object', properties: { subject: text('entity'), predicate: text('verb'), object: text('entity'), memory_id: text('memory that says so') }, required: ['subject', 'predicate', 'object'] },
    effect: 'write',
    async run(call, args) {
      const { memory_id: memoryId, ...rest } = args;
      await call('relate', memoryId === undefined ? rest : { ...rest, memoryId });
      return 'Linked.';
    },
  },
];

/** The profile comes with the first recall of a connection, once [M1]. */
async function profileOnce(call: Call, connection: Connection): Promise<readonly { key: string; value: string }[]> {
  if (connection.profileGiven) return [];
  connection.profileGiven = true;
  return (await call<{ values: { key: string; value: string }[] }>('profile', {})).values;
}
