/**
 * One call, and at most one repair: the part that all providers share. A provider gives a
 * function that streams pieces of an answer; this makes statements of them.
 */
import { CairnError } from '../../../base/errors.ts';
import type { ExtractedStatement } from '../../model/observation.ts';
import type { ExtractionRequest, ExtractionUsage } from '../extractor.ts';
import { REPAIR } from '../templates/index.ts';
import { ObjectReader, toStatement } from './answer.ts';

export interface Piece {
  readonly text?: string;
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
}

export interface Exchange {
  /** What the model answered before, when this is the repair. */
  readonly failed?: { readonly answer: string; readonly ask: string };
}

/** Throws PROVIDER_ANSWER_INVALID when neither answer is readable; other codes come from `stream`. */
export async function* converse(request: ExtractionRequest, model: string, stream: (exchange: Exchange) => AsyncIterable<Piece>): AsyncGenerator<ExtractedStatement, ExtractionUsage> {
  let inputTokens = 0;
  let outputTokens = 0;
  let failed: Exchange['failed'];
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const reader = new ObjectReader();
    let [input, output] = [0, 0];
    for await (const piece of stream(failed === undefined ? {} : { failed })) {
      if (piece.usage?.inputTokens !== undefined) input = Math.max(input, piece.usage.inputTokens);
      if (piece.usage?.outputTokens !== undefined) output = Math.max(output, piece.usage.outputTokens);
      if (piece.text === undefined) continue;
      for (const object of reader.feed(piece.text)) {
        const statement = toStatement(object, request, model);
        if (statement !== undefined) yield statement;
      }
    }
    inputTokens += input;
    outputTokens += output;
    if (reader.isUsable) return { model, inputTokens, outputTokens };
    failed = { answer: reader.text.slice(0, 4_000), ask: REPAIR.body };
  }
  throw new CairnError('PROVIDER_ANSWER_INVALID', 'The model gave no usable JSON, also when asked again. Try another model, or raise capture.maxOutputTokens.', { data: { model, inputTokens, outputTokens } });
}
