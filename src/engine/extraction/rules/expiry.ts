/**
 * When a temporary statement ends: "until the end of March", "until 2026-12-31", "到三月底", "到周五为止".
 * Ends that are no date ("until the 2.0 release") stay words; the caller keeps them as a tag.
 *
 * A day ends where the person is: instants are shifted to their wall clock, reckoned with as if that were UTC, and
 * shifted back.
 */
import type { EpochMs } from '../../../base/clock.ts';

const MONTHS = ['jan(?:uary)?', 'feb(?:ruary)?', 'mar(?:ch)?', 'apr(?:il)?', 'may', 'june?', 'july?', 'aug(?:ust)?', 'sept?(?:ember)?', 'oct(?:ober)?', 'nov(?:ember)?', 'dec(?:ember)?'];
const MONTH = MONTHS.join('|');
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const CHINESE_NUMBERS = '一二三四五六七八九十';
const CHINESE_WEEKDAYS = '日一二三四五六';
const CHINESE_DAYS = ['今天', '明天', '后天'];
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Minutes by which the person's wall clock is ahead of UTC at an instant. */
export type UtcOffset = (at: EpochMs) => number;
export const IN_UTC: UtcOffset = () => 0;

/** Undefined when no date is named. Always later than `saidAt`. */
export function parseExpiry(text: string, saidAt: EpochMs, offset: UtcOffset = IN_UTC): EpochMs | undefined {
  const local = saidAt + offset(saidAt) * MINUTE_MS;
  const end = namedEnd(text.toLowerCase(), local);
  return end !== undefined && end > local ? end - offset(end) * MINUTE_MS : undefined;
}

/** The last instant of the day that lies so many days after the one of `saidAt`, where the person is. */
export function endOfDayIn(days: number, saidAt: EpochMs, offset: UtcOffset): EpochMs {
  const end = endOfDay(saidAt + offset(saidAt) * MINUTE_MS, days);
  return end - offset(end) * MINUTE_MS;
}

/** On the person's wall clock. */
function namedEnd(lower: string, said: EpochMs): EpochMs | undefined {
  return isoDate(lower) ?? englishDate(lower, said) ?? chineseDate(lower, said) ?? weekdayEnd(lower, said) ?? spanEnd(lower, said);
}

function isoDate(lower: string): EpochMs | undefined {
  const found = /\b(\d{4})-(\d{2})-(\d{2})\b/.exec(lower) ?? /(\d{4})年(\d{1,2})月(\d{1,2})[日号]/.exec(lower);
  return found === null ? undefined : Date.UTC(Number(found[1]), Number(found[2]) - 1, Number(found[3]) + 1) - 1;
}

function englishDate(lower: string, said: EpochMs): EpochMs | undefined {
  if (!/\b(?:until|till|through|by|end of)\b/.test(lower)) return undefined;
  const found = new RegExp(`\\b(?:(?<before>\\d{1,2})(?:st|nd|rd|th)? (?:of )?)?(?<month>${MONTH})\\b\\.?(?: (?<after>\\d{1,2})(?:st|nd|rd|th)?\\b)?`).exec(lower)?.groups;
  if (found === undefined) return undefined;
  const day = found['after'] ?? found['before'];
  return yearlyEnd(MONTHS.findIndex((name) => new RegExp(`^(?:${name})$`).test(found['month'] ?? '')), day === undefined ? undefined : Number(day), said);
}

function chineseDate(lower: string, said: EpochMs): EpochMs | undefined {
  const found = /(\d{1,2}|十[一二]?|[一二三四五六七八九])月(?:(\d{1,2})[日号]|底)?/.exec(lower);
  if (found === null) return undefined;
  const month = found[1] ?? '';
  const index = /^\d+$/.test(month) ? Number(month) - 1 : month === '十一' ? 10 : month === '十二' ? 11 : CHINESE_NUMBERS.indexOf(month);
  return yearlyEnd(index, found[2] === undefined ? undefined : Number(found[2]), said);
}

/** The end of that day, without one of that month, in this year or, where that is past, in the next. */
function yearlyEnd(month: number, day: number | undefined, said: EpochMs): EpochMs {
  const inYear = (year: number): EpochMs => (day === undefined ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, day + 1)) - 1;
  const year = new Date(said).getUTCFullYear();
  return inYear(year) > said ? inYear(year) : inYear(year + 1);
}

function weekdayEnd(lower: string, said: EpochMs): EpochMs | undefined {
  const today = new Date(said).getUTCDay();
  const english = new RegExp(`\\b(?:until|till) (?:next )?(${WEEKDAYS.join('|')})\\b`).exec(lower);
  if (english !== null) return endOfDay(said, (WEEKDAYS.indexOf(english[1] ?? '') - today + 7) % 7 || 7);
  const chinese = /(下)?[个個]?(?:周|週|星期|礼拜|禮拜)([一二三四五六日天])/.exec(lower);
  if (chinese === null) return undefined;
  const wanted = CHINESE_WEEKDAYS.indexOf((chinese[2] ?? '').replace('天', '日'));
  // "下周五" is in the week that begins next Monday; a Sunday ends its week.
  return chinese[1] === undefined ? endOfDay(said, (wanted - today + 7) % 7 || 7) : endOfDay(said, ((8 - today) % 7 || 7) + ((wanted + 6) % 7));
}

function spanEnd(lower: string, said: EpochMs): EpochMs | undefined {
  const { year, month } = { year: new Date(said).getUTCFullYear(), month: new Date(said).getUTCMonth() };
  const days = CHINESE_DAYS.findIndex((day) => new RegExp(`(?:到|至)${day}`).test(lower));
  if (days >= 0) return endOfDay(said, days);
  if (/\b(?:until|till) tomorrow\b/.test(lower)) return endOfDay(said, 1);
  if (/\bend of (?:the |this )?week\b|[本这這]周(?:末|结束)/.test(lower)) return endOfDay(said, (7 - new Date(said).getUTCDay()) % 7);
  if (/\b(?:end of (?:the |this )?year|year'?s end)\b|年底/.test(lower)) return Date.UTC(year + 1, 0, 1) - 1;
  if (/\bend of (?:the|this) month\b|(?<!\p{Script=Han})月底|本月底|这个月底/u.test(lower)) return Date.UTC(year, month + 1, 1) - 1;
  return undefined;
}

const endOfDay = (at: EpochMs, days: number): EpochMs => (Math.floor(at / DAY_MS) + days + 1) * DAY_MS - 1;
