/**
 * Models that only the host can ask: the editor's. Here are the prompt, the reading of the answer
 * and the patience, as for every provider; the host does the call, in pieces as they arrive.
 * A process without such a host gets an extractor that says whom its batches wait for.
 */
import { CairnError } from '../base/errors.ts';
import { converse, createPatience, estimatePromptTokens, failureOfCall, promptOf } from '../engine/index.ts';
import type { Exchange, ExtractionRequest, Extractor, Piece } from '../engine/index.ts';
import type { HostQuestion } from './messages.ts';

/** One question to the model, as plain data. */
export interface ModelRequest {
  /** As `findModel` named it. */
  readonly model: string;
  readonly system: string;
  readonly user: string;
  /** Its unreadable answer, and the request to give a readable one. */
  readonly failed?: Exchange['failed'];
  readonly maxOutputTokens: number;
}

/** Which model would answer, or a sentence that says why none can. */
export type FoundModel = { readonly model: string } | { readonly waitsBecause: string };

export interface HostModels {
  /** `wished`: the setting `extraction.model`; without it the host chooses. */
  findModel(wished: string | undefined): Promise<FoundModel>;
  askModel(request: ModelRequest, signal: AbortSignal): AsyncIterable<Piece>;
}

export type Ask = (question: HostQuestion, input?: unknown, options?: { readonly signal?: AbortSignal; readonly onPiece?: (piece: unknown) => void }) => Promise<unknown>;

const PROVIDER = 'vscode';
const IDLE_MS = 120_000;
const ELSEWHERE = 'the editor\'s language model reads it: open this repository in VS Code';

/** Undefined where the host has no models. */
export function hostModelsOver(ask: Ask, offered: readonly HostQuestion[]): HostModels | undefined {
  if (!offered.includes('findModel') || !offered.includes('askModel')) return undefined;
  return {
    findModel: async (wished) => (await ask('findModel', wished)) as FoundModel,
    askModel: (request, signal) => piecesOf((onPiece) => ask('askModel', request, { signal, onPiece })),
  };
}

/** Stands for a provider that this process cannot ask. */
export const createWaitingExtractor = (provider: string, model: string, waitsBecause: string): Extractor => ({
  provider, model, waitsBecause, estimateTokens: estimatePromptTokens,
  extract: () => { throw new CairnError('PROVIDER_UNAVAILABLE', `${provider} cannot be asked: ${waitsBecause}.`); },
});

export async function createHostModelExtractor(models: HostModels | undefined, wished: string | undefined, idleMs = IDLE_MS): Promise<Extractor> {
  if (models === undefined) return createWaitingExtractor(PROVIDER, wished ?? PROVIDER, ELSEWHERE);
  const found = await models.findModel(wished);
  if ('waitsBecause' in found) return createWaitingExtractor(PROVIDER, wished ?? PROVIDER, found.waitsBecause);
  const { model } = found;
  return {
    provider: PROVIDER,
    model,
    estimateTokens: estimatePromptTokens,
    extract: (request) => converse(request, model, (exchange) => stream(models, model, request, exchange, idleMs)),
  };
}

async function* stream(models: HostModels, model: string, request: ExtractionRequest, { failed }: Exchange, idleMs: number): AsyncGenerator<Piece> {
  const patience = createPatience(idleMs, request.signal);
  try {
    const asked = { model, ...promptOf(request, false), maxOutputTokens: request.maxOutputTokens, ...(failed === undefined ? {} : { failed }) };
    for await (const piece of models.askModel(asked, patience.signal)) {
      patience.beat();
      yield piece;
    }
    // What the last piece left open is complete now.
    yield { text: '\n' };
  } catch (error) {
    throw failureOfCall(PROVIDER, error, request.signal);
  } finally {
    patience.end();
  }
}

/** What a callback is handed, as something to iterate over; ends or throws with the promise. */
async function* piecesOf(start: (onPiece: (piece: unknown) => void) => Promise<unknown>): AsyncGenerator<Piece> {
  const arrived: Piece[] = [];
  let wake = (): void => undefined;
  let end: { readonly error?: unknown } | undefined;
  const finish = (how: { readonly error?: unknown }): void => {
    end = how;
    wake();
  };
  start((piece) => {
    arrived.push(piece as Piece);
    wake();
  }).then(() => finish({}), (error: unknown) => finish({ error }));
  for (;;) {
    for (let piece = arrived.shift(); piece !== undefined; piece = arrived.shift()) yield piece;
    if (end !== undefined) {
      if ('error' in end) throw end.error;
      return;
    }
    await new Promise<void>((resolve) => (wake = resolve));
  }
}
