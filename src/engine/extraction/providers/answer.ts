/**
 * Reading a model's answer: strict JSON where it comes, and what is meant where it does not:
 * fenced, with words around it, cut off in the middle, with numbers as text. Statements are
 * handed out as soon as they are complete, so that a person sees them arrive.
 */
import type { EpochMs } from '../../../base/clock.ts';
import { turnKey, type Turn } from '../../model/episode.ts';
import { KIND_ALIASES, MEMORY_KINDS, type MemoryKind } from '../../model/kinds.ts';
import type { ExtractedStatement } from '../../model/observation.ts';
import { normalizeText } from '../../text/normalize.ts';
import type { ExtractionRequest } from '../extractor.ts';
import { parseExpiry } from '../rules/expiry.ts';
import { EXTRACT, templateName } from '../templates/index.ts';

const LONGEST_ANSWER = 400_000;
const MOST_STATEMENTS = 100;

/** Finds complete JSON objects in a growing text. Linear: every character is looked at once. */
export class ObjectReader {
  #text = '';
  #at = 0;
  #starts: number[] = [];
  #inString = false;
  #escaped = false;
  #found = 0;

  /** Objects with a `text` that became complete with this piece. */
  feed(piece: string): Record<string, unknown>[] {
    if (this.#text.length + piece.length > LONGEST_ANSWER) return [];
    this.#text += piece;
    const objects: Record<string, unknown>[] = [];
    for (; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (character === '\\') this.#escaped = true;
        // A line end inside a string is no JSON: the quotation mark before it was prose.
        else if (character === '"' || character === '\n') this.#inString = false;
      } else if (character === '"') this.#inString = this.#starts.length > 0;
      else if (character === '{') this.#starts.push(this.#at);
      else if (character === '}') {
        const start = this.#starts.pop();
        const object = start === undefined ? undefined : parseObject(this.#text.slice(start, this.#at + 1));
        if (object !== undefined && typeof object.text === 'string' && this.#found < MOST_STATEMENTS) {
          this.#found += 1;
          objects.push(object);
        }
      }
    }
    return objects;
  }

  get text(): string {
    return this.#text;
  }

  get found(): number {
    return this.#found;
  }

  /** True for a readable answer: something was found, or it says in JSON that there is nothing. */
  get isUsable(): boolean {
    return this.#found > 0 || /\{\s*"?statements"?\s*:\s*\[\s*\]\s*,?\s*\}/.test(this.#text) || /^\s*(?:```(?:json)?\s*)?\[\s*\]\s*(?:```)?\s*$/.test(this.#text);
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  for (const candidate of [text, text.replaceAll(/,\s*([}\]])/g, '$1')]) {
    try {
      const value: unknown = JSON.parse(candidate);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
    } catch {
      // Not JSON as it stands; the second form is without trailing commas, and then it is none.
    }
  }
  return undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined);
const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? Number.parseFloat(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
};

function kindOf(value: unknown): MemoryKind {
  const name = (textOf(value) ?? '').toLowerCase().replaceAll(/[-\s]+/g, '_');
  return MEMORY_KINDS.find((kind) => kind === name) ?? KIND_ALIASES[name] ?? 'fact';
}

/** 0..1 from 0..1, percent, or 1..10. */
function confidenceOf(value: unknown): number {
  const number = numberOf(value);
  if (number === undefined || number < 0) return 0.6;
  if (number <= 1) return number;
  return Math.min(1, number <= 10 ? number / 10 : number / 100);
}

function turnOf(value: unknown, quote: string | undefined, turns: readonly Turn[]): Turn | undefined {
  const number = numberOf(value);
  const named = number === undefined ? undefined : turns[Math.round(number) - 1];
  const wanted = quote === undefined ? '' : normalizeText(quote);
  if (wanted === '') return named;
  if (named !== undefined && normalizeText(named.text).includes(wanted)) return named;
  return turns.findLast((turn) => turn.speaker === 'user' && normalizeText(turn.text).includes(wanted)) ?? turns.findLast((turn) => normalizeText(turn.text).includes(wanted)) ?? named;
}

/** Undefined when the object says nothing. Trust is judged by the pipeline, from the quote. */
export function toStatement(object: Record<string, unknown>, request: ExtractionRequest, model: string): ExtractedStatement | undefined {
  const text = textOf(object.text) ?? textOf(object.content) ?? textOf(object.statement);
  if (text === undefined) return undefined;
  const quote = textOf(object.quote);
  const turn = turnOf(object.turn, quote, request.turns);
  const temporary = object.temporary === true || object.temporary === 'true';
  const until = textOf(object.until);
  const expiresAt: EpochMs | undefined = temporary && until !== undefined && turn !== undefined ? parseExpiry(`until ${until}`, turn.at) : undefined;
  const replaces = textOf(object.replaces);
  const importance = numberOf(object.importance);
  const scope = textOf(object.scope);
  return {
    text,
    kind: kindOf(object.kind ?? object.type ?? object.category),
    importance: importance === undefined ? 5 : Math.min(10, Math.max(1, Math.round(importance))),
    confidence: confidenceOf(object.confidence),
    tags: temporary ? ['temporary'] : [],
    scope: scope !== undefined && /^(?:user|person|global)/i.test(scope) ? { level: 'user' } : { level: 'repository' },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(replaces === undefined ? {} : { replaces }),
    temporary,
    untrusted: false,
    provenance: {
      via: 'transcript',
      ...(turn === undefined ? {} : { sessionId: turn.sessionId, turnKey: turnKey(turn), saidAt: turn.at }),
      ...(quote === undefined ? {} : { quote }),
      model,
      promptTemplate: templateName(EXTRACT),
    },
  };
}
