import { Fault } from '../faults/index.js';
import { quoteGoTime } from '../go/index.js';

const SECOND = 1_000_000_000n;
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['\u00b5s', 1000n],
  ['\u03bcs', 1000n],
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', 60n * SECOND],
  ['h', 3600n * SECOND],
]);
const LIMIT = 2n ** 63n;
const PART = /(\d*)(?:\.(\d*))?([^.\d]*)/y;

/** Reads a Go duration such as `1h15m30.5s`; gives nanoseconds. Faults carry Go's text. */
export function parseDuration(text: string): bigint {
  const rest = /^[-+]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw invalid(text);
  let total = 0n;
  for (PART.lastIndex = 0; PART.lastIndex < rest.length; ) {
    const [, whole = '', fraction = '', unit = ''] = PART.exec(rest) ?? [];
    total += partValue(text, whole, fraction, unit);
    if (total > LIMIT) throw invalid(text);
  }
  if (text.startsWith('-')) return -total;
  if (total >= LIMIT) throw invalid(text);
  return total;
}

function partValue(text: string, whole: string, fraction: string, unit: string): bigint {
  if (whole === '' && fraction === '') throw invalid(text);
  // Nineteen digits are beyond the limit in every unit; longer ones need not become a number.
  const digits = whole.replace(/^0+/, '');
  if (digits.length > 19 || BigInt(digits || '0') > LIMIT) throw invalid(text);
  if (unit === '') throw new Fault('VALUE_INVALID', `time: missing unit in duration ${quoteGoTime(text)}`);
  const size = UNITS.get(unit);
  if (size === undefined)
    throw new Fault('VALUE_INVALID', `time: unknown unit ${quoteGoTime(unit)} in duration ${quoteGoTime(text)}`);
  const value = BigInt(digits || '0') * size + fractionValue(fraction, size);
  if (value > LIMIT) throw invalid(text);
  return value;
}

/**
 * Go multiplies the fraction as a float, from the digits that fit 63 bits; done the same to give the same nanosecond.
 */
function fractionValue(fraction: string, size: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of fraction.slice(0, 20)) {
    const next = value * 10n + BigInt(digit);
    if (value > (LIMIT - 1n) / 10n || next > LIMIT) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(size) / scale)));
}

function invalid(text: string): Fault {
  return new Fault('VALUE_INVALID', `time: invalid duration ${quoteGoTime(text)}`);
}

/** Writes nanoseconds as Go does: `1h15m30.5s`, `1.5ms`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${formatDuration(-nanoseconds)}`;
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 1000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 3)}\u00b5s`;
  if (nanoseconds < SECOND) return `${decimal(nanoseconds, 6)}ms`;
  const minutes = nanoseconds / (60n * SECOND);
  const seconds = `${decimal(nanoseconds % (60n * SECOND), 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** value / 10^digits without trailing zeros. */
function decimal(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/(?<!0)0+$/, '');
  return fraction === '' ? text.slice(0, -digits) : `${text.slice(0, -digits)}.${fraction}`;
}

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;
const YEAR_S = 365 * DAY_S;

/** An age as tables show it, with two or three figures: `5s`, `2m30s`, `3h4m`, `2d3h`, `5d`, `3y12d`. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 2 * MINUTE_S) return `${Math.max(seconds, 0)}s`;
  if (seconds < 10 * MINUTE_S) return two(seconds, MINUTE_S, 'm', 1, 's');
  if (seconds < 3 * HOUR_S) return `${Math.floor(seconds / MINUTE_S)}m`;
  if (seconds < 8 * HOUR_S) return two(seconds, HOUR_S, 'h', MINUTE_S, 'm');
  if (seconds < 48 * HOUR_S) return `${Math.floor(seconds / HOUR_S)}h`;
  if (seconds < 8 * DAY_S) return two(seconds, DAY_S, 'd', HOUR_S, 'h');
  if (seconds < 2 * YEAR_S) return `${Math.floor(seconds / DAY_S)}d`;
  return seconds < 8 * YEAR_S ? two(seconds, YEAR_S, 'y', DAY_S, 'd') : `${Math.floor(seconds / YEAR_S)}y`;
}

function two(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}

/** An age with one figure: `59s`, `3m`, `23h`, `364d`, `2y`. */
export function shortHumanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < MINUTE_S) return `${Math.max(seconds, 0)}s`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)}m`;
  if (seconds < DAY_S) return `${Math.floor(seconds / HOUR_S)}h`;
  return seconds < YEAR_S ? `${Math.floor(seconds / DAY_S)}d` : `${Math.floor(seconds / YEAR_S)}y`;
}
