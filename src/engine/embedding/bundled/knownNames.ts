/**
 * KnownNames: says what a well-known name is ("package manager pnpm") before an encoder reads
 * it. Statements about a project are full of names and acronyms, and questions ask for the thing:
 * which bundler, which law. A small encoder knows few of the names and none that are younger than
 * itself. The list is data beside the model (names.txt). Figures: test/quality/MODELS.md.
 */
export interface KnownNames {
  /** The text with the kind of thing before each of its first known names. */
  explain(text: string): string;
}

/** In a long text names explain each other, and many explanations would drown the rest: all of them cost R@1 on sessions 2 points. */
const MAX_EXPLAINED = 2;
/**
 * A word as code writes it: `node.js`, `.env`, `k8s`; `redis-cli` and `process.env` are words of their own, and what stands
 * behind a slash is part of a path. With it the next word, for names of two.
 */
const NAME = /(?<![\w./-])\.?\w(?:[\w.+#-]*\w)?(?=(?: (\w+))?)/g;
/** `SLAs`; acronyms are listed in the singular. */
const ACRONYMS = /^[A-Z]{2,}s$/;

/** `lines`: `what it is: name name ...`; `~` joins the two words of a name; `#` begins a comment. */
export function createKnownNames(lines: string): KnownNames {
  const kindOf = new Map<string, string>();
  for (const line of lines.split('\n')) {
    const [kind = '', names = ''] = line.startsWith('#') ? [] : line.split(': ');
    for (const name of names.split(' ')) if (name !== '') kindOf.set(name.replace('~', ' '), kind);
  }
  const find = (name: string): string | undefined => kindOf.get(name) ?? kindOf.get(name.toLowerCase());
  const findFirst = (word: string, next: string | undefined): string | undefined =>
    (next === undefined ? undefined : find(`${word} ${next}`)) ?? (ACRONYMS.test(word) ? find(word.slice(0, -1)) : undefined) ?? find(word);
  return {
    explain(text) {
      const explained = new Set<string>();
      return text.replaceAll(NAME, (word: string, next: string | undefined) => {
        if (explained.size === MAX_EXPLAINED) return word;
        const kind = findFirst(word, next);
        if (kind === undefined || explained.has(kind)) return word;
        explained.add(kind);
        return `${kind} ${word}`;
      });
    },
  };
}
