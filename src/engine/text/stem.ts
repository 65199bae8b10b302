/**
 * Stemming: brings the inflected forms of a word to one token, lightly. English plurals,
 * -ing and -ed; Russian endings; Korean particles; Arabic and Hebrew articles. What a light
 * stemmer leaves apart (migrate, migration, migrator) is joined at query time by
 * `derivations`, with a lower weight, so that the exact form still wins.
 *
 * Changing a rule? Raise TOKENIZER_VERSION: stored tokens and query tokens must agree.
 */

const VOWEL = /[aeiouy]/;
/** Words whose ending only looks like an inflection. */
const UNINFLECTED = new Set([
  'always', 'alias', 'aws', 'bias', 'bus', 'canvas', 'class', 'chaos', 'css', 'dns', 'embed', 'gas', 'hundred', 'ios', 'its', 'js', 'kubernetes', 'less', 'news', 'note',
  'notes', 'os', 'pass', 'process', 'redis', 'sass', 'shed', 'speed', 'status', 'this', 'tls', 'ts', 'used', 'uses', 'using', 'use', 'during', 'nothing', 'something',
  'anything', 'everything', 'string', 'spring', 'thing', 'bring', 'king', 'ring', 'ping', 'done', 'none', 'one', 'gone', 'https', 'postgres', 'jenkins', 'rails', 'windows',
]);
const IRREGULAR = new Map([
  ['uses', 'use'], ['used', 'use'], ['using', 'use'], ['notes', 'note'], ['aliases', 'alias'], ['statuses', 'status'], ['strings', 'string'], ['rings', 'ring'],
  ['built', 'build'], ['ran', 'run'], ['written', 'writ'], ['wrote', 'writ'], ['chose', 'choos'], ['chosen', 'choos'], ['kept', 'keep'], ['sent', 'send'], ['made', 'mak'],
  ['broke', 'break'], ['broken', 'break'], ['indices', 'index'], ['indexes', 'index'], ['vertices', 'vertex'], ['matrices', 'matrix'], ['schemata', 'schema'], ['data', 'data'],
  ['children', 'child'], ['people', 'person'], ['analyses', 'analysis'], ['stored', 'stor'], ['embedded', 'embed'], ['embedding', 'embed'], ['embeddings', 'embed'], ['embeds', 'embed'],
  ['classes', 'class'], ['passes', 'pass'], ['processes', 'process'], ['buses', 'bus'], ['preferred', 'prefer'], ['preferring', 'prefer'], ['processing', 'process'], ['processed', 'process'],
]);

const undouble = (stem: string): string => (/([bdfgklmnprt])\1$/.test(stem) && !/(ll|ss|zz)$/.test(stem) ? stem.slice(0, -1) : stem);

/** Lower-case ASCII word in, stem out. Idempotent for what it makes in practice; never empty. */
export function stemEnglish(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length <= 3 || UNINFLECTED.has(word)) return word;
  let stem = word;
  if (stem.endsWith('ies') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|zz)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (/[^siuj]s$/.test(stem)) stem = stem.slice(0, -1);
  if (UNINFLECTED.has(stem)) return stem;
  if (stem.endsWith('ing') && stem.length >= 6 && VOWEL.test(stem.slice(0, -3))) stem = undouble(stem.slice(0, -3));
  else if (stem.endsWith('ied') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (stem.endsWith('ed') && !stem.endsWith('eed') && stem.length >= 5 && VOWEL.test(stem.slice(0, -2))) stem = undouble(stem.slice(0, -2));
  if (stem.length >= 4 && stem.endsWith('e') && !stem.endsWith('ee')) stem = stem.slice(0, -1);
  if (stem.length >= 4 && /[^aeiou]y$/.test(stem)) stem = `${stem.slice(0, -1)}i`;
  return stem;
}

const RUSSIAN = /(?:иями|ями|ами|ией|иях|иям|ого|его|ому|ему|ыми|ими|ость|ости|ать|ять|ить|еть|ует|ают|яют|ия|ий|ию|ии|ие|ые|ый|ой|ей|ая|яя|ое|ее|ых|их|ым|им|ам|ям|ах|ях|ов|ев|ом|ем|ую|юю|а|я|о|е|ы|и|у|ю|ь|й)$/;
const KOREAN = /(?:에서는|에서|에게|으로|까지|부터|보다|처럼|하고|이나|이랑|을|를|이|가|은|는|에|의|로|와|과|도|만)$/;

/** Stems a folded, lower-case word of any script; words of scripts without rules come back as they are. */
export function stemWord(word: string): string {
  if (/^[a-z]+$/.test(word)) return stemEnglish(word);
  if (/^\p{Script=Cyrillic}+$/u.test(word)) {
    const stem = word.replace(RUSSIAN, '');
    return stem.length >= 3 ? stem : word;
  }
  if (/^\p{Script=Hangul}+$/u.test(word)) {
    const stem = word.replace(KOREAN, '');
    return stem.length >= 2 ? stem : word;
  }
  if (/^\p{Script=Arabic}+$/u.test(word) && word.length >= 5) return word.replace(/^(?:وال|بال|كال|فال|لل|ال)/, '');
  if (/^\p{Script=Hebrew}{5,}$/u.test(word)) return word.replace(/^(?:ו?ה)+(?=.{3})/u, '');
  return word;
}

/** Stems of words derived from this English stem or that it derives from: migration -> migrat, deploy -> deployment. */
export function derivations(stem: string): string[] {
  if (stem.length < 4 || !/^[a-z]+$/.test(stem)) return [];
  const found: string[] = [];
  const add = (candidate: string): void => {
    if (candidate.length >= 4 && candidate !== stem) found.push(candidate);
  };
  if (stem.endsWith('ization') || stem.endsWith('isation')) add(`${stem.slice(0, -7)}iz`);
  else if (stem.endsWith('ication')) add(`${stem.slice(0, -7)}i`);
  else if (stem.endsWith('ation')) {
    add(stem.slice(0, -3));
    add(stem.slice(0, -5));
  } else if (stem.endsWith('ion')) add(stem.slice(0, -3));
  else if (stem.endsWith('ment')) add(stem.slice(0, -4));
  else if (stem.endsWith('er') || stem.endsWith('or')) add(undouble(stem.slice(0, -2)));
  else if (/(?:at|ct|ut|et|pt|ess)$/.test(stem)) add(`${stem}ion`);
  else if (stem.length >= 5) add(`${stem}ment`);
  if (/(?:iz|is)$/.test(stem) && stem.length >= 6) add(`${stem.slice(0, -1)}zation`);
  if (/(?:ar|or|er|id|im|us|ur)$/.test(stem) === false && stem.length >= 4 && !stem.endsWith('ion') && !stem.endsWith('ment')) add(`${/[^aeiou][aeiou][bdgmnpt]$/.test(stem) ? stem + stem.slice(-1) : stem}er`);
  return found;
}
