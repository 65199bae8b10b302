/** Reads the labelled turns beside this file. */
import fs from 'node:fs';
import path from 'node:path';
import type { Turn } from '../../../src/engine/model/episode.ts';

export interface Label {
  readonly kind: string;
  /** Words that the found text must hold. */
  readonly has: readonly string[];
}

export interface LabelledCase {
  readonly id: string;
  readonly lang: 'en' | 'zh';
  /** `durable`, or the name of the trap. */
  readonly group: string;
  readonly turns: readonly { readonly speaker: Turn['speaker']; readonly text: string; readonly sidechain?: boolean; readonly toolName?: string }[];
  readonly gold: readonly Label[];
}

export const readSet = (name: string): LabelledCase[] =>
  fs.readFileSync(path.join(import.meta.dirname, `${name}.jsonl`), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as LabelledCase);

export const toTurns = (one: LabelledCase): Turn[] =>
  one.turns.map((turn, i) => ({ sessionId: one.id, messageId: `m${i}`, blockIndex: 0, speaker: turn.speaker, text: turn.text, at: Date.UTC(2026, 1, 3) + i, sidechain: turn.sidechain ?? false, ...(turn.toolName === undefined ? {} : { toolName: turn.toolName }) }));

export const holds = (text: string, label: Label): boolean => label.has.every((word) => text.toLowerCase().includes(word.toLowerCase()));

/** What a person typed in real sessions (an evaluation set that is no part of this repository), with its session. */
export function readRealTurns(folder: string): { session: string; text: string; afterAssistant: boolean }[] {
  const typed = new Map<string, { session: string; text: string; afterAssistant: boolean }>();
  for (const line of fs.readFileSync(path.join(folder, 'entire-sessions', 'turns.jsonl'), 'utf8').trim().split('\n')) {
    const { session, text } = JSON.parse(line) as { session: string; text: string };
    for (const [i, part] of text.split(/\n(?=(?:user|assistant): )/).entries()) if (part.startsWith('user: ')) typed.set(part, { session, text: part.slice(6), afterAssistant: i > 0 });
  }
  return [...typed.values()];
}

/** Half of the real sessions teach what is said every day, the other half measures. */
export const isLearnedFrom = (session: string): boolean => Number.parseInt(session.slice(-4), 16) % 2 === 0;

export const SETS = ['development', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth', 'eleventh', 'frozen'] as const;

/** Measured only: nothing is fitted on them. */
export const LEFT_OUT: ReadonlySet<string> = new Set(['frozen', 'eleventh']);

/** The cues of the rules were written or widened after these were read. */
export const CUES_CAME_AFTER: ReadonlySet<string> = new Set(['development', 'second', 'third']);
