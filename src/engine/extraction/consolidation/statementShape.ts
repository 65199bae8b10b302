/**
 * The shape of a statement, for comparing two of them without a model: what it is about, which
 * values it gives, whether it says yes or no, what it takes back, and where it makes exceptions.
 */
import { stemWord } from '../../text/stem.ts';
import { isNumberedName } from './numberedNames.ts';
import { classOf, VALUE_CLASSES } from './valueClasses.ts';

export interface Value {
  readonly class: string;
  /** Canonical, lower case. */
  readonly value: string;
  /** As written. */
  readonly written: string;
}

export interface StatementShape {
  /** Stems of content words that are no values, in order of appearance, without repeats. */
  readonly subject: ReadonlySet<string>;
  readonly values: readonly Value[];
  /** Everything that must not be lost in a merge: numbers, versions, code, quoted words. */
  readonly literals: ReadonlySet<string>;
  /** All words in order, stemmed. */
  readonly words: readonly string[];
  readonly negated: boolean;
  /** Lower-case words or phrases that the statement says no longer hold. */
  readonly takenBack: readonly string[];
  /** The statement announces that it corrects or replaces something. */
  readonly corrects: boolean;
  /** "also", "as well": comes on top, replaces nothing. */
  readonly additive: boolean;
  readonly hasException: boolean;
  /** Which way its numbers bind: at least, at most. */
  readonly bounds: ReadonlySet<'lower' | 'upper'>;
  /** Leaves it to the reader, which neither a yes nor a no does. */
  readonly optional: boolean;
  /** Says who is acted on before who acts. */
  readonly passive: boolean;
}

/** Words that carry no subject: articles, auxiliaries, pronouns, the verbs by which people state a choice. */
const CARRIERS = new Set(
  ('a an the this that these those it its is are was were be been being am do does did have has had will would shall should can could may might must need to of in on at for from by with as and or but so than then ' +
    'i we you they he she us our your their my me team everyone people use uses used using go goes going went out gone run runs running set sets listen listens live lives stay keep keeps kept now today currently new newly ' +
    'please always never all any every everything everywhere only just really still from going forward decided decide agreed agree chose choose chosen pick picked prefer prefers like love loves hate hates want settled settle ' +
    'moved move over switched switch migrated migrate changed change replaced replace instead correction actually update updated no not longer any more anymore don dont doesn doesnt won wont isn isnt scratch mind about which one ' +
    'here project repo repository codebase make sure ' +
    "don't doesn't won't isn't aren't wasn't can't cannot couldn't shouldn't mustn't wouldn't didn't haven't hasn't ain't " +
    'mandatory required require requires needed need needs necessary optional allowed forbidden banned permitted obligatory desired expected minimum least version versions ' +
    'raised lowered increased decreased reduced bumped renamed rewrote rewritten ported extended shortened called named outdated obsolete stale deprecated these days strictly absolutely ' +
    '的 了 是 在 用 使用 我们 我 你 请 都 要 就 和 与 也 不 不要 别 以后 统一 必须 一律 现在 已经 改 改用 改成 改为 决定 选 选了 采用 这个 项目 本 再 全部 迁移 到 换成 吧 一下 更正 喜欢 会 可以 能 每 为 千万 绝对 一定 务必 尽量 所有 任何 把 被 得 需要 应该 应 可 以 后 我们的 改名 改名叫 叫 调 调到 升级到 提到 降到 换 变成 变为 重写 跑 做 许 不许 不准 准 允许 让 不能 不可以 能 可 每次 每个 每条 次 大概 大约 左右 差不多 时间 延长 缩短 调整 延长到 从 搬 搬到 挪').split(' '),
);

const carriesNothing = (word: string): boolean => CARRIERS.has(word) || CARRIERS.has(stem(word));

const NEGATION = /\b(?:not|no|never|don'?t|do not|doesn'?t|isn'?t|aren'?t|won'?t|can'?t|cannot|must ?n[o']t|shouldn'?t|without|avoid|stop|forbidden|banned|disallow\w*|disabl\w*|off)\b|不|别|禁止|勿|没有|从不|绝不/i;
const CORRECTION =
  /^(?:actually|correction|update|no,)\b|\b(?:scratch that|changed (?:our|my) minds?|no longer|not [^.,;]{1,40} any ?more|any ?more\b|instead of|rather than|replac(?:ed|es|ing)|supersed\w+|moved (?:everything |all )?(?:over |away |off )?(?:to|from)|migrat\w+ (?:\w+ )?(?:to|from|over)|switch\w* (?:\w+ )?(?:to|from|over)|(?:is|are) (?:gone|dead|retired|deprecated|outdated)|from now on|as of (?:now|today)|stopped using|dropp(?:ed|ing)|(?:was|were|been|we|got) (?:raised|lowered|increased|decreased|reduced|bumped|renamed|rewrote|rewritten|ported|extended|shortened|upgraded|changed)|took over|after all(?=\s*(?:[.!,;]|$))|these days|we (?:now|hate)|(?:is|are|runs?|uses?) now\b|now$)\b|^(?:更正|纠正)|不再|改为|改成|改用|改到|改名|换成|换到|迁移到|迁到|切到|切换到|升级到|升到|调到|调整(?:到|为)|降到|提高到|延长到|缩短到|搬到|变成|变为|重写了|下线|弃用|取代|代替|以后/i;
const ADDITIVE = /\b(?:also|as well|additionally|in addition|besides|too|another|both)\b|也|另外|此外|还(?:有|要|用)/i;
const EXCEPTION = /\b(?:except|unless|but not|apart from|other than|excluding|only if|only when|with the exception)\b|除了|除非|但是?不|例外/i;

const OPTIONAL = /\b(?:optional|optionally|voluntary|up to you)\b|可选|选填|自愿/i;
const PASSIVE = /\b(?:is|are|was|were|be|been|being|gets?|got) (?:\w+ )?\w+(?:ed|en|t|n|d) by\b|\bmade by\b|被|由/i;
const LOWER_BOUND = /\b(?:at least|minimum|min|(?<!\bno )(?<!\bnot )(?:more|greater|longer|higher|larger) than|no(?:t)? (?:less|fewer|shorter|lower|smaller) than|above)\b|(?:>=?|≥) ?\d|至少|最少|最低|不少于|不低于|不小于|以上|(?<!不)(?:大于|高于|多于|超过)/i;
const UPPER_BOUND = /\b(?:at most|maximum|max|up to|(?<!\bno )(?<!\bnot )(?:less|fewer|shorter|lower|smaller) than|no(?:t)? (?:more|greater|longer|higher|larger) than|below|not exceed)\b|(?:<=?|≤) ?\d|至多|最多|最高|不多于|不超过|不大于|不高于|以下|以内|(?<!不)(?:小于|低于|少于)/i;

/** What is taken back; the group is the old value. Global, so that several in one sentence are seen. */
const TAKEN_BACK: readonly RegExp[] = [
  /\bno longer (?:use |using |on |in |with |need |support |want |deploy(?:ing)? on |run(?:ning)? (?:on )?)?(?:the )?([\w.+#/-]+)/gi,
  /\bnot (?:on |in |at |with |to )?(?:the )?([\w.+#/-]+)(?: [\w-]+)? any ?more\b/gi,
  /(?:,| and| but) not (?:on |in |at |with |to |use )?(?:the )?([\w.+#/-]+)/gi,
  /^not (?:on |in |at |with )?(?:the )?([\w.+#/-]+)/gi,
  /\bno more (?:the )?([\w.+#/-]+)/gi,
  /\b(?:instead of|rather than|over|in place of) (?:the )?([\w.+#/-]+)/gi,
  /\b(?:replac(?:ed?|es|ing)|superseding|dropp(?:ed|ing)|ditch(?:ed|ing)|retir(?:ed|ing)|abandon(?:ed|ing)|stopp(?:ed|ing) using|got rid of|removed|done with) (?:the |our )?([\w.+#/-]+)/gi,
  /\b(?:moved|migrated?|migrating|switch(?:ed|ing)?|changed?) (?:\w+ )?(?:away |off |over )?from (?:the )?([\w.+#/-]+)/gi,
  /\b([\w.+#/-]+) (?:is|are|was|has been) (?:gone|dead|retired|deprecated|outdated|banned|switched off|out|history|no longer)\b/gi,
  /\b(?:hate|dislike|can'?t stand|had enough of) (?:the )?([\w.+#/-]+)/gi,
  /\b(?:don'?t|do not|never|stop|avoid) (?:ever )?(?:use|using) (?:the )?([\w.+#/-]+)/gi,
  /\bchanged (?:our|my) minds? (?:about|on) (?:the )?([\w.+#/-]+)/gi,
  /(?:不再用|不用|不要用|别用|弃用|下线了?|不是|取代|代替|替换掉?) ?([\p{Script=Han}\w.+#/-]{1,20}?)(?=$|[，。；,;了 ])/giu,
  /([\w.+#/\p{Script=Han}-]{1,20}?) ?(?:下线了|不用了|弃用了|太难用了|淘汰了)/giu,
  /从 ?([\w.+#/-]+) ?(?:迁|换|改|切|搬|挪|转)/gi,
];

/** Chinese words for joining; numbers with units and versions stay whole. */
let segmenter: Intl.Segmenter | undefined;

/** Chinese value words stand inside longer runs; the dictionary would cut `每周三` elsewhere. */
const HAN_VALUES = new RegExp(`(${Object.values(VALUE_CLASSES).flat().flatMap((aliases) => aliases.split('|')).filter((alias) => /^[\p{Script=Han}\d]+$/u.test(alias) && /\p{Script=Han}/u.test(alias)).sort((a, b) => b.length - a.length).map((alias) => (alias === '每周' ? '每周(?![一二三四五六日天])' : alias)).join('|')})`);

/** The dictionary glues words of grammar to their neighbours ("器用", "要写"); what is no word of its own is taken apart. */
function loosened(segment: string): string[] {
  if (segment.length !== 2) return [segment];
  const [first = '', last = ''] = segment;
  if ('要请都只'.includes(first) && !'求点素么不示教问愿会要读有是能'.includes(last)) return [first, last];
  if (last === '用' && !'使作费应引调通常禁启复可停专占滥适利采弃共公信实有沿改不'.includes(first)) return [first, last];
  if (last === '是' && !'不还就都总于但而只或可要'.includes(first)) return [first, last];
  return [segment];
}

const ENGLISH_NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const HOURS = ['一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '十一', '十二'];

/** "两个空格" and "2 个空格" give the same number. */
const withDigits = (text: string): string => text.replaceAll(/\b(?:two|three|four|five|six|seven|eight|nine|ten)\b|(?<=\b(?:needs?|requires?|takes?|only|exactly|least|most) )one\b/g, (word) => String(ENGLISH_NUMBERS.indexOf(word) + 1)).replaceAll(/(?<=需要|要|只|至少|最多)一(?=个|次|人)/g, '1').replaceAll(/([一二三四五六七八九十]{1,2})点(半)?/g, (_all, hour: string, half: string | undefined) => ` ${HOURS.indexOf(hour) + 1}:${half === undefined ? '00' : '30'} `).replaceAll(/[二两三四五六七八九十](?=个(?!月)|次|天|分钟|小时|秒|人|行|倍|种|层|位|条|遍|份)/g, (numeral) => ({ 二: '2', 两: '2', 三: '3', 四: '4', 五: '5', 六: '6', 七: '7', 八: '8', 九: '9', 十: '10' })[numeral] ?? numeral);

/** Says that something else was said between; no subject. "After all tests" is one. */
const AFTER_ALL = / after all(?=\s*(?:[.!,;]|$))/g;

/** One way of writing for apostrophes, minus signs, units and numerals; without a picture's variation and joining signs. */
const inPlainSigns = (text: string): string =>
  withDigits(withUnits(text.normalize('NFKC').toLowerCase().replaceAll(/[’']/g, "'").replaceAll('−', '-').replaceAll(/[\uFE0E\uFE0F\u200D]/g, '').replaceAll(AFTER_ALL, '')));

/** Lower-case words in order: Latin ones with their inner marks (`node.js`, `c++`, `1.2.3`), Chinese ones by dictionary. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const match of inPlainSigns(text).matchAll(/\p{Script=Han}+|\d{1,2}:\d{2}(?!\d)|(?:(?<=^|[\s(=:])-(?=\d))?(?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}_])+(?:[.+#/'-]+(?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}_])+)*[+#]*/gu)) {
    if (/^\p{Script=Han}/u.test(match[0])) {
      segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
      for (const part of match[0].split(HAN_VALUES)) {
        if (classOf(part) !== undefined) words.push(part);
        else for (const { segment } of segmenter.segment(part)) words.push(...loosened(segment));
      }
    } else words.push(match[0]);
  }
  return words;
}

/** A number and its unit are one value: 30 minutes became 8 hours, and are not 30 months. One line a unit, its name first. */
const UNITS = [
  'ms millisecond milliseconds 毫秒', 's sec secs second seconds 秒 秒钟', 'min mins minute minutes 分钟', 'h hr hrs hour hours 小时', 'day days 天', 'week weeks 周', 'month months 个月', 'year years 年',
  'kb', 'mb', 'gb', 'tb', 'kib', 'mib', 'gib', 'percent', 'am', 'pm', 'dollar dollars', 'euro euros', 'pound pounds', 'yuan 元',
];
const UNIT_OF = new Map(UNITS.flatMap((line) => line.split(' ').map((word, _i, [name = '']) => [word, name] as const)));
const CURRENCIES: Readonly<Record<string, string>> = { $: 'dollars', '€': 'euros', '£': 'pounds', '¥': 'yuan' };

/** "10MB", "9am", "80%" and "$5" as "10 MB", "9 am", "80 percent" and "5 dollars". */
const withUnits = (text: string): string =>
  text.replaceAll(/(?<![\w.])(\d+(?:\.\d+)?)(ms|s|min|h|kb|mb|gb|tb|am|pm)\b/g, '$1 $2').replaceAll(/(?<=\d) ?%/g, ' percent ').replaceAll(/([$€£¥]) ?(\d[\d.,]*\d|\d)/g, (_all, sign: string, amount: string) => `${amount} ${CURRENCIES[sign] ?? ''}`);

/** `v1/users` is a path, `0x01` and `4xx` are names of what they stand for. */
const isNumeric = (word: string): boolean => /^(?:v|-)?\d/.test(word) && !/\/[a-z]|^0x|^\dxx$/.test(word);
/** A word as `subject` holds it. */
export const stem = (word: string): string => (/^[a-z]+$/.test(word) ? stemWord(word) : word);

/** Class of a number by what stands beside it, so that a port is not compared with a percentage. */
function numberClass(word: string): string {
  if (/^v?\d+(?:\.\d+)+/.test(word)) return 'version';
  if (word.includes(':')) return 'time';
  return 'number';
}

const SHAPES_KEPT = 512;
const shapes = new Map<string, StatementShape>();

/** Pure; equal texts give equal shapes. The last ones are kept: a statement is compared with thirty neighbours. */
export function shapeOf(text: string): StatementShape {
  const known = shapes.get(text);
  if (known !== undefined) return known;
  if (shapes.size >= SHAPES_KEPT) shapes.clear();
  const shape = readShape(text);
  shapes.set(text, shape);
  return shape;
}

function readShape(text: string): StatementShape {
  const words = wordsOf(text);
  const joined = new Map(words.flatMap((word, i) => (words[i + 1] === undefined ? [] : [[`${word}-${words[i + 1]}`, word] as const])));
  const values: Value[] = [];
  const literals = new Set<string>();
  const subject = new Set<string>();
  const spent = new Set<string>();
  for (const [pair] of joined) {
    const known = classOf(pair);
    if (known === undefined) continue;
    values.push({ class: known.name, value: known.value, written: pair.replace('-', ' ') });
    for (const word of pair.split('-')) spent.add(word);
  }
  for (const [at, word] of words.entries()) {
    const known = classOf(word);
    if (spent.has(word)) continue;
    if (isNumberedName(words, at, carriesNothing)) {
      subject.add(`${stem(words[at - 1] ?? '')} ${word}`);
      literals.add(word);
    } else if (isNumeric(word)) {
      const unit = UNIT_OF.get(words[at + 1] ?? '');
      if (unit !== undefined) spent.add(words[at + 1] ?? '');
      const number = word.replace(/^v/, '');
      values.push({ class: numberClass(word), value: unit === undefined ? number : `${number} ${unit}`, written: unit === undefined ? word : `${word} ${words[at + 1] ?? ''}` });
      literals.add(number);
    } else if (known !== undefined && !isOrdinaryWord(text, word, known.name)) {
      values.push({ class: known.name, value: known.value, written: word });
    } else if (!carriesNothing(word) || isLetterName(text, word)) subject.add(stem(word));
  }
  for (const match of text.matchAll(/`([^`]+)`/g)) literals.add((match[1] ?? '').toLowerCase());
  const takenBack = new Set<string>();
  for (const match of text.matchAll(/\bnot (?:use )?([\w.+#/-]+)/gi)) if (match[1] !== undefined && classOf(match[1].toLowerCase()) !== undefined) takenBack.add(match[1].toLowerCase());
  for (const pattern of TAKEN_BACK) for (const match of text.matchAll(pattern)) if (match[1] !== undefined && !CARRIERS.has(match[1].toLowerCase())) takenBack.add(match[1].toLowerCase().replace(/[.,/-]+$/, ''));
  return {
    subject,
    values,
    literals,
    words: words.map(stem),
    negated: NEGATION.test(text.replace(/(?:, ?| and | but )not (?:use |with |on |in )?[\w.+#/-]+/gi, '').replace(/\bnot ([\w.+#/-]+)/gi, (part, word: string) => (classOf(word.toLowerCase()) === undefined ? part : '')).replace(/\bno longer\b|\bany ?more\b|不再|不是|不用/gi, '')),
    takenBack: [...takenBack],
    corrects: CORRECTION.test(text.trim()),
    additive: ADDITIVE.test(text),
    hasException: EXCEPTION.test(text),
    bounds: new Set([...(LOWER_BOUND.test(text) ? (['lower'] as const) : []), ...(UPPER_BOUND.test(text) ? (['upper'] as const) : [])]),
    optional: OPTIONAL.test(text),
    passive: PASSIVE.test(text),
  };
}

/** Small words that are names in capitals: the US, the IT department, team A. */
const isLetterName = (text: string, word: string): boolean => ((word === 'us' || word === 'it') && new RegExp(`\\b${word.toUpperCase()}\\b`).test(text) && /[a-z]/.test(text)) || (word === 'a' && /[a-z] A\b/.test(text));

/** Names that are ordinary words as well. */
const AMBIGUOUS = new Set('rest single double light less solid next nest merge-commit space fetch requests black vault unleash got express go c drone swarm emotion temporal oracle objection nose lit ember alpine zap zed'.split(' '));

function isOrdinaryWord(text: string, word: string, className: string): boolean {
  if (className === 'month') return word === 'may' && !/\bMay\b/.test(text);
  if (className === 'logLevel') return !/\blog|日志/i.test(text);
  return AMBIGUOUS.has(word) && !isWrittenAsName(text, word);
}

/** Ordinary words that are also names count as names only when written as such. */
const isWrittenAsName = (text: string, word: string): boolean => new RegExp(`(?<![A-Za-z])(?:${word.toUpperCase()}|(?<!^|[.!?] )${word.charAt(0).toUpperCase()}${word.slice(1)})(?![A-Za-z])|\`${word}\``).test(text) || (word === 'spaces' || word === 'space' ? /\b(?:tabs?|indent)/i.test(text) : false) || ((word === 'single' || word === 'double') && /\bquotes?\b/i.test(text)) || (word === 'black' && /\bformat/i.test(text)) || (word === 'go' && /\b(?:written|wrote|write|in|uses?|using) (?:in )?go\b/i.test(text)) || (word === 'light' && /\b(?:mode|theme)\b/i.test(text));

/** Share of common elements, 0..1; two empty sets have 0. */
export function overlapOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const element of a) if (b.has(element)) shared += 1;
  const union = a.size + b.size - shared;
  return union === 0 ? 0 : shared / union;
}

/** Elements of `a` that `b` has not. */
export const missingFrom = (a: ReadonlySet<string>, b: ReadonlySet<string>): string[] => [...a].filter((element) => !b.has(element));
