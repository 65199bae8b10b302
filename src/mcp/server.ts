/**
 * The MCP server: operations as tools, resources and prompts of one repository. It holds no
 * logic of its own; everything heavy runs behind the EngineClient, so that ping and cancel
 * are answered while a recall waits for a model.
 *
 * Without the repository's yes it lists nothing and stores nothing; when the yes comes,
 * `tools/list_changed` announces the tools.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema, ErrorCode, GetPromptRequestSchema, ListPromptsRequestSchema, ListResourcesRequestSchema, ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema, McpError, ReadResourceRequestSchema, ResultSchema, RootsListChangedNotificationSchema, SubscribeRequestSchema, UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { serializeError } from '../base/errors.ts';
import { runTool } from '../operations/agentArguments.ts';
import { TOOLS } from '../operations/agentTools.ts';
import type { Call, Connection } from '../operations/agentTools.ts';
import type { CallOptions, EngineClient, Target } from '../worker/index.ts';
import { HOOK_TOOL, HookTool } from './hookTool.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { PlainServer } from './plainServer.ts';
import { getPrompt, PROMPTS } from './prompts.ts';
import { listResources, readResource, RESOURCE_TEMPLATES } from './resources.ts';
import { LEGACY_NAMES, toolDefinition } from './toolDefinitions.ts';

export interface McpServerOptions {
  readonly client: EngineClient;
  readonly version: string;
  /** Folder the client works in, until it names roots. */
  readonly cwd: string;
  readonly sessionId?: string;
  /** Known before `initialize` is answered, because instructions cannot be sent later. */
  readonly enabled: boolean;
  readonly listLegacyNames: boolean;
  /** How long a hook of Claude Code may take; default: about a second. */
  readonly hookDeadlineMs?: number;
  /** Turns a roots URI into a folder of this machine; undefined when it is not one. */
  readonly folderOfUri: (uri: string) => string | undefined;
  readonly log: (line: string) => void;
}

const CONSENT_POLL_MS = 1_000;

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface RunningMcpServer {
  readonly server: Server;
  /** Asks again whether the repository said yes; announces the tools when that changed. */
  refresh(): Promise<void>;
  dispose(): void;
}

export function createMcpServer(options: McpServerOptions): RunningMcpServer {
  let { enabled, cwd } = options;
  let paused = false;
  const server = new PlainServer(
    { name: 'cairn', version: options.version },
    { capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } }, ...(enabled ? { instructions: INSTRUCTIONS } : {}) },
  );
  const subscriptions = new Set<string>();
  const target = (): Target => ({ cwd });
  const actor = { surface: 'mcp' as const, ...(options.sessionId === undefined ? {} : { sessionId: options.sessionId }) };

  const ask = async <T>(operation: string, input: unknown, more: Partial<Pick<CallOptions, 'signal' | 'onProgress'>> = {}): Promise<T> => options.client.call<T>(operation, input, { target: target(), actor, ...more });
  const plainCall: Call = async (operation, input) => ask(operation, input);

  const refresh = async (): Promise<void> => {
    const consent = await ask<{ enabled: boolean; paused: boolean }>('consent', {});
    paused = consent.paused;
    const now = consent.enabled;
    if (now === enabled) return;
    enabled = now;
    await Promise.all([server.sendToolListChanged(), server.sendResourceListChanged(), server.sendPromptListChanged()]);
  };

  /** Checks the yes at each use: a repository switched off meanwhile is off. */
  const requireEnabled = async (): Promise<void> => {
    await refresh();
    if (!enabled && paused) throw new McpError(ErrorCode.InvalidRequest, 'Cairn is paused here. The person can let it go on in VS Code or with `cairn resume`.');
    if (!enabled) throw new McpError(ErrorCode.InvalidRequest, 'Cairn has not been switched on for this repository. The person can do so in VS Code or with `cairn init`.');
  };

  server.setRequestHandler(ListToolsRequestSchema, async () => {
    await refresh();
    if (!enabled) return { tools: [] };
    const legacy = options.listLegacyNames ? Object.entries(LEGACY_NAMES).flatMap(([name, of]) => TOOLS.filter((tool) => tool.name === of).map((tool) => toolDefinition(tool, name))) : [];
    return { tools: [...TOOLS.map((tool) => toolDefinition(tool)), ...legacy] } as { tools: never[] };
  });

  const hooks = new HookTool({ client: options.client, cwd, log: options.log, ...(options.hookDeadlineMs === undefined ? {} : { deadlineMs: options.hookDeadlineMs }) });
  const connection: Connection = { profileGiven: false, prompts: () => hooks.prompts };
  server.setRequestHandler(CallToolRequestSchema, async (request, extra): Promise<CallToolResult> => {
    // Not for the model, not listed, silent without the yes.
    if (request.params.name === HOOK_TOOL) return { content: [{ type: 'text', text: await hooks.answer(request.params.arguments ?? {}) }] };
    await requireEnabled();
    const name = LEGACY_NAMES[request.params.name] ?? request.params.name;
    const tool = TOOLS.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool "${request.params.name}". Tools: ${TOOLS.map((known) => known.name).join(', ')}.`);
    try {
      const call: Call = async (operation, input) => ask(operation, input, { signal: extra.signal, onProgress: progressOf(extra) });
      return { content: [{ type: 'text', text: await runTool(tool, call, request.params.arguments ?? {}, connection) }] };
    } catch (error) {
      // The model learns what went wrong and how to cure it; a fault of ours also goes to the log.
      const { code, message } = serializeError(error);
      if (code === 'INTERNAL') options.log(`tool ${name} failed: ${message}`);
      return failure(code, message);
    }
  });

  server.setRequestHandler(ListResourcesRequestSchema, async () => ({ resources: enabled ? await listResources(plainCall) : [] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({ resourceTemplates: enabled ? RESOURCE_TEMPLATES : [] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => {
    await requireEnabled();
    const contents = await readResource(plainCall, params.uri);
    if (contents === undefined) throw new McpError(-32002, `There is no resource ${params.uri}.`);
    return { contents };
  });
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => {
    subscriptions.add(params.uri);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, async ({ params }) => {
    subscriptions.delete(params.uri);
    return {};
  });
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: enabled ? PROMPTS : [] }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    await requireEnabled();
    return getPrompt(plainCall, params.name, params.arguments ?? {});
  });

  const followRoots = async (): Promise<void> => {
    if (server.getClientCapabilities()?.roots === undefined) return;
    try {
      const folder = rootUris(await server.request({ method: 'roots/list' }, ResultSchema)).map((uri) => options.folderOfUri(uri)).find((found) => found !== undefined);
      if (folder === undefined || folder === cwd) return;
      cwd = folder;
      await refresh();
    } catch (error) {
      // A client that does not answer keeps the folder it was started in.
      options.log(`roots/list: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  server.oninitialized = () => void followRoots();
  server.setNotificationHandler(RootsListChangedNotificationSchema, followRoots);

  const changes = options.client.onDidChange(() => {
    void (async () => {
      await refresh();
      for (const uri of subscriptions) await server.sendResourceUpdated({ uri });
    })().catch((error: unknown) => options.log(`update: ${error instanceof Error ? error.message : String(error)}`));
  });
  // The yes changes a settings file, not a store: until it comes it is asked for. Cheap, and only where Cairn is off.
  const waitingForYes = setInterval(() => {
    if (!enabled) void refresh().catch((error: unknown) => options.log(`consent: ${error instanceof Error ? error.message : String(error)}`));
  }, CONSENT_POLL_MS);
  waitingForYes.unref();
  return {
    server,
    refresh,
    dispose() {
      clearInterval(waitingForYes);
      changes.dispose();
    },
  };
}

/** Not by the SDK's own schema: it refuses the whole list where one root is no `file:` URI, such as a remote folder of an editor. */
function rootUris({ roots }: Readonly<Record<string, unknown>>): string[] {
  return (Array.isArray(roots) ? (roots as ({ uri?: unknown } | null)[]) : []).map((root) => root?.uri).filter((uri) => typeof uri === 'string');
}

const failure = (code: string, message: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text: `${message} (${code})` }] });

function progressOf(extra: Extra): CallOptions['onProgress'] {
  const token = extra._meta?.progressToken;
  if (token === undefined) return undefined;
  return ({ done, total, message }) => {
    void extra.sendNotification({ method: 'notifications/progress', params: { progressToken: token, progress: done, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) } }).catch(() => undefined); // The connection is closing; nobody waits for progress any more.
  };
}
