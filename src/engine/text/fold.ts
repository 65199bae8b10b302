/**
 * Folding: what two spellings of one word have in common. Width and compatibility forms
 * (NFKC), Latin, Greek and Cyrillic accents, Hebrew points, Arabic harakat and letter forms
 * are folded; marks that make another letter (Japanese voicing, Indic vowels, й) are kept.
 * Traditional Chinese characters become simplified ones, as OpenCC's dictionary has them.
 */
import traditionalToSimplified from 'opencc-js/dict/TSCharacters';

/** Marks that only adorn: combining accents, Hebrew points, Arabic harakat and Koranic marks, tatweel. */
const ADORNING_MARKS = /[\u0300-\u0305\u0307-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06ED]|(?<![иИ])\u0306/gu;
/** What is not seen: soft hyphens, joiners, direction marks, variation selectors, skin tones. */
const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFE00-\uFE0F\uFEFF]|\p{Emoji_Modifier}/gu;
const LETTER_FORMS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ı: 'i', ς: 'σ', ى: 'ي', ة: 'ه', ک: 'ك', ی: 'ي', ך: 'כ', ם: 'מ', ן: 'נ', ף: 'פ', ץ: 'צ' };
const FORMS = new RegExp(`[${Object.keys(LETTER_FORMS).join('')}]`, 'gu');
const ASCII = /^[\u0000-\u007F]*$/u;

/** Built at the first Chinese text. */
let simplified: Map<string, string> | undefined;

function simplify(text: string): string {
  simplified ??= new Map(traditionalToSimplified.split('|').map((pair): [string, string] => {
    const [traditional = '', simple = ''] = pair.split(' ');
    return [traditional, simple];
  }));
  const known = simplified;
  return text.replaceAll(/\p{Script=Han}/gu, (character) => known.get(character) ?? character);
}

/** Folds marks, width and Chinese forms; keeps letter case, since inner capitals still have to be seen. */
export function foldMarks(text: string): string {
  if (ASCII.test(text)) return text;
  return simplify(text.normalize('NFKD').replaceAll(INVISIBLE, '').replaceAll(ADORNING_MARKS, '').normalize('NFC'));
}

/** Lower case and one form per letter, for a word that foldMarks has seen. */
export function foldCase(word: string): string {
  const lower = word.toLowerCase();
  return ASCII.test(lower) ? lower : lower.replaceAll(FORMS, (letter) => LETTER_FORMS[letter] ?? letter);
}

/** Marks that folding kept, spelled in letters and digits, so that no full-text tokenizer splits a word at them. */
export function spellMarks(word: string): string {
  return ASCII.test(word) ? word : word.replaceAll(/\p{M}/gu, (mark) => `x${(mark.codePointAt(0) ?? 0).toString(16)}`);
}
