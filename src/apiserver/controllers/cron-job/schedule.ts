import { parseDuration } from '../../../model/formats/index.js';
import { localTime, startOfDay } from './time-zone.js';

/** When a cron schedule is due. */
export interface Schedule {
  /** The first time after `milliseconds`; undefined where there is none within five years. */
  next(milliseconds: number): number | undefined;
}

const MINUTE = 60_000;
const YEARS = 5;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Reads a schedule that validation has let through. `TZ=` in front wins over `timeZone`. */
export function parseSchedule(text: string, timeZone: string): Schedule {
  const zoned = /^(?:CRON_)?TZ=(\S+)\s+(\S.*)$/.exec(text.trim());
  const zone = zoned?.[1] ?? (timeZone === '' ? 'UTC' : timeZone);
  const rest = (zoned?.[2] ?? text).trim();
  if (rest.startsWith('@every '))
    return everySchedule(Number(parseDuration(rest.slice('@every '.length).trim()) / 1_000_000n));
  return fieldSchedule((DESCRIPTORS[rest] ?? rest).split(/\s+/), zone);
}

/** Whole seconds, counted from the last time. */
function everySchedule(milliseconds: number): Schedule {
  const period = Math.max(1000, Math.floor(milliseconds / 1000) * 1000);
  return { next: (from) => Math.floor(from / 1000) * 1000 + period };
}

interface Field {
  readonly values: ReadonlySet<number>;
  /** `*` or `?`: a day then has to match the other day field only. */
  readonly any: boolean;
}

function parseField(text: string, min: number, max: number, names: readonly string[] = [], base = 0): Field {
  const values = new Set<number>();
  let any = false;
  const numberOf = (part: string): number => {
    const named = names.indexOf(part.toLowerCase());
    return named < 0 ? Number(part) : named + base;
  };
  for (const range of text.split(',')) {
    const [span = '', step] = range.split('/');
    const [low = '', high] = span.split('-');
    const star = low === '*' || low === '?';
    const first = star ? min : numberOf(low);
    const last = star ? max : high !== undefined ? numberOf(high) : step !== undefined ? max : first;
    if (star && (step === undefined || step === '1')) any = true;
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return { values, any };
}

function fieldSchedule(
  [minutes = '*', hours = '*', days = '*', months = '*', weekdays = '*']: readonly string[],
  zone: string,
): Schedule {
  const minute = parseField(minutes, 0, 59);
  const hour = parseField(hours, 0, 23);
  const day = parseField(days, 1, 31);
  const month = parseField(months, 1, 12, MONTHS, 1);
  const weekday = parseField(weekdays, 0, 6, DAYS);
  const dayMatches = (date: number, of: number): boolean => {
    const [inMonth, inWeek] = [day.values.has(date), weekday.values.has(of)];
    return day.any || weekday.any ? inMonth && inWeek : inMonth || inWeek;
  };
  return {
    next(from) {
      let at = (Math.floor(from / MINUTE) + 1) * MINUTE;
      const lastYear = localTime(at, zone).year + YEARS;
      for (;;) {
        const local = localTime(at, zone);
        if (local.year > lastYear) return undefined;
        if (!month.values.has(local.month)) at = startOfDay(local.year, local.month + 1, 1, zone);
        else if (!dayMatches(local.day, local.weekday))
          at = Math.max(startOfDay(local.year, local.month, local.day + 1, zone), at + MINUTE);
        else if (!hour.values.has(local.hour)) at += (60 - local.minute) * MINUTE;
        else if (!minute.values.has(local.minute)) at += MINUTE;
        else return at;
      }
    },
  };
}
