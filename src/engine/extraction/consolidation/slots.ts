/**
 * Slots: what a sentence says of one attribute of one thing ("the main branch is called X", "Ben took
 * over as product owner"), whatever the filler is. Two fillers of one slot are an old and a new one.
 * Patterns are data: another language adds its own.
 */
import { normalizeText } from '../../text/normalize.ts';
import { overlapOf, shapeOf, type Value } from './statementShape.ts';

interface SlotPattern {
  /** Groups `s`, what it is about, and `v`, its filler. */
  readonly pattern: RegExp;
  /** Equal ones can be compared; `any` tells of a change and fits every other. */
  readonly relation: string;
  /** The filler has to look like a name, a number or an address. */
  readonly named?: boolean;
}

const CHANGED = '(?:raised|lowered|increased|decreased|reduced|bumped|changed|moved|migrated|switched|upgraded|downgraded|renamed|set|extended|shortened|transferred|handed|rewritten|ported)';
const WE_CHANGED = '(?:moved|migrated|switched|changed|rewrote|ported|renamed|upgraded|bumped|raised|lowered|extended|shortened|increased|reduced|set)';
const HAN_CHANGED = '(?:换成|换到|换为|改成|改为|改用|改到|改名叫|改名为|改叫|迁移到|迁到|切换到|切换成|切到|升级到|升到|调到|调整到|调整为|延长到|缩短到|提到|提高到|降到|降低到|变成|变为|转到|搬到|挪到|交给)';
const ATTRIBUTE_NOUN =
  '(?:port|name|owner|url|limit|version|default|branch|bucket|region|path|folder|directory|command|deadline|database|host|domain|quota|timeout|licen[cs]e|prefix|maintainer|level|ttl|length|size|lead|manager|address|key|language|framework|currency|timezone|interval|threshold|retention|format|provider|budget|target|model|time|locale|period|duration|age|count|rate|frequency|schedule|date|day|role|channel|tag|registry|image|style|number)';
const HAN_ATTRIBUTE = '(?:端口|名字|名称|负责人|版本|级别|分支|语言|时间|上限|下限|限制|限流|地址|域名|区域|目录|路径|数据库|框架|工具|管理器|许可证|周期|长度|大小|默认值|环境|时区|货币|格式|阈值|预算|超时|账号|组长|模型|服务商|[^，。]{1,3}(?:师|经理|长|员))';

const PATTERNS: readonly SlotPattern[] = [
  { relation: 'any', pattern: new RegExp(String.raw`^(?:the |our |my )?(?<s>.{3,60}?) (?:(?:was|were|is|are|has been|have been|got) )?(?:now |just |recently |finally )?${CHANGED} (?:\w+ )?(?:from .{1,40}? )?(?:to|over to|into|in|up to|down to) (?<v>.{1,60})$`, 'i') },
  { relation: 'any', pattern: new RegExp(String.raw`^we(?:'ve| have)? (?:just |now |recently |finally )?${WE_CHANGED} (?:the |our )?(?<s>.{3,50}?) (?:from .{1,40}? )?(?:to|in|into|over to|up to|down to) (?<v>.{1,60})$`, 'i') },
  { relation: 'any', pattern: /^(?<v>[A-Z][\w.-]*(?: [A-Z][\w.-]*)?) (?:took over|takes over|is taking over|has taken over|becomes|became|is now) (?:as )?(?:the |our )?(?<s>.{3,50}?)(?: from .{1,40})?$/ },
  { relation: 'any', pattern: /^(?:the |our |my )?(?<s>.{3,50}?) (?:is|are) now (?:called |named |written in |hosted on |on |in |at )?(?<v>.{1,60})$/i },
  { relation: 'any', pattern: /^(?:the |our |my )?(?<s>.{3,50}?) (?:is|are) (?:called |named |written in |hosted on |on |in |at )?(?<v>.{1,60}?) (?:now|these days|from now on)$/i },
  { relation: 'owns', pattern: /^(?<v>[A-Z][\w .-]{0,40}?) (?:owns|maintains|is responsible for|is in charge of|approves|takes care of|leads) (?:the |our )?(?<s>.{3,80})$/ },
  { relation: 'is', pattern: /^(?:the|our|my) (?<s>(?:[\w-]+ ){0,3}[\w-]+) (?:is|are) (?<v>(?=\S*[A-Z\d._:/-])(?!\S*(?:ful|based|ready|compliant|able|only|like|first|driven)$)[\w.:/@+#-]{2,60})$/i },
  { relation: 'is', named: true, pattern: /^(?<v>[A-Z\d][\w .+#-]{0,40}?) (?:is|are) (?:the|our) (?<s>.{3,50})$/ },
  { relation: 'is', pattern: new RegExp(String.raw`^(?:the |our |my )?(?<s>(?:[\w-]+ ){0,4}${ATTRIBUTE_NOUN}s?(?: (?:of|for|in|on) [\w ./-]{2,40})?)(?: (?:is|are)|:) (?:called |named |set to |limited to )?(?<v>.{1,60})$`, 'i') },
  { relation: 'placed', pattern: /^(?:the |our |my )?(?<s>.{3,80}?\b(?:is|are|live|lives|stay|stays|run|runs|go|goes) (?:(?:[a-z]{3,}ed|written|kept|built|done|sent|run|held|driven) )?(?:in|on|by|at|under|with|as|to|next to|from|via|through))\s+(?<v>.{1,60})$/i },
  { relation: 'uses', named: true, pattern: /^(?:the |our |my )?(?<s>.{3,50}?) (?:uses?|runs? on|goes? through|relies on|(?:is|are) powered by) (?:the |our )?(?<v>.{1,40})$/i },
  { relation: 'any', pattern: new RegExp(`^(?:我们的?|现在)?(?<s>[^，。]{2,20}?)(?:已经|现在|都|全部|统一|要|从[^，。]{1,12})?${HAN_CHANGED} ?(?<v>[^，。]{1,24}?)了?[。.]?$`) },
  { relation: 'any', pattern: /^(?:我们的?)?(?<s>[^，。]{2,20}?)(?:现在)?用 ?(?<v>[^，。]{1,24}?) ?(?:重写|改写)了?(?:$|[，。])/ },
  { relation: 'uses', pattern: /^(?:我们)?(?:现在)?用 ?(?<v>[\w.+# -]{2,30}?) ?(?:来)?(?:跑|做|写|管理|部署|构建|测试) ?(?<s>[^，。]{1,20}?)[。.]?$/ },
  { relation: 'placed', pattern: /^(?:我们的?)?(?<s>[^，。]{2,14}?)(?:现在|以后|都|统一|全部)*(?:记|存|放|写|部署|跑|托管)(?:在|到|进)? ?(?<v>[\w.+# /-]{2,30}?) ?(?:[里上中])?(?:$|[，。])/ },
  { relation: 'by', pattern: /^(?<s>[^，。]{2,12}?)(?:现在|以后|改)?由 ?(?<v>[^，。]{2,6}?)(?:来)?(?:审批|负责|维护|管理|审核|处理|管)了?[。.]?$/ },
  { relation: 'is', pattern: new RegExp(`^(?:我们的?|这个项目的?)?(?<s>[^，。]{0,16}?${HAN_ATTRIBUTE})(?:现在)?(?:是|叫做?|为|[:：])? ?(?<v>[^，。是叫]{1,24}?)[。.]?$`) },
  { relation: 'uses', named: true, pattern: /^(?:我们的?)?(?<s>[^，。]{2,16}?)(?:现在)?(?:用的是|用|使用|采用|基于|走|跑在|部署在|放在|存在) ?(?<v>[\w.+# -]{2,30}?)(?: ?[写做跑上里中])?[。.]?$/ },
];

/** In characters; shorter ones say hardly what they are about. */
const SHORTEST_CLAUSE = 6;
/** In words. */
const LONGEST_FILLER = 6;

/** Words of a change that are no part of what it is about. */
const CARRIED = /\b(?:is|are|in|on|at|by|under|with|as|to|next|written|hosted|stored)\b/gi;

interface Slot {
  readonly subject: ReadonlySet<string>;
  readonly filler: string;
  readonly relation: string;
}

const contentOf = (text: string): Set<string> => {
  const shape = shapeOf(text);
  return new Set([...shape.subject, ...shape.values.map((value) => value.value)]);
};

function slotsOf(text: string): Slot[] {
  const plain = text.trim().replace(/[.!。！]$/, '').replaceAll(/\s+/g, ' ').replace(/\b(is|are) (?:now|currently|already) (\w+ (?:in|on|by|at|with|from|via|through))\b/i, '$1 $2');
  // "Tom left, the lead is now Eva": the change is told in one of the clauses.
  const clauses = plain.split(/[,;，；] ?/).filter((clause) => clause.length >= SHORTEST_CLAUSE && clause !== plain);
  const slots: Slot[] = [];
  for (const pattern of PATTERNS) {
    for (const text of pattern.relation === 'any' ? [plain, ...clauses] : [plain]) {
      const slot = slotIn(text, pattern);
      if (slot !== undefined) slots.push(slot);
    }
  }
  return slots;
}

function slotIn(text: string, { pattern, relation, named }: SlotPattern): Slot | undefined {
  const groups = pattern.exec(text)?.groups;
  if (groups?.s === undefined || groups.v === undefined) return undefined;
  if (named === true && !/^[A-Z\d`"]|\d/.test(groups.v)) return undefined;
  const filler = groups.v.replace(/^基于 ?/, '').split(/,| because | instead of | as of | since |，/)[0]?.trim() ?? '';
  if (filler === '' || filler.split(' ').length > LONGEST_FILLER) return undefined;
  // "端口 22 已关闭" speaks of that port; it sets none.
  if (/^\d+ ?(?:已|用|是|由|被|属于|表示|代表|负责|必须|只|不)/.test(filler)) return undefined;
  // A place is told by its preposition: "is written in" and "is hosted on" are two slots.
  const where = relation === 'placed' ? `placed ${/(?:\w+ )?\w+$/.exec(groups.s)?.[0] ?? ''}` : relation;
  return { subject: contentOf(groups.s.replaceAll(CARRIED, ' ')), filler, relation: where };
}

const isWithin = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => [...a].every((word) => b.has(word));

const isLanguage = (value: Value): boolean => value.class === 'language';

/** Values of different classes do not stand in for each other ("runs on Linux", "runs on GitHub Actions"). */
function canStandIn(a: string, b: string): boolean {
  const [mine, theirs] = [shapeOf(a).values, shapeOf(b).values];
  // Docs are in docs/, and docs are in English.
  if (mine.some(isLanguage) !== theirs.some(isLanguage)) return false;
  if (mine.length === 0 || theirs.length === 0) return mine.length === theirs.length || !/\d/.test(`${a}${b}`);
  return mine.some((one) => theirs.some((other) => one.class === other.class && one.value !== other.value));
}

/** Undefined when the two sentences fill no common slot, or fill it alike. */
export function otherFiller(mine: string, theirs: string): { readonly mine: string; readonly theirs: string } | undefined {
  for (const left of slotsOf(mine)) {
    for (const right of slotsOf(theirs)) {
      const tellsChange = left.relation === 'any' || right.relation === 'any';
      if (!tellsChange && left.relation !== right.relation) continue;
      if (left.subject.size === 0 || right.subject.size === 0) continue;
      const same = left.subject.size === right.subject.size && isWithin(left.subject, right.subject);
      // "staging moved to ..." speaks of the staging URL.
      const near = tellsChange && Math.abs(left.subject.size - right.subject.size) <= 1 && (isWithin(left.subject, right.subject) || isWithin(right.subject, left.subject));
      if (!same && !near) continue;
      if (normalizeText(left.filler) === normalizeText(right.filler) || overlapOf(new Set(shapeOf(left.filler).words), new Set(shapeOf(right.filler).words)) >= 0.34) continue;
      if (canStandIn(left.filler, right.filler)) return { mine: left.filler, theirs: right.filler };
    }
  }
  return undefined;
}
