import { Fault } from '../faults/index.js';
import { quoteGo } from '../go/index.js';
import { parseDuration } from './duration.js';
import { firstTransition, isTimeZone, zoneOffset } from './time-zone.js';

/** One field: the numbers that it names, and whether it stands for any number. */
interface Field {
  readonly numbers: ReadonlySet<number>;
  readonly isAny: boolean;
}

export type CronSchedule = FieldSchedule | IntervalSchedule;

/** `@every 90s`: counted from the last time, in whole seconds. */
interface IntervalSchedule {
  readonly every: number;
}

interface FieldSchedule {
  readonly minute: Field;
  readonly hour: Field;
  readonly dayOfMonth: Field;
  readonly month: Field;
  readonly dayOfWeek: Field;
  /** `TZ=` or `CRON_TZ=` in front; empty where the schedule follows the clock that it is asked with. */
  readonly timeZone: string;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MINUTES: Bounds = { min: 0, max: 59, names: [] };
const HOURS: Bounds = { min: 0, max: 23, names: [] };
const DAYS: Bounds = { min: 1, max: 31, names: [] };
const MONTHS: Bounds = {
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const WEEKDAYS: Bounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] };

export interface CronOptions {
  /** `@hourly`, `@every 1h` and the like: CronJobs have them, sync windows do not. */
  readonly descriptors?: boolean;
  /** The zone of a schedule without `TZ=` in front. */
  readonly timeZone?: string;
}

const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const EVERY = '@every ';

/** Reads a schedule as robfig/cron does; Faults carry its words. */
export function parseCron(text: string, options: CronOptions = {}): CronSchedule {
  if (text === '') throw invalid('empty spec string');
  const [, zone, rest = ''] = /^(?:CRON_)?TZ=([^ ]*)(.*)$/s.exec(text) ?? ['', undefined, text];
  if (zone !== undefined && !isTimeZone(zone))
    throw invalid(`provided bad location ${zone}: unknown time zone ${zone}`);
  const spec = zone === undefined ? rest : rest.trim();
  const timeZone = zone ?? options.timeZone ?? '';
  if (!spec.startsWith('@')) return readFields(spec, timeZone);
  if (options.descriptors !== true) throw invalid(`parser does not accept descriptors: ${spec}`);
  if (spec.startsWith(EVERY)) return { every: readInterval(spec) };
  const fields = DESCRIPTORS.get(spec);
  if (fields === undefined) throw invalid(`unrecognized descriptor: ${spec}`);
  return readFields(fields, timeZone);
}

/** Milliseconds; less than a second counts as one. */
function readInterval(spec: string): number {
  try {
    const seconds = Number(parseDuration(spec.slice(EVERY.length)) / 1_000_000_000n);
    return Math.max(1, seconds) * 1000;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw invalid(`failed to parse duration ${spec}: ${error.message}`);
  }
}

function readFields(spec: string, timeZone: string): FieldSchedule {
  const fields = spec.split(/\s+/).filter((field) => field !== '');
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (
    minute === undefined ||
    hour === undefined ||
    dayOfMonth === undefined ||
    month === undefined ||
    dayOfWeek === undefined ||
    fields.length > 5
  ) {
    throw invalid(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  return {
    minute: readField(minute, MINUTES),
    hour: readField(hour, HOURS),
    dayOfMonth: readField(dayOfMonth, DAYS),
    month: readField(month, MONTHS),
    dayOfWeek: readField(dayOfWeek, WEEKDAYS),
    timeZone,
  };
}

/**
 * The first minute after `after` that the schedule names, in milliseconds; undefined where the next five years have
 * none.
 */
export function nextTime(schedule: CronSchedule, after: number): number | undefined {
  if ('every' in schedule) return Math.floor(after / 1000) * 1000 + schedule.every;
  // A field such as `,` names nothing.
  if ([schedule.minute, schedule.hour, schedule.month].some(({ numbers }) => numbers.size === 0)) return undefined;
  let at = (Math.floor(after / MINUTE) + 1) * MINUTE;
  for (;;) {
    const offset = zoneOffset(schedule.timeZone, at);
    const clock = nextClock(schedule, Math.ceil((at + offset) / MINUTE) * MINUTE);
    if (clock === undefined) return undefined;
    // Where clocks are changed on the way, the search goes on with the new ones: hours may come twice or not at all.
    const shift = firstTransition(schedule.timeZone, at, clock - offset);
    if (shift === undefined) return clock - offset;
    at = shift;
  }
}

/** The same in the time of one clock, as if it were UTC; `from` itself counts. */
function nextClock(schedule: FieldSchedule, from: number): number | undefined {
  const lastYear = new Date(from).getUTCFullYear() + 5;
  for (let at = from; ; ) {
    const date = new Date(at);
    if (date.getUTCFullYear() > lastYear) return undefined;
    if (!schedule.month.numbers.has(date.getUTCMonth() + 1))
      at = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    else if (!isDay(schedule, date)) at = startOf(at, DAY) + DAY;
    else if (!schedule.hour.numbers.has(date.getUTCHours())) at = startOf(at, HOUR) + HOUR;
    else {
      const minute = firstFrom(schedule.minute, date.getUTCMinutes());
      if (minute !== undefined) return startOf(at, HOUR) + minute * MINUTE;
      at = startOf(at, HOUR) + HOUR;
    }
  }
}

function startOf(at: number, unit: number): number {
  return Math.floor(at / unit) * unit;
}

function firstFrom({ numbers }: Field, from: number): number | undefined {
  for (let number = from; number < 60; number++) if (numbers.has(number)) return number;
  return undefined;
}

/** Two fields that both name days mean either of them; with a star in one, both must fit. */
function isDay({ dayOfMonth, dayOfWeek }: FieldSchedule, date: Date): boolean {
  const [fitsMonth, fitsWeek] = [dayOfMonth.numbers.has(date.getUTCDate()), dayOfWeek.numbers.has(date.getUTCDay())];
  return dayOfMonth.isAny || dayOfWeek.isAny ? fitsMonth && fitsWeek : fitsMonth || fitsWeek;
}

function readField(text: string, bounds: Bounds): Field {
  const ranges = text
    .split(',')
    .filter((range) => range !== '')
    .map((range) => readRange(range, bounds));
  return { numbers: new Set(ranges.flatMap(({ numbers }) => [...numbers])), isAny: ranges.some(({ isAny }) => isAny) };
}

function readRange(text: string, bounds: Bounds): Field {
  const [range = '', every, ...slashes] = text.split('/');
  const [first = '', last, ...hyphens] = range.split('-');
  // What follows a star and a hyphen is never read.
  const isStar = first === '*' || first === '?';
  const start = isStar ? bounds.min : readNumber(first, bounds);
  if (!isStar && hyphens.length > 0) throw invalid(`too many hyphens: ${text}`);
  let named = isStar ? bounds.max : start;
  if (!isStar && last !== undefined) named = readNumber(last, bounds);
  if (slashes.length > 0) throw invalid(`too many slashes: ${text}`);
  const step = every === undefined ? 1 : readNumber(every);
  // `5/20` goes on to the end.
  const end = every !== undefined && last === undefined ? bounds.max : named;
  if (start < bounds.min) throw invalid(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`);
  if (end > bounds.max) throw invalid(`end of range (${end}) above maximum (${bounds.max}): ${text}`);
  if (start > end) throw invalid(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw invalid(`step of range should be a positive number: ${text}`);
  const numbers = Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, index) => start + index * step);
  return { numbers: new Set(numbers), isAny: isStar && step === 1 };
}

function readNumber(text: string, bounds?: Bounds): number {
  const named = bounds?.names.indexOf(text.toLowerCase()) ?? -1;
  if (bounds !== undefined && named >= 0) return bounds.min + named;
  const fault = (why: string): Fault =>
    invalid(`failed to parse int from ${text}: strconv.Atoi: parsing ${quoteGo(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw fault('invalid syntax');
  if (BigInt.asIntN(64, BigInt(text.replace('+', ''))) !== BigInt(text.replace('+', '')))
    throw fault('value out of range');
  if (Number(text) < 0) throw invalid(`negative number (${Number(text)}) not allowed: ${text}`);
  return Number(text);
}

function invalid(message: string): Fault {
  return new Fault('VALUE_INVALID', message);
}
