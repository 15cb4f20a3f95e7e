import { civilTime, DAY_NAMES, MONTH_NAMES, unixTime, type CivilTime } from '../../../model/formats/index.js';
import { LuaTable, type HostFunction, type HostLibrary, type LuaValues, type Run } from '../value.js';
import { checkAny, checkInt, checkString, checkTable } from './arguments.js';
import { FlagScanner } from './flag-scanner.js';
import { toInt } from './go-int.js';
import { textToNumber } from './number-text.js';

/**
 * The library `os`. Local time is UTC, so that a script gives the same answer on every machine. There is the full
 * library of gopher-lua, without anything that would reach the machine, and the two functions that Argo CD leaves of
 * it.
 */

function nowOf(run: Run): number {
  return Math.floor(run.now() / 1000);
}

function padded(value: number, width = 2): string {
  return `${value < 0 ? '-' : ''}${String(Math.abs(value)).padStart(width, '0')}`;
}

function monthName({ month }: CivilTime): string {
  return MONTH_NAMES[month - 1] ?? '';
}

function shortYear({ year }: CivilTime): string {
  return padded(Math.max(year, 0) % 100);
}

/** What gopher-lua knows; `%a` is really the word "mon" there, whatever the day. */
const VERBS: ReadonlyMap<string, (time: CivilTime) => string> = new Map<string, (time: CivilTime) => string>([
  ['a', () => 'mon'],
  ['A', ({ weekday }) => DAY_NAMES[weekday] ?? ''],
  ['b', (time) => monthName(time).slice(0, 3)],
  ['B', monthName],
  [
    'c',
    (time) =>
      `${padded(time.day)} ${monthName(time).slice(0, 3)} ${shortYear(time)} ` +
      `${padded(time.hour)}:${padded(time.minute)} UTC`,
  ],
  ['d', ({ day }) => padded(day)],
  ['F', ({ year, month, day }) => `${padded(year, 4)}-${padded(month)}-${padded(day)}`],
  ['H', ({ hour }) => padded(hour)],
  ['I', ({ hour }) => padded(hour % 12 === 0 ? 12 : hour % 12)],
  ['m', ({ month }) => padded(month)],
  ['M', ({ minute }) => padded(minute)],
  ['p', ({ hour }) => (hour >= 12 ? 'PM' : 'AM')],
  ['P', ({ hour }) => (hour >= 12 ? 'pm' : 'am')],
  ['S', ({ second }) => padded(second)],
  ['w', ({ weekday }) => String(weekday)],
  ['x', ({ hour, minute, second }) => `${padded(hour)}/${padded(minute)}/${padded(second)}`],
  ['X', ({ hour, minute, second }) => `${padded(hour)}:${padded(minute)}:${padded(second)}`],
  ['y', shortYear],
  ['Y', ({ year }) => padded(year, 4)],
  ['z', () => '+0000'],
  ['Z', () => 'UTC'],
]);

const date: HostFunction = (run, args) => {
  // A leading ! asks for UTC, which it is anyway.
  const format = args.length === 0 ? '%c' : checkString(run, args, 1).replace(/^!+/, '');
  const time = civilTime(args.length >= 2 ? checkInt(run, args, 2) : nowOf(run));
  if (args.length > 0 && format.startsWith('*t')) return [dateTable(run, time)];
  run.chargeSteps(20 + format.length * 8);
  const pieces: string[] = [];
  let length = 0;
  const scanner = new FlagScanner(format);
  for (let item = scanner.next(); item !== undefined; item = scanner.next()) {
    const piece = item.isFlagged ? (VERBS.get(item.char)?.(time) ?? `%${item.char}`) : item.char;
    length += piece.length;
    pieces.push(piece);
  }
  run.chargeString(length);
  return [pieces.join('')];
};

function dateTable(run: Run, time: CivilTime): LuaTable {
  const table = run.newTable();
  table.setString('year', time.year);
  table.setString('month', time.month);
  table.setString('day', time.day);
  table.setString('hour', time.hour);
  table.setString('min', time.minute);
  table.setString('sec', time.second);
  table.setString('wday', time.weekday + 1);
  // gopher-lua does not compute these two.
  table.setString('yday', 0);
  table.setString('isdst', false);
  return table;
}

type ReadField = (table: LuaTable, name: string, missing: number) => number;

/** The safe library takes numbers only. */
const numberField: ReadField = (table, name, missing) => {
  const value = table.getString(name);
  return typeof value === 'number' ? toInt(value) : missing;
};

/** The full library takes text, too; leading zeros do not make it octal. */
const textField: ReadField = (table, name, missing) => {
  const value = table.getString(name);
  if (typeof value !== 'string') return numberField(table, name, missing);
  let text = value.replace(/^ +/, '');
  if (/^0(?![xX])/.test(text)) text = text.replace(/^0+/, '');
  if (text === '' && value.includes('0')) return 0;
  const number = textToNumber(text);
  return number === undefined ? missing : toInt(number);
};

function timeOf(table: LuaTable, read: ReadField): number {
  return unixTime({
    second: read(table, 'sec', 0),
    minute: read(table, 'min', 0),
    hour: read(table, 'hour', 12),
    day: read(table, 'day', -1),
    month: read(table, 'month', -1),
    year: read(table, 'year', -1),
  });
}

const time: HostFunction = (run, args) => {
  if (args.length === 0 || checkAny(run, args, 1) === undefined) return [nowOf(run)];
  return [timeOf(checkTable(run, args, 1), textField)];
};

/** os.time and os.date as Argo CD lets every script have them with require("os"). */
export const SAFE_OS = {
  time: (run: Run, args: LuaValues) => [args.length === 0 ? nowOf(run) : timeOf(checkTable(run, args, 1), numberField)],
  date,
} as const satisfies HostLibrary;

const started = new WeakMap<Run, number>();

/** Seconds since the script first asked. */
function clock(run: Run): number {
  const now = run.now();
  const start = started.get(run) ?? now;
  started.set(run, start);
  return (now - start) / 1000;
}

function refuse(name: string): HostFunction {
  return (run) => run.fail(`os.${name} is not available: scripts have no access to the machine`);
}

export const OS: HostLibrary = {
  clock: (run) => [clock(run)],
  difftime: (run, args) => {
    const later = checkInt(run, args, 1);
    return [later - checkInt(run, args, 2)];
  },
  execute: refuse('execute'),
  exit: refuse('exit'),
  date,
  getenv: refuse('getenv'),
  remove: refuse('remove'),
  rename: refuse('rename'),
  setenv: refuse('setenv'),
  setlocale: () => [false],
  time,
  tmpname: refuse('tmpname'),
};
