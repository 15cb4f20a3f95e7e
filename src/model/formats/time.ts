import { Fault } from '../faults/index.js';
import { quoteGoTime } from '../go/index.js';

/** A point in time: seconds since 1970 in UTC, and nanoseconds within that second. */
export interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
}

const LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/**
 * Reads a metav1.Time as Go reads RFC 3339: a fraction of any length and any offset are fine. Faults carry Go's text.
 */
export function parseTime(text: string): Instant {
  return new TimeReader(text, LAYOUT).read(false);
}

/** Reads a metav1.MicroTime: exactly six digits of fraction. */
export function parseMicroTime(text: string): Instant {
  return new TimeReader(text, MICRO_LAYOUT).read(true);
}

/** Writes whole seconds in UTC, as metav1.Time is stored: `2026-02-03T04:05:06Z`. */
export function formatTime(instant: Instant): string {
  return `${civil(instant.seconds)}Z`;
}

/** Writes microseconds in UTC, as metav1.MicroTime is stored: `2026-02-03T04:05:06.000007Z`. */
export function formatMicroTime(instant: Instant): string {
  return `${civil(instant.seconds)}.${String(Math.floor(instant.nanoseconds / 1000)).padStart(6, '0')}Z`;
}

export function instantOf(milliseconds: number): Instant {
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanoseconds: Math.round((milliseconds - seconds * 1000) * 1e6) };
}

export function millisecondsOf(instant: Instant): number {
  return instant.seconds * 1000 + Math.floor(instant.nanoseconds / 1e6);
}

/** Go's zero time is written as null, because it stands for "not set". */
export function isZeroTime(instant: Instant): boolean {
  return instant.seconds === ZERO_SECONDS && instant.nanoseconds === 0;
}

const ZERO_SECONDS = -62_135_596_800;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 31);
}

/** Days from 1970-01-01; Date.UTC would read years below 100 as 19xx. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.round(date.getTime() / 86_400_000);
}

function civil(seconds: number): string {
  const date = new Date(seconds * 1000);
  const pad = (value: number, width = 2): string => String(value).padStart(width, '0');
  return (
    `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}` +
    `T${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`
  );
}

class TimeReader {
  #rest: string;

  constructor(
    readonly text: string,
    readonly layout: string,
  ) {
    this.#rest = text;
  }

  read(micro: boolean): Instant {
    const year = this.#number(/^\d{4}/, '2006');
    this.#literal('-');
    const month = this.#number(/^\d\d/, '01', 'month', 1, 12);
    this.#literal('-');
    const day = this.#number(/^\d\d/, '02');
    this.#literal('T');
    const hour = this.#number(/^\d\d?/, '15', 'hour', 0, 23);
    this.#literal(':');
    const minute = this.#number(/^\d\d/, '04', 'minute', 0, 59);
    this.#literal(':');
    const second = this.#number(/^\d\d/, '05', 'second', 0, 59);
    const nanoseconds = this.#fraction(micro);
    const offset = this.#offset();
    if (this.#rest !== '') throw this.#fault(`: extra text: ${quoteGoTime(this.#rest)}`);
    if (day < 1 || day > daysIn(year, month)) throw this.#fault(': day out of range');
    return {
      seconds: daysSinceEpoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset,
      nanoseconds,
    };
  }

  #literal(char: string): void {
    if (!this.#rest.startsWith(char)) throw this.#unread(char);
    this.#rest = this.#rest.slice(1);
  }

  #number(pattern: RegExp, part: string, name = '', min = 0, max = Infinity): number {
    const found = pattern.exec(this.#rest);
    if (found === null) throw this.#unread(part);
    this.#rest = this.#rest.slice(found[0].length);
    const value = Number(found[0]);
    if (value < min || value > max) throw this.#fault(`: ${name} out of range`);
    return value;
  }

  #fraction(micro: boolean): number {
    const found = (micro ? /^[.,]\d{6}/ : /^[.,]\d+/).exec(this.#rest);
    if (found === null) {
      if (micro) throw this.#unread('.000000');
      return 0;
    }
    this.#rest = this.#rest.slice(found[0].length);
    return Number(found[0].slice(1, 10).padEnd(9, '0'));
  }

  /** Seconds east of UTC. 24 hours and 60 minutes are let through, as Go does. */
  #offset(): number {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const found = /^(.)(\d\d):(\d\d)/.exec(this.#rest);
    if (found === null) throw this.#unread('Z07:00');
    const [all, sign, hours, minutes] = found;
    if (Number(minutes) > 60) throw this.#fault(': time zone offset minute out of range');
    if (Number(hours) > 24) throw this.#fault(': time zone offset hour out of range');
    if (sign !== '+' && sign !== '-') throw this.#unread('Z07:00');
    this.#rest = this.#rest.slice(all.length);
    return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  }

  #unread(part: string): Fault {
    return this.#fault(
      ` as ${quoteGoTime(this.layout)}: cannot parse ${quoteGoTime(this.#rest)} as ${quoteGoTime(part)}`,
    );
  }

  #fault(message: string): Fault {
    return new Fault('VALUE_INVALID', `parsing time ${quoteGoTime(this.text)}${message}`);
  }
}
