/**
 * The end that a whole statement names for itself [F2]: "Use port 3001 until Friday", "这周先用 3001 端口". For what a
 * person or an agent asks to be remembered: only one sentence that opens or closes with its end is plain enough. A date
 * that is the fact itself ("the licence is valid until March") or past ("we used MySQL until March") ends nothing.
 */
import type { EpochMs } from '../../../base/clock.ts';
import { endOfDayIn, parseExpiry, type UtcOffset } from './expiry.ts';

export interface StatedEnd {
  /** As they stand in the text. */
  readonly words: string;
  /** Undefined for an end that is no date ("until the release", "for now"). */
  readonly at?: EpochMs;
}

const SEVERAL_SENTENCES = /[.!?]\s+\S|[。！？；;\n]\s*\S/u;
/** The date is what the sentence tells, or all is over. */
const DATE_IS_THE_FACT = /\b(?:valid|supported|maintained|available|open|booked|scheduled|planned|paid|due|runs?|lasts?|expires?|ends?|continues?) (?:until|till|through)\b|\bfrom\b.+\b(?:until|till|through)\b|有效|支持到|维护到|过期|到期|从.+到/iu;
/** What comes again and again ends each time, not for good. */
const RECURRING = /\b(?:always|every|each|usually|whenever|daily|weekly|monthly)\b|总是|通常|每(?!秒|分钟)/iu;
const PAST = /\b(?:was|were|had|did|didn't|used to|kept|stayed|ran|worked|failed|broke)\b|\b(?:we|i|they|it|he|she) \w+ed\b|(?:^|我们|咱们)以前|曾|过去|当时|之前是|原来/iu;

const CLOSING = [/\b(?<words>(?:until|till) (?<until>[^\s,][^,]{1,60}?))\)?[.!]*$/iu, /(?<words>(?:直到|截至|截止到?|到|至)(?<until>[^，。；到至]{1,12}?)(?:为止|之前|结束)?)[。！]*$/u];
const OPENING = [/^(?<words>(?:until|till) (?<until>[^,]{2,60}?)), ?\S/iu, /^在?(?<words>(?:直到|到|至)?(?<until>[^，。；]{2,12}?)(?:为止|之前|以前|前))[，,]?\S/u];
const DURING = [/\b(?<words>for (?:the )?(?<span>today|tonight|(?:rest of )?(?:the |this )?(?:day|week|month|year)|next (?<count>\d{1,3}|two|three|four|five|six) (?<unit>day|week|month)s?))(?:[.!]*$|,)/iu, /^(?<words>(?<span>今天|这周|本周|这个月|本月|今年)(?:之?内|里)?)[，,]?(?:都|先|不要|别|请|暂时|只|一律|不|用|使用)/u];
const OPEN_END = /\b(?<words>for (?:now|the time being|this (?:sprint|release|iteration|milestone))|temporarily|(?:until|till) (?:the|our|this|next) [^\s,][^,]{1,50}?)[.!]*$|^(?<words2>for (?:now|the time being)|temporarily)\b|(?<words3>暂时|目前先|临时(?=用|使用|采用)|(?:这个|本次|本)(?:迭代|冲刺|版本)[内里]?(?=先|都|不|别|用|只))/iu;

const COUNTS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six'];
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30 };

/** Undefined where the text does not plainly end itself. */
export function statedEnd(text: string, saidAt: EpochMs, offset: UtcOffset): StatedEnd | undefined {
  const sentence = text.trim();
  if (SEVERAL_SENTENCES.test(sentence) || DATE_IS_THE_FACT.test(sentence) || RECURRING.test(sentence) || PAST.test(sentence)) return undefined;
  for (const pattern of [...CLOSING, ...OPENING]) {
    const { words, until } = pattern.exec(sentence)?.groups ?? {};
    // "until" for both languages: it is what makes a month or a weekday an end.
    const at = words === undefined || until === undefined ? undefined : parseExpiry(`until ${/\p{Script=Han}/u.test(until) ? '到' : ''}${until}`, saidAt, offset);
    if (words !== undefined && at !== undefined) return { words, at };
  }
  for (const pattern of DURING) {
    const { words, span, count, unit } = pattern.exec(sentence)?.groups ?? {};
    if (words !== undefined && span !== undefined) return { words, at: spanEnd(span.toLowerCase(), count?.toLowerCase(), unit?.toLowerCase(), saidAt, offset) };
  }
  const open = OPEN_END.exec(sentence)?.groups;
  const words = open?.['words'] ?? open?.['words2'] ?? open?.['words3'];
  return words === undefined ? undefined : { words };
}

function spanEnd(span: string, count: string | undefined, unit: string | undefined, saidAt: EpochMs, offset: UtcOffset): EpochMs | undefined {
  if (count !== undefined && unit !== undefined) return endOfDayIn((/^\d/.test(count) ? Number(count) : COUNTS.indexOf(count)) * (UNIT_DAYS[unit] ?? 1), saidAt, offset);
  if (/day|tonight|今天/.test(span)) return endOfDayIn(0, saidAt, offset);
  return parseExpiry(/week|周/.test(span) ? 'until the end of the week' : /month|月/.test(span) ? 'until the end of the month' : 'until the end of the year', saidAt, offset);
}
