/**
 * When a temporary statement ends: "until the end of March", "until 2026-12-31", "到三月底".
 * Ends that are no date ("until the 2.0 release") stay words; the caller keeps them as a tag.
 */
import type { EpochMs } from '../../../base/clock.ts';

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const CHINESE_NUMBERS = '一二三四五六七八九十';
const DAY_MS = 86_400_000;

const monthNumber = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text) - 1;
  const chinese = text === '十一' ? 10 : text === '十二' ? 11 : CHINESE_NUMBERS.indexOf(text);
  return chinese;
};

/** The last instant of that month (UTC), in the year of `saidAt` or the next one. */
function endOfMonth(month: number, saidAt: EpochMs): EpochMs {
  const said = new Date(saidAt);
  const year = said.getUTCFullYear() + (month < said.getUTCMonth() ? 1 : 0);
  return Date.UTC(year, month + 1, 1) - 1;
}

/** Undefined when no date is named. Always later than `saidAt`. */
export function parseExpiry(text: string, saidAt: EpochMs): EpochMs | undefined {
  const lower = text.toLowerCase();
  const iso = /\b(\d{4})-(\d{2})-(\d{2})\b/.exec(lower) ?? /(\d{4})年(\d{1,2})月(\d{1,2})日/.exec(lower);
  let at: EpochMs | undefined;
  if (iso !== null) at = Date.UTC(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]) + 1) - 1;
  const english = new RegExp(`\\b(?:(?:the )?end of |late )?(${MONTHS.join('|')})(?: (\\d{1,2})(?:st|nd|rd|th)?\\b)?`).exec(lower);
  if (at === undefined && english !== null && /\b(?:until|till|through|by|end of)\b/.test(lower)) {
    const month = MONTHS.indexOf(english[1] ?? '');
    const end = endOfMonth(month, saidAt);
    at = english[2] === undefined ? end : Date.UTC(new Date(end).getUTCFullYear(), month, Number(english[2]) + 1) - 1;
  }
  const chinese = /(\d{1,2}|十[一二]?|[一二三四五六七八九])月底?/.exec(lower);
  if (at === undefined && chinese !== null) at = endOfMonth(monthNumber(chinese[1] ?? ''), saidAt);
  const weekday = new RegExp(`\\b(?:until|till) (?:next )?(${WEEKDAYS.join('|')})\\b`).exec(lower);
  if (at === undefined && weekday !== null) {
    const ahead = (WEEKDAYS.indexOf(weekday[1] ?? '') - new Date(saidAt).getUTCDay() + 7) % 7 || 7;
    at = (Math.floor(saidAt / DAY_MS) + ahead + 1) * DAY_MS - 1;
  }
  if (at === undefined && /\b(?:end of (?:the |this )?year|year'?s end)\b|年底/.test(lower)) at = Date.UTC(new Date(saidAt).getUTCFullYear() + 1, 0, 1) - 1;
  if (at === undefined && /\b(?:end of (?:the|this) month)\b|(?<!\p{Script=Han})月底|本月底|这个月底/u.test(lower)) at = endOfMonth(new Date(saidAt).getUTCMonth(), saidAt);
  return at !== undefined && at > saidAt ? at : undefined;
}
