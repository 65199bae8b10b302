/**
 * Extractor over the Anthropic API: streaming, the answer as a tool's input. The SDK is loaded at
 * the first call. Nothing is sent before a person chose this provider; that is checked by whoever
 * makes it.
 */
import type { ExtractionRequest, Extractor } from '../extractor.ts';
import { converse, type Exchange, type Piece } from './conversation.ts';
import { createPatience, failureOfCall } from './failures.ts';
import { DEFAULT_ANTHROPIC_MODEL, traitsOf } from './modelTable.ts';
import { ANSWER_SCHEMA, estimatePromptTokens, promptOf, TOOL_NAME } from './prompt.ts';

export interface AnthropicOptions {
  readonly apiKey: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly fetch?: typeof fetch;
  /** Longest silence of the stream. */
  readonly idleMs?: number;
}

const PROVIDER = 'anthropic';
const IDLE_MS = 60_000;
const TOOL = { name: TOOL_NAME, description: 'Keeps statements that will still matter in later sessions.', input_schema: ANSWER_SCHEMA as unknown as { type: 'object'; [key: string]: unknown } };

export function createAnthropicExtractor(options: AnthropicOptions): Extractor {
  const model = options.model ?? DEFAULT_ANTHROPIC_MODEL;
  return {
    provider: PROVIDER,
    model,
    estimateTokens: estimatePromptTokens,
    extract: (request) => converse(request, model, (exchange) => stream(options, model, request, exchange)),
  };
}

async function* stream(options: AnthropicOptions, model: string, request: ExtractionRequest, exchange: Exchange): AsyncGenerator<Piece> {
  const { system, user } = promptOf(request, true);
  const traits = traitsOf(model);
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const patience = createPatience(options.idleMs ?? IDLE_MS, request.signal);
  try {
    // Retries are the pipeline's: it knows how long to wait and keeps the batch meanwhile.
    const client = new Anthropic({ apiKey: options.apiKey, maxRetries: 0, ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }), ...(options.fetch === undefined ? {} : { fetch: options.fetch }) });
    const events = await client.messages.create(
      {
        model,
        max_tokens: request.maxOutputTokens,
        system,
        messages: [
          { role: 'user', content: user },
          ...(exchange.failed === undefined ? [] : ([{ role: 'assistant', content: exchange.failed.answer === '' ? '(no answer)' : exchange.failed.answer }, { role: 'user', content: exchange.failed.ask }] as const)),
        ],
        tools: [TOOL],
        tool_choice: traits.forcesTool ? { type: 'tool', name: TOOL_NAME } : { type: 'auto' },
        ...(traits.takesEffort ? { output_config: { effort: 'low' as const } } : {}),
        stream: true,
      },
      { signal: patience.signal },
    );
    for await (const event of events) {
      patience.beat();
      if (event.type === 'message_start') yield { usage: { inputTokens: event.message.usage.input_tokens, outputTokens: event.message.usage.output_tokens } };
      else if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta') yield { text: event.delta.partial_json };
      else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield { text: event.delta.text };
      else if (event.type === 'content_block_stop') yield { text: '\n' };
      else if (event.type === 'message_delta') yield { usage: { outputTokens: event.usage.output_tokens } };
    }
    // The SDK ends an aborted stream as if it were complete.
    if (patience.signal.aborted) throw new Error('timed out');
  } catch (error) {
    throw failureOfCall(PROVIDER, error, request.signal);
  } finally {
    patience.end();
  }
}
