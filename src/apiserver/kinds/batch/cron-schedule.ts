import { Fault } from '../../../model/faults/index.js';
import { parseDuration } from '../../../model/formats/index.js';
import { quoteGo } from '../../../model/go/index.js';

/** One field of a schedule: its range, and names that stand for numbers. */
interface CronField {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly CronField[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** What is wrong with a cron schedule, in the words of the parser that Kubernetes uses; undefined when nothing is. */
export function scheduleError(schedule: string): string | undefined {
  let rest = schedule;
  const zone = /^(?:CRON_)?TZ=([^ ]*) ?/.exec(rest);
  if (zone !== null) {
    const name = zone[1] ?? '';
    if (!isTimeZone(name)) return `provided bad location ${name}: unknown time zone ${name}`;
    rest = rest.slice(zone[0].length).trim();
  }
  if (rest.startsWith('@')) return descriptorError(rest);
  const fields = rest.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length)
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, bounds] of FIELDS.entries()) {
    for (const range of (fields[index] ?? '').split(',').filter((part) => part !== '')) {
      const problem = rangeError(range, bounds);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorError(descriptor: string): string | undefined {
  if (DESCRIPTORS.includes(descriptor)) return undefined;
  if (!descriptor.startsWith('@every ')) return `unrecognized descriptor: ${descriptor}`;
  try {
    parseDuration(descriptor.slice('@every '.length));
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `failed to parse duration ${descriptor}: ${error.message}`;
  }
}

function rangeError(range: string, { min, max, names }: CronField): string | undefined {
  const [span = '', step, ...moreSteps] = range.split('/');
  const [low = '', high, ...moreHyphens] = span.split('-');
  let [from, to] = [min, max];
  if (low !== '*' && low !== '?') {
    const start = numberOf(low, names);
    if (typeof start === 'string') return start;
    const end = high === undefined ? start : numberOf(high, names);
    if (moreHyphens.length > 0) return `too many hyphens: ${range}`;
    if (typeof end === 'string') return end;
    [from, to] = [start, high === undefined && step !== undefined ? max : end];
  }
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  const every = step === undefined ? 1 : plainNumber(step);
  if (typeof every === 'string') return every;
  if (from < min) return `beginning of range (${from}) below minimum (${min}): ${range}`;
  if (to > max) return `end of range (${to}) above maximum (${max}): ${range}`;
  if (from > to) return `beginning of range (${from}) beyond end of range (${to}): ${range}`;
  return every === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

function numberOf(text: string, names: readonly string[]): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named < 0) return plainNumber(text);
  return names === MONTHS ? named + 1 : named;
}

function plainNumber(text: string): number | string {
  if (!/^[+-]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quoteGo(text)}: invalid syntax`;
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
