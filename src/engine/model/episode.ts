/**
 * Episode and turn: one bounded, immutable stretch of raw experience (a Claude Code
 * session, an import) and the messages and tool calls inside it.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Id } from '../../base/ids.ts';

export type Speaker = 'user' | 'assistant' | 'tool' | 'system';

/**
 * One block of one message. The key (session, message id, block index) is what makes
 * "each turn is taken once" true, whoever delivers it.
 */
export interface Turn {
  readonly sessionId: string;
  readonly messageId: string;
  readonly blockIndex: number;
  readonly speaker: Speaker;
  /** Cleaned: no reminders, no injected blocks, no images. */
  readonly text: string;
  readonly at: EpochMs;
  /** A sub-agent's turn: never the person speaking. */
  readonly sidechain: boolean;
  /** For speaker `tool`: the tool's name. Its text counts as untrusted. */
  readonly toolName?: string;
  /** Files a tool call read or changed, as the transcript names them. */
  readonly paths?: readonly string[];
}

export const turnKey = (turn: Pick<Turn, 'messageId' | 'blockIndex'>): string => `${turn.messageId}:${turn.blockIndex}`;

export interface Episode {
  readonly id: Id;
  readonly sessionId: string;
  readonly transcriptPath?: string;
  readonly cwd?: string;
  readonly branch?: string;
  readonly startedAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly title?: string;
  readonly clientVersion?: string;
}
