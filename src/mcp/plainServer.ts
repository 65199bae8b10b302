/**
 * The SDK's server with the protocol's own words for parameters of wrong shape. The SDK answers those as an internal
 * error with a dump of its schema library; here they are invalid parameters, and one sentence says which.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

export class PlainServer extends Server {
  override async connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(inPlainWords(message), options);
    await super.connect(transport);
  }
}

function inPlainWords(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== ErrorCode.InternalError) return message;
  const issue = firstIssue(message.error.message);
  if (issue === undefined) return message;
  return { ...message, error: { code: ErrorCode.InvalidParams, message: `Invalid parameters: "${issue.path.join('.')}": ${issue.message}` } };
}

/** What the schema library found first, where the text is its dump. */
function firstIssue(text: string): { path: (string | number)[]; message: string } | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const [issue] = JSON.parse(text) as { path?: unknown; message?: unknown }[];
    return Array.isArray(issue?.path) && typeof issue.message === 'string' ? { path: issue.path.map(String), message: issue.message } : undefined;
  } catch {
    return undefined; // a message that only begins like one
  }
}
