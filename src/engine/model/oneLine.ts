/**
 * oneLine: the short texts that stand beside a statement (a tag, a branch, a name). Line ends and control characters in
 * them would look like lines of their own wherever they are shown, to a person and to a model.
 */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
