/**
 * Extractor: the port behind which a model (or a rule set) turns turns into statements.
 * What only a host can give (VS Code's language models) implements it outside the engine.
 */
import type { Turn } from '../model/episode.ts';
import type { ExtractedStatement } from '../model/observation.ts';

export interface ExtractionRequest {
  readonly turns: readonly Turn[];
  /** Texts of memories that may be related, so that a model can propose updates. */
  readonly related: readonly { readonly id: string; readonly text: string }[];
  readonly language?: string;
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
}

export interface ExtractionUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Extractor {
  /** For spend, job log and provenance: `rules`, `anthropic`, `openai`, `vscode`, `claude-code`. */
  readonly provider: string;
  readonly model: string;
  /** Why this process cannot ask the model now, as a person reads it: batches are queued until one can, and nothing is asked. */
  readonly waitsBecause?: string;
  /** Conservative token estimate of a request, for the cap that is checked before the call. */
  estimateTokens(request: ExtractionRequest): number;
  /** Yields statements as they arrive; the return value is the usage. Throws PROVIDER_* codes. */
  extract(request: ExtractionRequest): AsyncGenerator<ExtractedStatement, ExtractionUsage>;
}
