/**
 * What a key was meant for: a field that takes letters must get them, and a field of text
 * has an undo of its own; a choice or a date has none, so there Undo takes back the act.
 */
const TEXT_TYPES = new Set(['text', 'search']);

/** Single keys are letters here. */
export const isTyping = (target: EventTarget | undefined): boolean => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

export const hasOwnUndo = (target: EventTarget | undefined): boolean => target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && TEXT_TYPES.has(target.type));
