/**
 * Private parts [C6]: what a person puts between `<private>` and `</private>` is for that
 * moment only and is never kept, whichever way it comes.
 */
const PRIVATE = /<private>[\s\S]*?(?:<\/private>|$)/gi;

/** The text without them; an end mark that is missing means "to the end". */
export const withoutPrivate = (text: string): string => (text.includes('<') ? text.replaceAll(PRIVATE, '') : text);
