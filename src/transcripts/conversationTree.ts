/**
 * Which lines of a session file are still the conversation. Lines form a tree by `parentUuid`; a person who rewinds
 * (Esc Esc, `/rewind`, resuming at an earlier message) goes on from an earlier line, and what had been said after it
 * stays in the file as a branch that leads nowhere.
 *
 * The live path runs from the last line to the root. Parallel tool calls, hooks and progress notes branch off as well
 * without anything being taken back, so a branch counts as abandoned only where a prompt of the person stands on it.
 */
import { hashOf, messageIdOf } from './messageId.ts';
import { isObject, stringOf, type JsonObject } from './parseLine.ts';

const NONE = -1;

/** The parent was assumed, the line did not say so: no evidence that anybody went another way. */
const ASSUMED = 1;
const PROMPT = 2;

export class ConversationTree {
  /**
   * Three facts of each line, in three lists: an object a line would be the largest thing in memory. A parent is the
   * place of an earlier line, or NONE, so the tree has no cycles whatever the file says.
   */
  readonly #parents: number[] = [];
  readonly #flags: number[] = [];
  readonly #messageIds: (string | undefined)[] = [];
  readonly #byUuid = new Map<number, number>();
  /** The last line of the main conversation. */
  #last = NONE;
  #lastNamedItsParent = false;
  /** Some line had to name a parent and did not: the file was cut, or written by another tool. */
  #isBroken = false;
  #hasLooseEnds = false;

  /** The lines given begin in the middle, and a prompt goes on from before them: the fork cannot be seen. */
  get hasLooseEnds(): boolean {
    return this.#hasLooseEnds;
  }

  add(line: JsonObject): void {
    if (line.isSidechain === true) return;
    if (line.type === 'queue-operation') {
      // Typed while Claude worked, without a line of its own: it belongs where it was typed.
      if (line.operation === 'enqueue') this.#push(this.#last, ASSUMED, messageIdOf(line));
      return;
    }
    const uuid = stringOf(line.uuid);
    if (uuid === undefined || this.#byUuid.has(hashOf(uuid))) return;
    const isPrompt = isPromptLine(line);
    const named = this.#byUuid.get(hashOf(stringOf(line.parentUuid) ?? ''));
    const { parent, isAssumed } = named === undefined ? this.#rootOf(line, isPrompt) : { parent: named, isAssumed: false };
    this.#last = this.#push(parent, (isAssumed ? ASSUMED : 0) | (isPrompt ? PROMPT : 0), messageIdOf(line));
    this.#lastNamedItsParent = named !== undefined;
    this.#byUuid.set(hashOf(uuid), this.#last);
  }

  /** Ids of the messages that stand on abandoned branches only. */
  abandoned(): Set<string> {
    const isLive = this.#livePath();
    const branches = this.#branches(isLive);
    const leftBehind = new Set<number>();
    for (const [at, branch] of branches.entries()) if (isLive[at] === 0 && this.#is(at, PROMPT) && !this.#is(branch, ASSUMED)) leftBehind.add(branch);
    const abandoned = new Set<string>();
    if (leftBehind.size === 0) return abandoned;
    const isLeft = (at: number): boolean => isLive[at] === 0 && leftBehind.has(branches[at] ?? NONE);
    for (const [at, id] of this.#messageIds.entries()) if (id !== undefined && isLeft(at)) abandoned.add(id);
    // One API message is several lines: it is gone only with all of them.
    for (const [at, id] of this.#messageIds.entries()) if (id !== undefined && !isLeft(at)) abandoned.delete(id);
    return abandoned;
  }

  #push(parent: number, flags: number, messageId: string | undefined): number {
    this.#parents.push(parent);
    this.#flags.push(flags);
    return this.#messageIds.push(messageId) - 1;
  }

  #is(at: number, flag: number): boolean {
    return ((this.#flags[at] ?? 0) & flag) !== 0;
  }

  /**
   * A line that names no known parent goes on from the line before: a compaction begins a root of its own, and the
   * parent may have been cut off. Only a prompt without a parent, in a file whose lines all name theirs, begins anew:
   * the person rewound to the very start.
   */
  #rootOf(line: JsonObject, isPrompt: boolean): { parent: number; isAssumed: boolean } {
    if (this.#last === NONE || line.subtype === 'compact_boundary') return { parent: this.#last, isAssumed: false };
    if (isPrompt && line.parentUuid === null && this.#lastNamedItsParent && !this.#isBroken) return { parent: NONE, isAssumed: false };
    if (isPrompt && typeof line.parentUuid === 'string') this.#hasLooseEnds = true;
    this.#isBroken = true;
    return { parent: this.#last, isAssumed: true };
  }

  #livePath(): Uint8Array {
    const isLive = new Uint8Array(this.#parents.length);
    for (let at = this.#last; at !== NONE; at = this.#parents[at] ?? NONE) isLive[at] = 1;
    return isLive;
  }

  /** For each line off the live path, the line by which its branch left it. */
  #branches(isLive: Uint8Array): Int32Array {
    const branches = new Int32Array(this.#parents.length).fill(NONE);
    for (const [at, parent] of this.#parents.entries()) {
      if (isLive[at] === 0) branches[at] = parent === NONE || isLive[parent] === 1 ? at : (branches[parent] ?? NONE);
    }
    return branches;
  }
}

/** The person's own prompt in the main conversation, not the result of a tool and not a summary. */
export function isPromptLine(line: JsonObject): boolean {
  if (line.type !== 'user' || line.isSidechain === true || line.isMeta === true || line.isCompactSummary === true || !isObject(line.message)) return false;
  const { content } = line.message;
  return typeof content === 'string' || (Array.isArray(content) && !content.some((block) => isObject(block) && block.type === 'tool_result'));
}
