/**
 * Spend [E5]: what a call costs, and the hard cap that is asked before every call.
 */
import type { EpochMs } from '../../base/clock.ts';
import { CairnError } from '../../base/errors.ts';
import type { SpendEntry } from '../storage/memoryStore.ts';
import { priceOf } from './prices.ts';

/** What one dollar buys of a model whose price is unknown: few, so that the cap errs on the cheap side. */
const TOKENS_PER_UNKNOWN_USD = 100_000;

/** Millionths of a dollar; undefined when the model's price is unknown. */
export function costMicroUsd(provider: string, model: string, inputTokens: number, outputTokens: number): number | undefined {
  const price = priceOf(provider, model);
  return price === undefined ? undefined : Math.ceil(inputTokens * price.inputUsd + outputTokens * price.outputUsd);
}

/** The same, with tokens of unknown models counted at the cautious rate: what the cap compares. */
export function cappedMicroUsd(provider: string, model: string, inputTokens: number, outputTokens: number): number {
  return costMicroUsd(provider, model, inputTokens, outputTokens) ?? Math.ceil(((inputTokens + outputTokens) / TOKENS_PER_UNKNOWN_USD) * 1e6);
}

export const spentMicroUsd = (entries: readonly SpendEntry[]): number =>
  entries.reduce((sum, entry) => sum + (entry.microUsd ?? cappedMicroUsd(entry.provider, entry.model, entry.inputTokens, entry.outputTokens)), 0);

/** Throws SPEND_CAP_REACHED when the call could go beyond the cap. `today` holds the entries of this local day. */
export function checkCap(today: readonly SpendEntry[], call: { readonly provider: string; readonly model: string; readonly inputTokens: number; readonly maxOutputTokens: number }, dailyCapUsd: number): void {
  const spent = spentMicroUsd(today);
  const next = cappedMicroUsd(call.provider, call.model, call.inputTokens, call.maxOutputTokens);
  if (next > 0 && spent + next > dailyCapUsd * 1e6) {
    throw new CairnError('SPEND_CAP_REACHED', `Today's cap of ${dailyCapUsd.toFixed(2)} USD would be passed (${(spent / 1e6).toFixed(4)} spent, ${(next / 1e6).toFixed(4)} at most for this call). It waits until tomorrow, or raise \`spend.dailyCapUsd\`.`, { data: { spentMicroUsd: spent, callMicroUsd: next } });
  }
}

/** YYYY-MM-DD of the machine's calendar: the unit of the cap. */
export function localDay(at: EpochMs): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;
}

/** First instant of the next local day. */
export function nextLocalDay(at: EpochMs): EpochMs {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}
