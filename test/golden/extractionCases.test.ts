/**
 * Rules as dialogues that a reviewer can read: `A:` is the assistant, `T:` a tool, `S:` a sub-agent, all else the person.
 * What is found stands beside it with its rule.
 */
import path from 'node:path';
import type { Turn } from '../../src/engine/index.ts';
import { extractByRules } from '../../src/engine/extraction/rules/rulesExtractor.ts';
import { describeGoldenCases } from '../support/golden.ts';

const SAID_AT = Date.parse('2026-02-03T10:00:00Z');

function readDialogue(text: string): Turn[] {
  return text.trim().split(/\n(?=(?:A|T|S|U): )/).map((part, i) => {
    const [, mark = 'U', words = part] = /^([ATSU]): ([\s\S]*)$/.exec(part) ?? [];
    return { sessionId: 's', messageId: `m${i}`, blockIndex: 0, speaker: mark === 'A' ? 'assistant' : mark === 'T' ? 'tool' : 'user', sidechain: mark === 'S', text: words, at: SAID_AT + i * 1_000 };
  });
}

describeGoldenCases('rules find in', path.join(import.meta.dirname, 'extraction'), (input) => {
  const found = extractByRules(readDialogue(input)).map((statement) => {
    const marks = [statement.provenance.rule, statement.kind, statement.scope.level, statement.temporary === true ? 'temporary' : '', statement.expiresAt === undefined ? '' : `until ${new Date(statement.expiresAt).toISOString()}`];
    return `${statement.text}\n  ${marks.filter((mark) => mark !== '').join(', ')}`;
  });
  return found.length === 0 ? '(nothing)' : found.join('\n');
});
