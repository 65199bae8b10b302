/**
 * Conservative count of a model's tokens, for budgets [J4]. No tokenizer for current Claude
 * models exists locally; this never has to be exact, it has to err on the side of "too many".
 *
 * Measured against a public tokenizer of an earlier Claude: English prose 4.5 characters a
 * token, code 2.4, Chinese .87 tokens a character. The divisors below are stricter than each.
 */

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const PROSE_CHARACTERS_PER_TOKEN = 3.6;
const CODE_CHARACTERS_PER_TOKEN = 2.3;
const TOKENS_PER_CJK_CHARACTER = 1.1;
/** Emoji, marks and rare scripts fall apart into bytes. */
const TOKENS_PER_OTHER_CHARACTER = 1.3;
/** Cyrillic, Greek, accented Latin: two to three characters a token in practice. */
const TOKENS_PER_FOREIGN_LETTER = 0.6;

/** Share of symbols, digits and inner capitals from which a line counts as code: prose has under .06, source over .12. */
const CODE_SHARE = 0.09;

function isCode(line: string): boolean {
  const marks = line.match(/[{}()[\]<>=_;:/\\|&$#@*+~^%"'`\d]|[a-z][A-Z]/g)?.length ?? 0;
  return marks / Math.max(1, line.trim().length) > CODE_SHARE;
}

/** Number of tokens that `text` costs at most, in a usual text of prose, code or CJK. 0 for an empty text. */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const line of text.split('\n')) {
    let ascii = 0;
    for (const character of line) {
      const code = character.codePointAt(0) ?? 0;
      if (code < 0x80) ascii += 1;
      else if (CJK.test(character)) tokens += TOKENS_PER_CJK_CHARACTER;
      else if (code < 0x530) tokens += TOKENS_PER_FOREIGN_LETTER;
      else tokens += TOKENS_PER_OTHER_CHARACTER;
    }
    tokens += ascii / (isCode(line) ? CODE_CHARACTERS_PER_TOKEN : PROSE_CHARACTERS_PER_TOKEN);
    tokens += 1 / PROSE_CHARACTERS_PER_TOKEN;
  }
  return text === '' ? 0 : Math.ceil(tokens);
}
