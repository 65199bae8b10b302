/**
 * Turns out of the lines of a session file, one line at a time, with as little memory of earlier lines as the format
 * allows.
 *
 * The format in short: `user` and `assistant` lines carry messages; one API message is several lines, one per content
 * block, with the same `message.id`; a tool's result is a `user` line; prompts typed while Claude works are only in
 * `queue-operation` lines (or, later, `attachment` lines); resumed and forked sessions repeat lines with their uuids.
 * Everything else, known or not, is passed over.
 *
 * A turn's key must be the same whoever reads the file and wherever they begin: a block's number comes from
 * `apiBlockIndex` where the client writes it, else it is counted per message, and the counts are part of the cursor.
 */
import type { Turn } from '../engine/index.ts';
import { isPromptLine } from './conversationTree.ts';
import { hashOf, messageIdOf } from './messageId.ts';
import { isObject, stringOf, type JsonObject } from './parseLine.ts';
import { answersInText, cleanAnswer, cleanSpeech, cleanToolText, isRejection, limitText, MAX_TOOL_TEXT_LENGTH, wordsOfRejection } from './speech.ts';

export interface TurnMakerState {
  /** Blocks seen of the latest API messages, oldest first. */
  readonly blockCounts: readonly (readonly [messageId: string, blocks: number])[];
  /** Names of the tools whose results are still to come. */
  readonly toolNames: readonly (readonly [toolUseId: string, name: string])[];
  /** Uuid of the last line of the main conversation: where the next prompt goes on, unless the person rewound. */
  readonly tail?: string;
}

export interface TurnMakerOptions {
  readonly sessionId: string;
  /** Time of a line without a usable one, until one has been seen. */
  readonly fallbackAt: number;
  /** Times after this are wrong (a clock that ran ahead, a forged line). */
  readonly latestAt: number;
  /** Uuids whose lines were taken from another file: a fork's copies. */
  readonly skipUuids?: ReadonlySet<string>;
  /** The whole file is a sub-agent's. */
  readonly sidechain: boolean;
  readonly state?: TurnMakerState;
}

const MAX_REMEMBERED_MESSAGES = 16;
const MAX_REMEMBERED_TOOLS = 200;
/** A queued prompt that is neither removed nor sent within so many lines was left behind by a client that ended. */
const QUEUE_PATIENCE_LINES = 400;
const TODO_OR_PLAN = /^Implement the following plan:/;

interface QueuedPrompt {
  readonly key: string;
  readonly text: string;
  readonly at: number;
  readonly line: number;
}

export class TurnMaker {
  readonly #options: TurnMakerOptions;
  readonly #blockCounts: Map<string, number>;
  readonly #toolNames: Map<string, string>;
  readonly #seen = new Set<number>();
  #queued: QueuedPrompt[] = [];
  /** Queued prompts already handed out, so that an attachment with the same words is not a second one. */
  #recentQueued: string[] = [];
  #lastAt: number;
  #line = 0;
  #tail: string | undefined;
  #hasRewound = false;
  lastUuid: string | undefined;

  constructor(options: TurnMakerOptions) {
    this.#options = options;
    this.#blockCounts = new Map(options.state?.blockCounts);
    this.#toolNames = new Map(options.state?.toolNames);
    this.#lastAt = options.fallbackAt;
    this.#tail = options.state?.tail;
  }

  /** A prompt of the lines taken did not go on from the line before it: part of the file may be abandoned. */
  get hasRewound(): boolean {
    return this.#hasRewound;
  }

  /** True while a queued prompt waits for its fate: a cursor must not be moved past it. */
  get isWaiting(): boolean {
    return this.#queued.length > 0;
  }

  state(): TurnMakerState {
    return { blockCounts: [...this.#blockCounts].slice(-MAX_REMEMBERED_MESSAGES), toolNames: [...this.#toolNames].slice(-MAX_REMEMBERED_TOOLS), ...(this.#tail === undefined ? {} : { tail: this.#tail }) };
  }

  take(line: JsonObject): Turn[] {
    this.#line += 1;
    this.#follow(line);
    const expired = this.#takeExpiredQueue();
    switch (line.type) {
      case 'user': return [...expired, ...this.#takeMessage(line, (message, at) => this.#userTurns(line, message, at))];
      case 'assistant': return [...expired, ...this.#takeMessage(line, (message, at) => this.#assistantTurns(line, message, at))];
      case 'queue-operation': return [...expired, ...this.#queueTurns(line)];
      case 'attachment': return [...expired, ...this.#attachmentTurns(line)];
      default: return expired;
    }
  }

  /** At the end of a file that nobody writes any more: prompts left in the queue were said after all. */
  takeRest(): Turn[] {
    const rest = this.#queued.map((prompt) => this.#queuedTurn(prompt));
    this.#queued = [];
    return rest;
  }

  #follow(line: JsonObject): void {
    const uuid = stringOf(line.uuid);
    if (uuid === undefined || line.isSidechain === true) return;
    // A cursor of an older version knows no tail: then the tree is asked once.
    const isFirst = this.#tail === undefined && this.#options.state === undefined;
    if (!isFirst && isPromptLine(line) && line.parentUuid !== this.#tail) this.#hasRewound = true;
    this.#tail = uuid;
  }

  #takeMessage(line: JsonObject, make: (message: JsonObject, at: number) => Turn[]): Turn[] {
    if (!isObject(line.message) || this.#isRepeated(line)) return [];
    return make(line.message, this.#timeOf(line));
  }

  #isRepeated(line: JsonObject): boolean {
    const uuid = stringOf(line.uuid);
    if (uuid === undefined) return false;
    if (this.#options.skipUuids?.has(uuid) === true) return true;
    const hash = hashOf(uuid);
    if (this.#seen.has(hash)) return true;
    this.#seen.add(hash);
    this.lastUuid = uuid;
    return false;
  }

  #timeOf(line: JsonObject): number {
    const value = typeof line.timestamp === 'string' ? Date.parse(line.timestamp) : line.timestamp;
    if (typeof value === 'number' && Number.isFinite(value) && value > 0 && value <= this.#options.latestAt) this.#lastAt = value;
    return this.#lastAt;
  }

  #turn(turn: Pick<Turn, 'messageId' | 'blockIndex' | 'speaker' | 'text' | 'at'> & Partial<Turn>, line?: JsonObject): Turn {
    return { sessionId: this.#options.sessionId, sidechain: this.#options.sidechain || line?.isSidechain === true, ...turn };
  }

  #userTurns(line: JsonObject, message: JsonObject, at: number): Turn[] {
    const messageId = messageIdOf(line) ?? `line:${at}:${this.#line}`;
    const isSummary = line.isCompactSummary === true || line.isVisibleInTranscriptOnly === true;
    const isPerson = line.isMeta !== true && !isSummary && isHuman(line);
    const turns: Turn[] = [];
    for (const [blockIndex, block] of blocksOf(message.content).entries()) {
      if (block.type === 'tool_result') turns.push(...this.#resultTurns(line, block, messageId, blockIndex, at));
      if (block.type !== 'text' || typeof block.text !== 'string') continue;
      if (isSummary || (isPerson && isPlan(line, block.text))) {
        const text = isSummary ? cleanAnswer(block.text) : cleanSpeech(block.text);
        if (text !== '') turns.push(this.#turn({ messageId, blockIndex, speaker: 'system', text, at }, line));
        continue;
      }
      const text = isPerson ? cleanSpeech(block.text) : '';
      if (text === '' || this.#wasQueued(text)) continue;
      turns.push(this.#turn({ messageId, blockIndex, speaker: 'user', text, at }, line));
    }
    return turns;
  }

  #resultTurns(line: JsonObject, block: JsonObject, messageId: string, blockIndex: number, at: number): Turn[] {
    const id = stringOf(block.tool_use_id) ?? '';
    const toolName = this.#toolNames.get(id) ?? 'unknown';
    this.#toolNames.delete(id);
    const raw = blocksOf(block.content).map((part) => (part.type === 'text' ? (stringOf(part.text) ?? '') : '')).join('\n');
    const isSpoken = line.isMeta !== true || line.toolDenialKind === 'user-rejected';
    if (isSpoken && block.is_error === true && isRejection(raw) && mayCarryWords(line, toolName)) {
      const words = wordsOfRejection(raw);
      return words === undefined ? [] : [this.#turn({ messageId, blockIndex, speaker: 'user', text: words, at }, line)];
    }
    if (isSpoken && toolName === 'AskUserQuestion' && block.is_error !== true) {
      const text = cleanSpeech(answersOf(line.toolUseResult, raw).join('\n'));
      if (text !== '') return [this.#turn({ messageId, blockIndex, speaker: 'user', text, at }, line)];
    }
    const text = cleanToolText(raw);
    return text === '' ? [] : [this.#turn({ messageId, blockIndex, speaker: 'tool', toolName, text, at }, line)];
  }

  #assistantTurns(line: JsonObject, message: JsonObject, at: number): Turn[] {
    const messageId = messageIdOf(line) ?? `line:${at}:${this.#line}`;
    const blocks = blocksOf(message.content);
    const first = typeof line.apiBlockIndex === 'number' ? line.apiBlockIndex : (this.#blockCounts.get(messageId) ?? 0);
    this.#countBlocks(messageId, first + blocks.length);
    if (line.isApiErrorMessage === true || message.model === '<synthetic>') return [];
    const turns: Turn[] = [];
    for (const [offset, block] of blocks.entries()) {
      const blockIndex = first + offset;
      if (block.type === 'text' && typeof block.text === 'string') {
        const text = cleanAnswer(block.text);
        if (text !== '') turns.push(this.#turn({ messageId, blockIndex, speaker: 'assistant', text, at }, line));
      } else if (block.type === 'tool_use') turns.push(...this.#toolUseTurns(line, block, messageId, blockIndex, at));
    }
    return turns;
  }

  #toolUseTurns(line: JsonObject, block: JsonObject, messageId: string, blockIndex: number, at: number): Turn[] {
    const toolName = stringOf(block.name) ?? 'unknown';
    const id = stringOf(block.id);
    if (id !== undefined) {
      this.#toolNames.set(id, toolName);
      if (this.#toolNames.size > MAX_REMEMBERED_TOOLS) this.#toolNames.delete(this.#toolNames.keys().next().value ?? '');
    }
    const input = isObject(block.input) ? block.input : {};
    const said = toolName === 'AskUserQuestion' ? questionsOf(input) : toolName === 'ExitPlanMode' ? (stringOf(input.plan) ?? '') : '';
    if (said !== '') return [this.#turn({ messageId, blockIndex, speaker: 'assistant', text: cleanAnswer(said), at }, line)];
    const paths = pathsOf(input);
    const text = cleanToolText(describeInput(input));
    if (text === '' && paths.length === 0) return [];
    return [this.#turn({ messageId, blockIndex, speaker: 'tool', toolName, text, at, ...(paths.length === 0 ? {} : { paths }) }, line)];
  }

  #countBlocks(messageId: string, blocks: number): void {
    // Taken out and put in again, so that the map's order is the order of use.
    const known = this.#blockCounts.get(messageId) ?? 0;
    this.#blockCounts.delete(messageId);
    this.#blockCounts.set(messageId, Math.max(known, blocks));
    if (this.#blockCounts.size > MAX_REMEMBERED_MESSAGES) this.#blockCounts.delete(this.#blockCounts.keys().next().value ?? '');
  }

  #queueTurns(line: JsonObject): Turn[] {
    const text = typeof line.content === 'string' ? cleanSpeech(line.content) : '';
    switch (line.operation) {
      case 'enqueue':
        if (text !== '' && !text.startsWith('/')) this.#queued.push({ key: messageIdOf(line) ?? '', text, at: this.#timeOf(line), line: this.#line });
        return [];
      // Handed to Claude in the middle of its work: no user line follows.
      case 'remove': {
        const prompt = this.#queued.shift();
        return prompt === undefined ? [] : [this.#queuedTurn(prompt)];
      }
      // Sent as a prompt of its own: its user line follows. Taken back into the input field: not said.
      case 'dequeue':
        this.#queued.shift();
        return [];
      case 'popAll':
        this.#queued = [];
        return [];
      default:
        return [];
    }
  }

  #queuedTurn(prompt: QueuedPrompt): Turn {
    this.#recentQueued = [...this.#recentQueued.slice(-9), prompt.text];
    return this.#turn({ messageId: prompt.key, blockIndex: 0, speaker: 'user', text: prompt.text, at: prompt.at });
  }

  #takeExpiredQueue(): Turn[] {
    const oldest = this.#queued[0];
    if (oldest === undefined || this.#line - oldest.line < QUEUE_PATIENCE_LINES) return [];
    this.#queued.shift();
    return [this.#queuedTurn(oldest)];
  }

  #attachmentTurns(line: JsonObject): Turn[] {
    const attachment = line.attachment;
    if (!isObject(attachment) || attachment.type !== 'queued_command' || attachment.commandMode !== 'prompt' || !isHuman({ origin: attachment.origin })) return [];
    if (this.#isRepeated(line)) return [];
    const text = cleanSpeech(blocksOf(attachment.prompt).map((block) => stringOf(block.text) ?? '').join('\n'));
    if (text === '' || text.startsWith('/') || this.#wasQueued(text)) return [];
    this.#queued = this.#queued.filter((prompt) => prompt.text !== text);
    const messageId = messageIdOf(line) ?? `queue:${String(line.timestamp)}`;
    return [this.#turn({ messageId, blockIndex: 0, speaker: 'user', text, at: this.#timeOf(line) }, line)];
  }

  #wasQueued(text: string): boolean {
    const index = this.#recentQueued.indexOf(text);
    if (index === -1) return false;
    this.#recentQueued.splice(index, 1);
    return true;
  }
}

/** Content as blocks: a string is one text block, a string in a list too, anything else is nothing. */
function blocksOf(content: unknown): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown) => (typeof block === 'string' ? { type: 'text', text: block } : isObject(block) ? block : {}));
}

/** Newer clients say who made a prompt; older ones say nothing. */
function isHuman(line: JsonObject): boolean {
  const kind = isObject(line.origin) ? line.origin.kind : undefined;
  return (kind === undefined || kind === 'human' || kind === 'user') && line.promptSource !== 'system' && line.turnOrigin !== 'task_notification';
}

/** A plan that the assistant wrote and the client sends in the person's name. */
const isPlan = (line: JsonObject, text: string): boolean => typeof line.planContent === 'string' && TODO_OR_PLAN.test(text);

/** A server's own error text could imitate a refusal; for its tools the client's mark is asked for. */
const mayCarryWords = (line: JsonObject, toolName: string): boolean => line.toolDenialKind !== undefined || !toolName.startsWith('mcp__');

function answersOf(result: unknown, text: string): string[] {
  const answers = isObject(result) ? result.answers : undefined;
  const fromResult = isObject(answers) ? Object.values(answers).flat().filter((answer) => typeof answer === 'string') : [];
  return fromResult.length > 0 ? fromResult : answersInText(text);
}

function questionsOf(input: JsonObject): string {
  const questions = Array.isArray(input.questions) ? input.questions.filter(isObject) : [];
  return questions.map((question) => {
    const options = (Array.isArray(question.options) ? question.options.filter(isObject) : []).map((option) => stringOf(option.label) ?? '').filter((label) => label !== '');
    return `${stringOf(question.question) ?? ''}${options.length === 0 ? '' : ` (${options.join(' / ')})`}`;
  }).join('\n').trim();
}

const PATH_FIELDS = ['file_path', 'notebook_path', 'path', 'filePath'] as const;

function pathsOf(input: JsonObject): string[] {
  return PATH_FIELDS.map((field) => input[field]).filter((value) => typeof value === 'string' && value !== '') as string[];
}

/** What a call is about, short: the command, the query, the new text. */
function describeInput(input: JsonObject): string {
  for (const field of ['command', 'query', 'pattern', 'url', 'prompt', 'new_string', 'content', 'description']) {
    const value = input[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return limitText(JSON.stringify(input), MAX_TOOL_TEXT_LENGTH).replace(/^\{\}$/, '');
}
