/**
 * Prompts [M2]: three that a person starts by hand: recall, tidy the session, review the inbox.
 */
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js';
import type { RecallResult } from '../engine/index.ts';
import { inboxText, recallText } from '../operations/agentTexts.ts';
import type { Call } from '../operations/agentTools.ts';

export const PROMPTS: Prompt[] = [
  { name: 'recall', title: 'Recall', description: 'Bring what is remembered about a subject into the conversation', arguments: [{ name: 'about', description: 'the subject', required: true }] },
  { name: 'tidy_session', title: 'Tidy this session', description: 'Go through this session and propose what is worth keeping' },
  { name: 'review_inbox', title: 'Review the inbox', description: 'Go through waiting proposals one by one' },
];

const message = (text: string): GetPromptResult => ({ messages: [{ role: 'user', content: { type: 'text', text } }] });

/** Throws InvalidParams for an unknown name and for a missing argument. */
export async function getPrompt(call: Call, name: string, args: Readonly<Record<string, string>>): Promise<GetPromptResult> {
  switch (name) {
    case 'recall': {
      const { about } = args;
      if (about === undefined) throw new McpError(ErrorCode.InvalidParams, 'The argument "about" is missing: a subject, or an empty text for what was remembered last.');
      const found = await call<RecallResult>('recall', { query: about, limit: 12 });
      return message(`Here is what ${about.trim() === '' ? 'was remembered last' : `is remembered about "${about.replaceAll(/\s+/g, ' ')}"`}. Use it as background.\n\n${recallText(found, [])}`);
    }
    case 'tidy_session':
      return message('Look back over this session. List the statements of mine (decisions, rules, preferences, corrections, lasting facts) that will still matter in three months and are not remembered yet; check with the recall tool. Show me the list, one line each, and after I agree store them with the remember tool.');
    case 'review_inbox':
      return message(`Go through these proposals with me one at a time. For each, ask whether to accept or reject it, and then call review_inbox with my answer.\n\n${inboxText(await call('listInbox', { limit: 20 }))}`);
    default:
      throw new McpError(ErrorCode.InvalidParams, `There is no prompt "${name}".`);
  }
}
