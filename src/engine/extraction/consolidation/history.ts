/**
 * History: statements that say themselves that they are past ("previously X, replaced by Y"). They never stand beside
 * what replaced them, whichever arrives first.
 */
import { shapeOf } from './statementShape.ts';

/** Group `successor`: what came after. Data: another language adds its own. */
const REPLACED_BY: readonly RegExp[] = [
  /\b(?:replaced|superseded|succeeded) (?:later )?by (?:the )?(?<successor>[^.;,]{2,60})/i,
  /\bin favou?r of (?:the )?(?<successor>[^.;,]{2,60})/i,
  /(?:后来|之后|现在)?(?:被|已被|已经被) ?(?<successor>[^，。；]{1,30}?) ?(?:取代|代替|替代|替换)/,
  /(?:后来|之后)(?:换成|改成|改用|迁到|换到)了? ?(?<successor>[^，。；]{1,30}?)了?(?:$|[，。；])/,
];

const wordsIn = (text: string): Set<string> => {
  const shape = shapeOf(text);
  return new Set([...shape.subject, ...shape.values.map((value) => value.value)]);
};

/** The words of what replaced it, where the statement says that something did. */
export function successorOf(text: string): ReadonlySet<string> | undefined {
  for (const pattern of REPLACED_BY) {
    const successor = pattern.exec(text)?.groups?.successor;
    const words = successor === undefined ? undefined : wordsIn(successor);
    if (words !== undefined && words.size > 0) return words;
  }
  return undefined;
}

/** True when `current` speaks of what replaced `past`, as what holds. */
export function isReplacedBy(past: string, current: string): boolean {
  const successor = successorOf(past);
  if (successor === undefined) return false;
  const own = successorOf(current);
  if (own !== undefined && [...successor].every((word) => own.has(word))) return false;
  const words = wordsIn(current);
  // The head of a long phrase is enough: "MongoDB with raw driver" is the MongoDB of "Decided on MongoDB".
  const named = shapeOf([...successor].join(' ')).values.map((value) => value.value);
  return named.length > 0 ? named.some((value) => words.has(value)) : [...successor].every((word) => words.has(word));
}
