import { formatDuration } from '../../../model/formats/index.js';
import { Callable, Moment, Span, typeName, expressionFault, type Value } from './value.js';

/** A method of a time or a span of time, ready to be called. */
export function methodOf(receiver: Value, name: string): Callable | undefined {
  if (receiver instanceof Moment) return bind(MOMENT, receiver, name);
  return receiver instanceof Span ? bind(SPAN, receiver, name) : undefined;
}

type Method<T> = (receiver: T, argument: Value) => Value;

function bind<T>(methods: ReadonlyMap<string, Method<T>>, receiver: T, name: string): Callable | undefined {
  const method = methods.get(name);
  return method === undefined ? undefined : new Callable(([argument = null]) => method(receiver, argument));
}

function moment(value: Value): Moment {
  if (!(value instanceof Moment)) throw expressionFault(`cannot use ${typeName(value)} as time.Time`);
  return value;
}

function span(value: Value): Span {
  if (value instanceof Span) return value;
  if (typeof value === 'number' && Number.isInteger(value)) return new Span(BigInt(value));
  throw expressionFault(`cannot use ${typeName(value)} as time.Duration`);
}

const DAY = 86_400_000;

const MOMENT: ReadonlyMap<string, Method<Moment>> = new Map<string, Method<Moment>>([
  ['Add', (time, by) => new Moment(time.nanoseconds + span(by).nanoseconds)],
  ['Sub', (time, other) => new Span(time.nanoseconds - moment(other).nanoseconds)],
  ['Before', (time, other) => time.nanoseconds < moment(other).nanoseconds],
  ['After', (time, other) => time.nanoseconds > moment(other).nanoseconds],
  ['Equal', (time, other) => time.nanoseconds === moment(other).nanoseconds],
  ['Unix', (time) => Math.floor(Number(time.nanoseconds / 1_000_000_000n))],
  ['UnixMilli', (time) => Number(time.nanoseconds / 1_000_000n)],
  ['UTC', (time) => time],
  ['Local', (time) => time],
  ['Year', ({ date }) => date.getUTCFullYear()],
  ['Month', ({ date }) => date.getUTCMonth() + 1],
  ['Day', ({ date }) => date.getUTCDate()],
  ['YearDay', ({ date }) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY) + 1],
  ['Weekday', ({ date }) => date.getUTCDay()],
  ['Hour', ({ date }) => date.getUTCHours()],
  ['Minute', ({ date }) => date.getUTCMinutes()],
  ['Second', ({ date }) => date.getUTCSeconds()],
]);

const units =
  (unit: number): Method<Span> =>
  ({ nanoseconds }) =>
    Number(nanoseconds) / unit;
const whole =
  (unit: bigint): Method<Span> =>
  ({ nanoseconds }) =>
    Number(nanoseconds / unit);

const SPAN: ReadonlyMap<string, Method<Span>> = new Map<string, Method<Span>>([
  ['Hours', units(3600e9)],
  ['Minutes', units(60e9)],
  ['Seconds', units(1e9)],
  ['Milliseconds', whole(1_000_000n)],
  ['Microseconds', whole(1000n)],
  ['Nanoseconds', whole(1n)],
  ['String', ({ nanoseconds }) => formatDuration(nanoseconds)],
  ['Abs', ({ nanoseconds }) => new Span(nanoseconds < 0n ? -nanoseconds : nanoseconds)],
]);
