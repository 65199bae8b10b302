/** The languages whose rules are known. To add one, write a file like english.ts and name it here. */
import { chinese } from './chinese.ts';
import { english } from './english.ts';
import type { LanguageRules } from './language.ts';

export const LANGUAGES: readonly LanguageRules[] = [english, chinese];

export const languageOf = (text: string): LanguageRules | undefined => LANGUAGES.find((language) => language.appliesTo(text));

/** Said for a while or for one task ("until Friday", "for this test"): it stands beside what holds always, and replaces nothing. */
export function isForAWhile(text: string): boolean {
  const language = languageOf(text);
  return language !== undefined && (language.temporary.test(text) || language.oneOff.test(text));
}
