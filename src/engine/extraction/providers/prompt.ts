/**
 * What every model provider sends: the template as system text, the turns numbered, related
 * memories beside them, and the schema of the answer.
 */
import { countTokens } from '../../text/countTokens.ts';
import type { ExtractionRequest } from '../extractor.ts';
import { EXTRACT } from '../templates/index.ts';

/** JSON schema of an answer; used as a tool's input schema and as a response format. */
export const ANSWER_SCHEMA = {
  type: 'object',
  properties: {
    statements: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          quote: { type: 'string' },
          turn: { type: 'integer' },
          kind: { type: 'string', enum: ['rule', 'decision', 'preference', 'code_pattern', 'technical_context', 'project_context', 'communication_pattern', 'identity', 'fact'] },
          importance: { type: 'integer' },
          confidence: { type: 'number' },
          scope: { type: 'string', enum: ['repository', 'user'] },
          temporary: { type: 'boolean' },
          until: { type: 'string' },
          replaces: { type: 'string' },
        },
        required: ['text', 'quote', 'turn', 'kind', 'importance', 'confidence', 'scope'],
        additionalProperties: false,
      },
    },
  },
  required: ['statements'],
  additionalProperties: false,
} as const;

export const TOOL_NAME = 'keep_statements';

/** A model's name for "answer in JSON", for providers without tools. */
const JSON_ONLY = 'Answer with one JSON object {"statements": [...]} and nothing else.';

export interface Prompt {
  readonly system: string;
  readonly user: string;
}

/** Turn numbers are 1-based positions in `request.turns`. A turn cannot open or close the tags around it. */
export function promptOf(request: ExtractionRequest, isTool: boolean): Prompt {
  const lines = request.turns.map((turn, i) => `<turn number="${i + 1}" speaker="${turn.speaker}">\n${turn.text.replaceAll(/<(\/?)(turn|memory)\b/gi, '‹$1$2')}\n</turn>`);
  const related = request.related.length === 0 ? '' : `\n\nRemembered already; do not repeat it, but say in "replaces" what the user changed:\n${request.related.map((memory) => `<memory>${memory.text.replaceAll(/<(\/?)(turn|memory)\b/gi, '‹$1$2')}</memory>`).join('\n')}`;
  const language = request.language === undefined ? '' : `\n\nThe user's language is ${request.language}.`;
  return { system: EXTRACT.body, user: `${lines.join('\n')}${related}${language}\n\n${isTool ? `Call ${TOOL_NAME} once with what is worth keeping; with an empty list if nothing is.` : JSON_ONLY}` };
}

/** Conservative; the schema travels with the request. */
export function estimatePromptTokens(request: ExtractionRequest): number {
  const { system, user } = promptOf(request, true);
  return countTokens(system) + countTokens(user) + countTokens(JSON.stringify(ANSWER_SCHEMA)) + 50;
}
