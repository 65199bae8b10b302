/**
 * Reasons in the person's language. The engine keeps them as English sentences, with the
 * memories and receipts they belong to; what is not known here is shown as it is.
 */
import { t } from './words.ts';

type Translate = (...parts: string[]) => string;

const SENTENCES: readonly (readonly [RegExp, Translate])[] = [
  // Why Claude was given a memory.
  [/^pinned$/, () => t('pinned')],
  [/^rule$/, () => t('rule')],
  [/^one of the latest decisions$/, () => t('one of the latest decisions')],
  [/^preference$/, () => t('preference')],
  [/^summary of the last session$/, () => t('summary of the last session')],
  [/^profile$/, () => t('profile')],
  [/^Claude asked$/, () => t('Claude asked')],
  [/^the prompt names this project$/, () => t('the prompt names this project')],
  [/^matches the prompt \((.*)\)$/, (evidence = '') => t('matches the prompt ({0})', evidence.split(', ').map(reasonLabel).join(', '))],
  [/^(\d+) of (\d+) words$/, (some = '', all = '') => t('{0} of {1} words', some, all)],
  [/^meaning ([\d.]+)$/, (likeness = '') => t('meaning {0}', likeness)],
  [/^holds for (.+)$/, (path = '') => t('holds for {0}', path)],
  [/^anchored to (.+)$/, (path = '') => t('anchored to {0}', path)],
  // Why a memory may be seen here.
  [/^(.+); replaces (\S+), which matched$/, (because = '') => t('{0}; replaces one that matched', reasonLabel(because))],
  [/^user memory$/, () => t('user memory')],
  [/^repository memory$/, () => t('repository memory')],
  [/^repository memory, made on this branch, (.+)$/, (branch = '') => t('repository memory, made on this branch, {0}', branch)],
  [/^memory of this branch, (.+)$/, (branch = '') => t('memory of this branch, {0}', branch)],
  [/^memory of branch (.+)$/, (branch = '') => t('memory of branch {0}', branch)],
  [/^memory for (.+), where (.+) lies$/, (glob = '', path = '') => t('memory for {0}, where {1} lies', glob, path)],
  [/^memory for (.+)$/, (glob = '') => t('memory for {0}', glob)],
  [/^made on branch (.+), shown here with its branch named$/, (branch = '') => t('made on branch {0}', branch)],
];

export function reasonLabel(sentence: string): string {
  for (const [pattern, translate] of SENTENCES) {
    const match = pattern.exec(sentence);
    if (match !== null) return translate(...match.slice(1));
  }
  return sentence;
}

/** A named influence on the rank of a found memory. */
export function boostLabel(name: string): string {
  switch (name) {
    case 'words': return t('words in common');
    case 'meaning': return t('meaning');
    case 'importance': return t('importance');
    case 'kind': return t('kind');
    case 'salience': return t('use and age');
    case 'pinned': return t('pinned');
    case 'scope': return t('closer scope');
    case 'otherBranch': return t('another branch');
    case 'path': return t('path');
    case 'notRelevant': return t('was not relevant');
    case 'repetition': return t('says the same again');
    case 'newerStatement': return t('newer statement');
    default: return name;
  }
}
