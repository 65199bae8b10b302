/**
 * Which lines of a session file are still the conversation. Lines form a tree by `parentUuid`; a person who rewinds
 * (Esc Esc, `/rewind`, resuming at an earlier message) goes on from an earlier line, and what had been said after it
 * stays in the file as a branch that leads nowhere.
 *
 * The live path runs from the last line to the root. Parallel tool calls, hooks and progress notes branch off as well
 * without anything being taken back, so a branch counts as abandoned only where a prompt of the person stands on it.
 */
import { messageIdOf } from './messageId.ts';
import { isObject, stringOf, type JsonObject } from './parseLine.ts';

const NONE = -1;

interface TreeLine {
  /** Place of an earlier line, or NONE: the tree has no cycles whatever the file says. */
  readonly parent: number;
  /** The line did not say so: no evidence that anybody went another way. */
  readonly isAssumed: boolean;
  readonly isPrompt: boolean;
  readonly messageId: string | undefined;
}

export class ConversationTree {
  readonly #lines: TreeLine[] = [];
  readonly #byUuid = new Map<string, number>();
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
    const messageId = messageIdOf(line);
    if (line.type === 'queue-operation') {
      // Typed while Claude worked, without a line of its own: it belongs where it was typed.
      if (line.operation === 'enqueue') this.#lines.push({ parent: this.#last, isAssumed: true, isPrompt: false, messageId });
      return;
    }
    const uuid = stringOf(line.uuid);
    if (uuid === undefined || this.#byUuid.has(uuid)) return;
    const isPrompt = isPromptLine(line);
    const named = this.#byUuid.get(stringOf(line.parentUuid) ?? '');
    this.#lines.push({ ...(named === undefined ? this.#rootOf(line, isPrompt) : { parent: named, isAssumed: false }), isPrompt, messageId });
    this.#last = this.#lines.length - 1;
    this.#lastNamedItsParent = named !== undefined;
    this.#byUuid.set(uuid, this.#last);
  }

  /** Ids of the messages that stand on abandoned branches only. */
  abandoned(): Set<string> {
    const isLive = this.#livePath();
    const branches = this.#branches(isLive);
    const leftBehind = new Set(branches.filter((branch, at) => isLive[at] === 0 && this.#lines[at]?.isPrompt === true && this.#lines[branch]?.isAssumed === false));
    const isAbandoned = (at: number): boolean => isLive[at] === 0 && leftBehind.has(branches[at] ?? NONE);
    const kept = new Set(this.#lines.filter((_, at) => !isAbandoned(at)).map(({ messageId }) => messageId));
    return new Set(this.#lines.flatMap(({ messageId }, at) => (messageId !== undefined && isAbandoned(at) && !kept.has(messageId) ? [messageId] : [])));
  }

  /**
   * A line that names no known parent goes on from the line before: a compaction begins a root of its own, and the
   * parent may have been cut off. Only a prompt without a parent, in a file whose lines all name theirs, begins anew:
   * the person rewound to the very start.
   */
  #rootOf(line: JsonObject, isPrompt: boolean): Pick<TreeLine, 'parent' | 'isAssumed'> {
    if (this.#last === NONE || line.subtype === 'compact_boundary') return { parent: this.#last, isAssumed: false };
    if (isPrompt && line.parentUuid === null && this.#lastNamedItsParent && !this.#isBroken) return { parent: NONE, isAssumed: false };
    if (isPrompt && typeof line.parentUuid === 'string') this.#hasLooseEnds = true;
    this.#isBroken = true;
    return { parent: this.#last, isAssumed: true };
  }

  #livePath(): Uint8Array {
    const isLive = new Uint8Array(this.#lines.length);
    for (let at = this.#last; at !== NONE; at = this.#lines[at]?.parent ?? NONE) isLive[at] = 1;
    return isLive;
  }

  /** For each line off the live path, the line by which its branch left it. */
  #branches(isLive: Uint8Array): Int32Array {
    const branches = new Int32Array(this.#lines.length).fill(NONE);
    for (const [at, { parent }] of this.#lines.entries()) {
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
