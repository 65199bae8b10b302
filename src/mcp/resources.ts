/**
 * Resources [M2]: the context block, the profile, what is recent, and each memory.
 */
import { isCairnError } from '../base/errors.ts';
import type { ProfileValue } from '../engine/index.ts';
import type { ListMemoriesOutput } from '../operations/index.ts';
import { contextText, listText } from '../operations/agentTexts.ts';
import { memoryText } from '../operations/agentTools.ts';
import type { Call } from '../operations/agentTools.ts';

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

const FIXED: readonly Resource[] = [
  { uri: 'memory://context', name: 'context', title: 'Context', description: 'What a session starts with', mimeType: 'text/markdown' },
  { uri: 'memory://profile', name: 'profile', title: 'Profile', description: 'What is known of the person', mimeType: 'text/markdown' },
  { uri: 'memory://recent', name: 'recent', title: 'Recent memories', description: 'The newest twenty', mimeType: 'text/markdown' },
];

export const RESOURCE_TEMPLATES = [{ uriTemplate: 'memory://memory/{id}', name: 'memory', title: 'One memory', description: 'A memory with its history', mimeType: 'text/markdown' }];

/** The fixed ones and the newest memories. */
export async function listResources(call: Call): Promise<Resource[]> {
  const { memories } = await call<ListMemoriesOutput>('listMemories', { order: 'created', limit: 50 });
  return [...FIXED, ...memories.map(({ memory }) => ({ uri: `memory://memory/${memory.id}`, name: memory.id, title: memory.text.split('\n')[0]?.slice(0, 80).toWellFormed() ?? memory.id, description: memory.kind, mimeType: 'text/markdown' }))];
}

/** Undefined for an unknown URI. */
export async function readResource(call: Call, uri: string): Promise<{ uri: string; mimeType: string; text: string }[] | undefined> {
  const text = await textOf(call, uri);
  return text === undefined ? undefined : [{ uri, mimeType: 'text/markdown', text }];
}

async function textOf(call: Call, uri: string): Promise<string | undefined> {
  if (uri === 'memory://context') return contextText(await call('getContext', {}));
  if (uri === 'memory://recent') return listText(await call<ListMemoriesOutput>('listMemories', { order: 'created', limit: 20 }));
  if (uri === 'memory://profile') {
    const { values } = await call<{ values: ProfileValue[] }>('profile', {});
    return values.length === 0 ? 'The profile is empty.' : values.map(({ key, value }) => `- ${key}: ${value}`).join('\n');
  }
  const id = /^memory:\/\/memory\/([0-9A-Za-z]{1,64})$/.exec(uri)?.[1];
  if (id === undefined) return undefined;
  try {
    return await memoryText(call, { id });
  } catch (error) {
    if (isCairnError(error) && (error.code === 'ID_UNKNOWN' || error.code === 'ID_OF_OTHER_REPOSITORY')) return undefined;
    throw error;
  }
}
