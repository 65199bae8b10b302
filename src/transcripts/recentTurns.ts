/**
 * The end of a session without reading all of it: the last turns, and Claude's last answer.
 */
import { open } from 'node:fs/promises';
import type { Turn } from '../engine/index.ts';
import { ConversationTree } from './conversationTree.ts';
import { identifyFile } from './cursor.ts';
import { parseLine } from './parseLine.ts';
import { readLineBatches } from './readLines.ts';
import { readSessionHeader } from './sessionHeader.ts';
import { TurnMaker } from './turnMaker.ts';

const FIRST_WINDOW_BYTES = 256 * 1024;
const MAX_WINDOW_BYTES = 32 * 1024 * 1024;
const DAY_MS = 86_400_000;

export interface LastAnswer {
  readonly text: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly at: number;
  /** What the person had asked, when it is near enough. */
  readonly prompt?: string;
}

/** Text of the last message of Claude's that says something; undefined when there is none. */
export async function lastAnswer(filePath: string): Promise<LastAnswer | undefined> {
  const turns = await readEnd(filePath, (found) => found.some((turn) => turn.speaker === 'user') && found.some((turn) => turn.speaker === 'assistant'));
  const last = turns.findLast((turn) => turn.speaker === 'assistant');
  if (last === undefined) return undefined;
  const text = turns.filter((turn) => turn.speaker === 'assistant' && turn.messageId === last.messageId).map((turn) => turn.text).join('\n\n');
  const prompt = turns.slice(0, turns.indexOf(last)).findLast((turn) => turn.speaker === 'user')?.text;
  return { text, sessionId: last.sessionId, messageId: last.messageId, at: last.at, ...(prompt === undefined ? {} : { prompt }) };
}

/** The last `count` turns of the person and of Claude (tool calls left out), oldest first. */
export async function recentTurns(filePath: string, count: number): Promise<Turn[]> {
  const isTalk = (turn: Turn): boolean => turn.speaker === 'user' || turn.speaker === 'assistant';
  const turns = await readEnd(filePath, (found) => found.filter(isTalk).length >= count);
  return turns.filter(isTalk).slice(-count);
}

/** Turns of the main conversation, without what was rewound, in a window at the file's end that is widened until it holds enough. */
async function readEnd(filePath: string, isEnough: (turns: readonly Turn[]) => boolean): Promise<Turn[]> {
  const file = await open(filePath, 'r');
  try {
    const { sizeBytes, modifiedAt } = await identifyFile(file);
    const header = await readSessionHeader(file, filePath, sizeBytes, modifiedAt + DAY_MS);
    for (let window = FIRST_WINDOW_BYTES; ; window *= 4) {
      const from = Math.max(0, sizeBytes - window);
      const maker = new TurnMaker({ sessionId: header.sessionId, fallbackAt: modifiedAt, latestAt: modifiedAt + DAY_MS, sidechain: header.sidechain });
      const tree = new ConversationTree();
      const turns: Turn[] = [];
      let isCutLine = from > 0;
      for await (const batch of readLineBatches(file, from)) {
        for (const { text } of batch) {
          for (const object of isCutLine || text === undefined ? [] : parseLine(text).objects) {
            tree.add(object);
            turns.push(...maker.take(object));
          }
          isCutLine = false;
        }
      }
      const abandoned = tree.abandoned();
      const main = [...turns, ...maker.takeRest()].filter((turn) => !turn.sidechain && !abandoned.has(turn.messageId));
      if (from === 0 || window >= MAX_WINDOW_BYTES || (isEnough(main) && !tree.hasLooseEnds)) return main;
    }
  } finally {
    await file.close();
  }
}
