/**
 * Prices of models as data. They change without notice; the date says how old this table is, and
 * a model that is not in it is capped by tokens instead of money.
 */

/** When these prices were last looked up. */
export const PRICES_AS_OF = '2025-11-24';

export interface ModelPrice {
  /** A model id, or its beginning. */
  readonly model: string;
  /** US dollars per million tokens. */
  readonly inputUsd: number;
  readonly outputUsd: number;
}

/** Longest match wins. Local models cost nothing. */
export const MODEL_PRICES: readonly ModelPrice[] = [
  { model: 'claude-haiku-4-5', inputUsd: 1, outputUsd: 5 },
  { model: 'claude-3-5-haiku', inputUsd: 0.8, outputUsd: 4 },
  { model: 'claude-sonnet-4', inputUsd: 3, outputUsd: 15 },
  { model: 'claude-opus-4-5', inputUsd: 5, outputUsd: 25 },
  { model: 'claude-opus-4', inputUsd: 15, outputUsd: 75 },
  { model: 'gpt-4o-mini', inputUsd: 0.15, outputUsd: 0.6 },
  { model: 'gpt-4o', inputUsd: 2.5, outputUsd: 10 },
  { model: 'gpt-4.1-mini', inputUsd: 0.4, outputUsd: 1.6 },
  { model: 'gpt-4.1', inputUsd: 2, outputUsd: 8 },
];

/** Providers whose calls are not billed per token: a local server, a plan, the editor's models. */
const FREE_PROVIDERS = new Set(['rules', 'claude-code', 'vscode', 'openai-local']);

/** Undefined: not in the table, cap by tokens. */
export function priceOf(provider: string, model: string): ModelPrice | undefined {
  if (FREE_PROVIDERS.has(provider)) return { model, inputUsd: 0, outputUsd: 0 };
  return MODEL_PRICES.filter((price) => model.startsWith(price.model)).sort((a, b) => b.model.length - a.model.length)[0];
}
