/**
 * The tools of the MCP server as tools/list returns them, and the names that older memory
 * servers gave them. What a tool does is in operations/agentTools.ts.
 */
import type { Tool } from '../operations/agentTools.ts';

/** Names of older memory servers, accepted always and listed by setting. */
export const LEGACY_NAMES: Readonly<Record<string, string>> = { recall_memories: 'recall', search_memories: 'recall', save_conversation_memory: 'save_conversation' };

/** A definition as tools/list returns it. */
export function toolDefinition(tool: Tool, name = tool.name): Record<string, unknown> {
  return {
    name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    annotations: { readOnlyHint: tool.effect === 'read', destructiveHint: tool.effect === 'destructive', idempotentHint: tool.effect === 'read', openWorldHint: false },
    ...(tool.alwaysLoad === true ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
  };
}
