/**
 * insights: the numbers behind the Insights page; computed from rows, nothing estimated
 * that is not said to be.
 */
import { z } from 'zod';
import type { InjectionReceipt, MemoryKind } from '../engine/index.ts';
import { defineOperation } from './operation.ts';

const input = z.object({});

export interface InsightsOutput {
  readonly memories: number;
  readonly recalledLast30Days: number;
  readonly acceptedRate?: number;
  readonly tokensPerSession?: number;
  /** An estimate: what giving every memory to every session would have cost beyond what was given. */
  readonly savedTokens?: number;
  readonly newLast30Days: number;
  /** The same numbers as they were 30 days ago, where there are any. */
  readonly before: { readonly recalled?: number; readonly acceptedRate?: number; readonly tokensPerSession?: number };
  readonly byKindAndMonth: readonly { readonly month: string; readonly kind: MemoryKind; readonly count: number }[];
  readonly givenPerWeek: readonly { readonly week: string; readonly memories: number; readonly tokens: number }[];
  readonly topRecalled: readonly { readonly id: string; readonly text: string; readonly recallCount: number }[];
  readonly neverRecalled: number;
  readonly outcomes: { readonly accepted: number; readonly merged: number; readonly rejected: number; readonly waiting: number };
  readonly rulePrecision: readonly { readonly rule: string; readonly accepted: number; readonly rejected: number }[];
  readonly spendByDay: readonly { readonly day: string; readonly usd: number; readonly tokens: number }[];
  readonly capUsd: number;
  readonly storeSizeBytes: number;
}

const DAY_MS = 86_400_000;
const CHARACTERS_PER_TOKEN = 4;
const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);
const MONTH_MS = 30 * DAY_MS;

/** Memories that came with a prompt, a file or a tool call: what a session starts with nobody asked for. */
function recalledIn(receipts: readonly InjectionReceipt[], from: number, to: number): number {
  const inTime = receipts.filter(({ at, moment }) => moment !== 'start' && at >= from && at < to);
  return new Set(inTime.flatMap(({ items }) => items.map(({ memoryId }) => memoryId))).size;
}

function tokensPerSession(receipts: readonly InjectionReceipt[]): number | undefined {
  const sessions = new Set(receipts.map(({ sessionId }) => sessionId)).size;
  return sessions === 0 ? undefined : Math.round(receipts.reduce((sum, { tokens }) => sum + tokens, 0) / sessions);
}

/** The Monday of the week, as a date. */
const weekOf = (at: number): string => new Date(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10);

export const insightsOperation = defineOperation<z.output<typeof input>, InsightsOutput>({
  name: 'insights',
  description: 'What is remembered, recalled, accepted and spent over time.',
  input,
  effect: 'read',
  needsConsent: false,
  async run(context) {
    const { engine } = context;
    const now = context.clock.now();
    const byKindAndMonth = new Map<string, { month: string; kind: MemoryKind; count: number }>();
    let recalledLast30Days = 0;
    let neverRecalled = 0;
    let newLast30Days = 0;
    let memories = 0;
    let characters = 0;
    for await (const { memory } of engine.everyMemory()) {
      memories += 1;
      if (memory.createdAt > now - MONTH_MS) newLast30Days += 1;
      characters += memory.text.length;
      const month = monthOf(memory.createdAt);
      const cell = byKindAndMonth.get(`${month} ${memory.kind}`) ?? { month, kind: memory.kind, count: 0 };
      cell.count += 1;
      byKindAndMonth.set(`${month} ${memory.kind}`, cell);
      if (memory.recallCount === 0) neverRecalled += 1;
      else if (now - (memory.lastRecalledAt ?? 0) <= MONTH_MS) recalledLast30Days += 1;
    }
    const top = await engine.list({ order: 'recalled', limit: 200 });
    const receipts = await engine.receipts({}, { limit: 5_000, offset: 0 });
    const weeks = new Map<string, { week: string; memories: number; tokens: number }>();
    for (const receipt of receipts) {
      const week = weekOf(receipt.at);
      const cell = weeks.get(week) ?? { week, memories: 0, tokens: 0 };
      weeks.set(week, { week, memories: cell.memories + receipt.items.length, tokens: cell.tokens + receipt.tokens });
    }
    const sessions = new Set(receipts.map(({ sessionId }) => sessionId)).size;
    const givenTokens = receipts.reduce((sum, { tokens }) => sum + tokens, 0);
    const { spend } = await engine.jobLog(1);
    const days = new Map<string, { day: string; usd: number; tokens: number }>();
    for (const entry of spend) {
      const cell = days.get(entry.day) ?? { day: entry.day, usd: 0, tokens: 0 };
      days.set(entry.day, { day: entry.day, usd: cell.usd + (entry.microUsd ?? 0) / 1e6, tokens: cell.tokens + entry.inputTokens + entry.outputTokens });
    }
    const { before, outcomes, rulePrecision } = await engine.inbox.statistics();
    const decidedBefore = before.kept + before.rejected;
    const older = receipts.filter(({ at }) => at < now - MONTH_MS);
    const decided = outcomes.accepted + outcomes.merged + outcomes.rejected;
    const cap = await context.host.setting('spend.dailyCapUsd');
    return {
      memories,
      recalledLast30Days,
      acceptedRate: decided === 0 ? undefined : (outcomes.accepted + outcomes.merged) / decided,
      tokensPerSession: tokensPerSession(receipts),
      newLast30Days,
      before: {
        recalled: older.length === 0 ? undefined : recalledIn(receipts, now - 2 * MONTH_MS, now - MONTH_MS),
        acceptedRate: decidedBefore === 0 ? undefined : before.kept / decidedBefore,
        tokensPerSession: tokensPerSession(older),
      },
      savedTokens: sessions === 0 ? undefined : Math.max(0, Math.round((sessions * characters) / CHARACTERS_PER_TOKEN) - givenTokens),
      byKindAndMonth: [...byKindAndMonth.values()].sort((a, b) => (a.month < b.month ? -1 : a.month > b.month ? 1 : a.kind.localeCompare(b.kind))),
      givenPerWeek: [...weeks.values()].sort((a, b) => (a.week < b.week ? -1 : 1)),
      topRecalled: top.memories.filter(({ memory }) => memory.recallCount > 0).sort((a, b) => b.memory.recallCount - a.memory.recallCount).slice(0, 10).map(({ memory }) => ({ id: memory.id, text: memory.text, recallCount: memory.recallCount })),
      neverRecalled,
      outcomes,
      rulePrecision,
      spendByDay: [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1)),
      capUsd: typeof cap.value === 'number' ? cap.value : 0,
      storeSizeBytes: (await engine.info()).reduce((sum, { info }) => sum + info.sizeBytes, 0),
    };
  },
});
