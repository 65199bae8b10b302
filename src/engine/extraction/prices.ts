/**
 * Prices of models as data. They change without notice; the date says how old this table is, and
 * a model that is not in it is capped by tokens instead of money.
 */

/** When these prices were last looked up. */
export const PRICES_AS_OF = '2026-11-30';

export interface ModelPrice {
  /** A model id, or its beginning. */
  readonly model: string;
  /** US dollars per million tokens. */
  readonly inputUsd: number;
  readonly outputUsd: number;
}

/** Longest match wins. Local models cost nothing. */
export const MODEL_PRICES: readonly ModelPrice[] = [
  // For prompts up to 100,000 tokens; a batch has a tenth of that.
  { model: 'claude-haiku-5-5', inputUsd: 0.1, outputUsd: 0.5 },
  { model: 'claude-haiku-4-5', inputUsd: 1, outputUsd: 5 },
  { model: 'claude-sonnet-5', inputUsd: 2, outputUsd: 10 },
  { model: 'claude-sonnet-4', inputUsd: 3, outputUsd: 15 },
  { model: 'claude-opus-5-5', inputUsd: 4, outputUsd: 20 },
  { model: 'claude-opus-5', inputUsd: 5, outputUsd: 25 },
  { model: 'claude-opus-4-5', inputUsd: 5, outputUsd: 25 },
  { model: 'claude-opus-4-6', inputUsd: 5, outputUsd: 25 },
  { model: 'claude-opus-4-1', inputUsd: 15, outputUsd: 75 },
  { model: 'claude-fable-5', inputUsd: 10, outputUsd: 50 },
  { model: 'gpt-6-sol', inputUsd: 2, outputUsd: 10 },
  { model: 'gpt-6-luna', inputUsd: 0.1, outputUsd: 0.5 },
  { model: 'gpt-4o-mini', inputUsd: 0.15, outputUsd: 0.6 },
  { model: 'gpt-4o', inputUsd: 2.5, outputUsd: 10 },
];

/** Providers whose calls are not billed per token: a local server, a plan, the editor's models. */
const FREE_PROVIDERS = new Set(['rules', 'claude-code', 'vscode', 'openai-local']);

/** Undefined: not in the table, cap by tokens. */
export function priceOf(provider: string, model: string): ModelPrice | undefined {
  if (FREE_PROVIDERS.has(provider)) return { model, inputUsd: 0, outputUsd: 0 };
  return MODEL_PRICES.filter((price) => model.startsWith(price.model)).sort((a, b) => b.model.length - a.model.length)[0];
}
