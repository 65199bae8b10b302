/**
 * What a model gives as arguments, read by the schema of the tool: nulls and empty texts are arguments left out, older
 * names mean today's, a list may come as text. What the tool does not know is passed over and said. Nothing else gets
 * through to the operation: that takes more than a model may ask for, such as the memories of other repositories
 * (invariant 12).
 */
import { CairnError, isCairnError } from '../base/errors.ts';
import type { Call, Connection, Tool } from './agentTools.ts';

type Arguments = Record<string, unknown>;

/** Names of older memory servers, and near misses that cannot mean anything else. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  type: 'kind', category: 'kind', memory_type: 'kind', kinds: 'kind', statuses: 'status', tag: 'tags', content: 'text', id: 'ids', memory_id: 'id', expires_at: 'expires', expiresAt: 'expires',
};

/** What the operations call the arguments, for an error that names the field. */
const ARGUMENT_OF: Readonly<Record<string, string>> = {
  kinds: 'kind', statuses: 'status', anchors: 'path', expiresAt: 'expires', remove: 'delete', id: 'observation_id', memoryId: 'memory_id', sessionId: 'session_id', transcriptPath: 'transcript_path', profileKey: 'profile_key', newValue: 'new_value', budgetTokens: 'budget',
};

/** Runs a tool. Throws CairnError as the operations do, with the argument's own name in it. */
export async function runTool(tool: Tool, call: Call, given: Arguments, connection: Connection): Promise<string> {
  const { args, unknown } = readArguments(tool, given);
  const { required = [], properties } = tool.inputSchema;
  const missing = required.find((name) => args[name] === undefined);
  if (missing !== undefined) throw new CairnError('INPUT_INVALID', `The argument "${missing}" is missing.${missing === 'query' ? ' Give words or a question; an empty text lists recent memories.' : ''}`, { data: { field: missing } });
  try {
    const text = await tool.run(call, args, connection);
    return unknown.length === 0 ? text : `${text}\nNote: ${tool.name} takes no ${unknown.map((name) => `"${name}"`).join(', ')}; passed over. It takes ${Object.keys(properties).join(', ')}.`;
  } catch (error) {
    throw namedAsGiven(error, tool);
  }
}

function readArguments(tool: Tool, given: Arguments): { args: Arguments; unknown: string[] } {
  const { required = [], properties } = tool.inputSchema;
  const isTaken = (name: string): boolean => Object.hasOwn(properties, name) || tool.alsoTakes?.includes(name) === true;
  const args: Arguments = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const other = Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? name) : name;
    const known = isTaken(name) ? name : isTaken(other) ? other : undefined;
    if (known === undefined) unknown.push(name.slice(0, 40));
    else if (value !== null && (value !== '' || required.includes(known)) && (known === name || given[known] === undefined)) args[known] = isList(properties[known]) ? toList(value) : value;
  }
  return { args, unknown };
}

const isList = (property: object | undefined): boolean => property !== undefined && 'type' in property && property.type === 'array';

/** `a, b` and `["a", "b"]` as text are lists too. */
function toList(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.trimStart().startsWith('[')) {
    try {
      return JSON.parse(value);
    } catch {
      // no JSON: a tag may begin with a bracket
    }
  }
  return value.split(',').map((part) => part.trim()).filter((part) => part !== '');
}

function namedAsGiven(error: unknown, tool: Tool): unknown {
  const field = isCairnError(error) && error.code === 'INPUT_INVALID' ? error.data?.['field'] : undefined;
  if (!isCairnError(error) || typeof field !== 'string') return error;
  const first = field.split('.')[0] ?? field;
  const argument = Object.hasOwn(tool.inputSchema.properties, first) ? first : (ARGUMENT_OF[first] ?? first);
  return argument === field ? error : new CairnError(error.code, error.message.replace(`"${field}"`, () => `"${argument}"`), { cause: error, data: { ...error.data, field: argument } });
}
