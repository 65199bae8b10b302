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
  // Why a memory was made, changed or is proposed to be.
  [/^Not relevant\.$/, () => t('not relevant')],
  [/^Still true\.$/, () => t('still true')],
  [/^Said in a session\.$/, () => t('said in a session')],
  [/^Summary of the session\.$/, () => t('summary of the session')],
  [/^The session was rewound to before this was said\.$/, () => t('the session was rewound to before this was said')],
  [/^Moved between stores\.$/, () => t('its scope was changed')],
  [/^Import\.$/, () => t('An import')],
  [/^Merged proposal \S+\.$/, () => t('a proposal was merged into it')],
  [/^Replaces what you named\.$/, () => t('replaces what was named')],
  [/^Nothing like it is remembered\.$/, () => t('nothing like it was remembered')],
  [/^The same words are remembered already\.$/, () => t('the same words were remembered already')],
  [/^Both say something short about the same thing\.$/, () => t('both say something short about the same thing')],
  [/^Somebody else's text would change what you said: ([^]*)$/, (why = '') => t('somebody else\u2019s text would change what you said: {0}', reasonLabel(why))],
  [/^([^]*\.) Both were said at the same time\.$/, (why = '') => t('{0}; both were said at the same time', reasonLabel(why))],
  [/^"([^]*)" says itself that this came after it\.$/, (text = '') => t('“{0}” says itself that this came after it', text)],
  [/^Says itself that "([^]*)" came after it\.$/, (text = '') => t('says itself that “{0}” came after it', text)],
  [/^"([^]*)" says this already, and more\.$/, (text = '') => t('“{0}” says this already, and more', text)],
  [/^Says what "([^]*)" says, and more\.$/, (text = '') => t('says what “{0}” says, and more', text)],
  [/^Says the same as "([^]*)"\.$/, (text = '') => t('says the same as “{0}”', text)],
  [/^Says the opposite of "([^]*)"\.$/, (text = '') => t('says the opposite of “{0}”', text)],
  [/^Says that "([^]*)" no longer holds; "([^]*)" said it did\.$/, (named = '', text = '') => t('says that “{0}” no longer holds; “{1}” said it did', named, text)],
  [/^Corrects "([^]*)"\.$/, (text = '') => t('corrects “{0}”', text)],
  [/^Same subject as "([^]*)", with "([^]*)" in place of "([^]*)"\.$/, (text = '', mine = '', theirs = '') => t('same subject as “{0}”, with “{1}” in place of “{2}”', text, mine, theirs)],
  [/^Was said before "([^]*)", which replaced it\.$/, (text = '') => t('was said before “{0}”, which replaced it', text)],
  [/^Not recalled for (\d+) days and of importance (\d+)\.$/, (days = '', importance = '') => t('not recalled for {0} days and of importance {1}', days, importance)],
  [/^Was to hold until (.+)\.$/, (day = '') => t('was to hold until {0}', day)],
  [/^Newer session summaries follow it; (\d+) are kept\.$/, (kept = '') => t('newer session summaries follow it; {0} are kept', kept)],
];

export function reasonLabel(sentence: string): string {
  for (const [pattern, translate] of SENTENCES) {
    const match = pattern.exec(sentence);
    if (match !== null) return translate(...match.slice(1));
  }
  return sentence;
}

/** Who changed something: a person by name, else the way it came. */
export function actorLabel(who: string): string {
  switch (who) {
    case 'extension': case 'selection': case 'command': return t('you');
    case 'cli': return t('The command line');
    case 'mcp': return t('Claude, by a tool call');
    case 'hook': case 'transcript': return t('A Claude Code session');
    case 'policy': return t('Cairn itself');
    case 'import': return t('An import');
    case 'sync': return t('A shared file');
    case 'server': return t('The team server');
    default: return who;
  }
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
    case 'ranks': return t('ranks among long texts');
    case 'sameText': return t('another part of the same text');
    case 'newerStatement': return t('newer statement');
    case 'replacedStatement': return t('a newer statement is here');
    case 'behindHead': return t('found further down');
    default: return name;
  }
}
