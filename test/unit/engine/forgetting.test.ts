/**
 * What has had its time, and what memories say as profile, graph and summary: plans, made from rows, a time and settings.
 */
import { describe, expect, it } from 'vitest';
import { planArchive, planExpiry, planProfile, planSummaries, profileOf, summarize, triplesOf } from '../../../src/engine/forgetting/index.ts';
import type { Turn } from '../../../src/engine/index.ts';
import type { Memory, ProfileValue } from '../../../src/engine/model/memory.ts';
import { SAMPLE_TIME, sampleMemory } from '../../support/builders.ts';

const DAY = 86_400_000;
const NOW = SAMPLE_TIME + 400 * DAY;
const RULE = { afterDays: 90, belowImportance: 4 };

describe('the archive', () => {
  const old = (changes: Partial<Memory> = {}): Memory => sampleMemory({ kind: 'fact', importance: 3, createdAt: SAMPLE_TIME, ...changes });

  it('is proposed for what is trivial and was not used for three months (case A47)', () => {
    const memory = old();
    expect(planArchive([memory], NOW, RULE)).toEqual([{ memoryId: memory.id, why: 'Not recalled for 400 days and of importance 3.' }]);
  });

  it.each([
    ['pinned', { pinned: true }],
    ['a rule', { kind: 'rule' }],
    ['of importance 4', { importance: 4 }],
    ['recalled lately', { lastRecalledAt: NOW - 10 * DAY }],
    ['new', { createdAt: NOW - 89 * DAY }],
    ['archived already', { status: 'archived' }],
  ] satisfies [string, Partial<Memory>][])('is not proposed for what is %s', (_what, changes) => {
    expect(planArchive([old(changes)], NOW, RULE)).toEqual([]);
  });

  it('proposes nothing when the clock went back', () => {
    expect(planArchive([old()], SAMPLE_TIME - DAY, RULE)).toEqual([]);
  });

  it('lists the least salient first, the same way every time', () => {
    const memories = [old({ importance: 3, createdAt: SAMPLE_TIME + DAY }), old({ importance: 1 }), old({ importance: 2 })];
    const order = planArchive(memories, NOW, RULE).map((plan) => plan.memoryId);
    expect(order).toEqual([memories[1]?.id, memories[2]?.id, memories[0]?.id]);
    expect(planArchive([...memories].reverse(), NOW, RULE).map((plan) => plan.memoryId)).toEqual(order);
  });

  it('takes what was to hold until a day, at that day', () => {
    const memory = sampleMemory({ expiresAt: SAMPLE_TIME + DAY });
    expect(planExpiry([memory], SAMPLE_TIME + DAY - 1)).toEqual([]);
    expect(planExpiry([memory], SAMPLE_TIME + DAY)).toMatchObject([{ memoryId: memory.id }]);
  });

  it('keeps the newest session summaries', () => {
    const summaries = Array.from({ length: 12 }, (_, i) => sampleMemory({ kind: 'session_summary', validFrom: SAMPLE_TIME + i }));
    expect(planSummaries(summaries, 10).map((plan) => plan.memoryId)).toEqual([summaries[1]?.id, summaries[0]?.id]);
  });
});

describe('the profile', () => {
  const preference = (text: string, changes: Partial<Memory> = {}): Memory => sampleMemory({ text, kind: 'preference', scope: { level: 'user' }, confidence: 0.9, ...changes });

  it.each([
    ['Use ruff to format Python code', 'python.formatter', 'ruff'],
    ['I prefer tabs over spaces in Go code.', 'style.indentation', 'tabs'],
    ['Please answer me in French, always.', 'communication.language', 'french'],
    ['I am a backend developer', 'identity.role', 'a backend developer'],
    ['以后请用中文回答我', 'communication.language', '中文'],
  ])('reads "%s" as %s', (text, key, value) => {
    expect(profileOf(preference(text))).toContainEqual({ key, value });
  });

  it('takes the newest of two preferences and points to all memories that agree', () => {
    const tabs = preference('I prefer tabs over spaces.', { validFrom: SAMPLE_TIME });
    const spaces = preference('I prefer spaces now.', { validFrom: SAMPLE_TIME + DAY });
    const again = preference('Spaces, please.', { validFrom: SAMPLE_TIME + 2 * DAY });
    expect(planProfile([tabs, spaces, again], [], NOW).put).toEqual([{ key: 'style.indentation', value: 'spaces', confidence: 0.9, memoryIds: [spaces.id, again.id].sort(), updatedAt: NOW, edited: false }]);
  });

  it('leaves out what is unsure, untrusted, superseded or expired', () => {
    expect(planProfile([preference('Tabs.', { confidence: 0.69 }), preference('Tabs.', { untrusted: true }), preference('Tabs.', { status: 'superseded' }), preference('Tabs.', { expiresAt: NOW })], [], NOW)).toEqual({ put: [], removeKeys: [] });
  });

  it('never touches what a person typed, and drops what lost its memories', () => {
    const typed: ProfileValue = { key: 'style.indentation', value: '3 spaces', confidence: 1, memoryIds: [], updatedAt: 1, edited: true };
    const derived: ProfileValue = { key: 'python.formatter', value: 'black', confidence: 0.9, memoryIds: ['gone'], updatedAt: 1, edited: false };
    expect(planProfile([preference('I prefer tabs over spaces.')], [typed, derived], NOW)).toEqual({ put: [], removeKeys: ['python.formatter'] });
  });

  it('drops the words of another repository\'s memory, and keeps what is known of the person by it', () => {
    const foreign = (key: string, value: string): ProfileValue => ({ key, value, confidence: 0.9, memoryIds: ['elsewhere'], updatedAt: 1, edited: false });
    const rows = [foreign('preference.check-bodies-zod', 'Check bodies with zod.'), foreign('python.formatter', 'ruff')];
    expect(planProfile([], rows, NOW, { isHere: () => false, clearedAt: {} })).toEqual({ put: [], removeKeys: ['preference.check-bodies-zod'] });
  });

  it('plans nothing when nothing changed', () => {
    const memories = [preference('I prefer tabs over spaces.')];
    expect(planProfile(memories, planProfile(memories, [], NOW).put, NOW + DAY)).toEqual({ put: [], removeKeys: [] });
  });
});

describe('the graph', () => {
  it.each([
    ['The billing service is owned by Robin.', [['billing service', 'owned by', 'Robin']]],
    ['Robin owns the billing module.', [['billing module', 'owned by', 'Robin']]],
    ['The orders service uses PostgreSQL and Kafka.', [['orders service', 'uses', 'PostgreSQL'], ['orders service', 'uses', 'Kafka']]],
    ['Our API depends on the auth service because of tokens.', [['API', 'depends on', 'auth service']]],
    ['计费模块由李雷负责，改之前要先找他。', [['计费模块', 'owned by', '李雷']]],
    ['It uses Redis', []],
    ['We use Redis', []],
  ])('reads "%s"', (text, triples) => {
    expect(triplesOf(text).map(({ subject, predicate, object }) => [subject, predicate, object])).toEqual(triples);
  });
});

describe('a session summary', () => {
  const turn = (speaker: Turn['speaker'], text: string, changes: Partial<Turn> = {}): Turn => ({ sessionId: 's', messageId: text.slice(0, 8), blockIndex: 0, speaker, text, at: SAMPLE_TIME, sidechain: false, ...changes });

  it('says what was asked, what changed, what is open and how it ended', () => {
    expect(
      summarize(
        [
          turn('user', 'Add cursor pagination to the orders endpoint'),
          turn('assistant', 'I will look at the handler.'),
          turn('tool', '', { toolName: 'Edit', paths: ['src/orders.ts'] }),
          turn('tool', '- [x] handler\n- [ ] documentation', { toolName: 'TodoWrite' }),
          turn('user', 'also cover the empty page'),
          turn('assistant', 'Both are done and tested.\n\n```ts\nconst x = 1;\n```'),
          turn('user', 'thanks'),
        ],
        'Cursor pagination',
      ),
    ).toBe('Session: Cursor pagination.\nAsked first: "Add cursor pagination to the orders endpoint"\nAsked last: "also cover the empty page"\nFiles changed: src/orders.ts.\nOpen: documentation.\nEnded with: Both are done and tested.');
  });

  it('is not made of nothing, of sub-agents or of reading alone', () => {
    expect(summarize([])).toBeUndefined();
    expect(summarize([turn('user', 'hello there, friend')])).toBeUndefined();
    expect(summarize([turn('user', 'do it', { sidechain: true }), turn('assistant', 'done', { sidechain: true })])).toBeUndefined();
  });
});
