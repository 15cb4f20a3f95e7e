import { equal, isArray, isObject, type Json, type JsonObject } from '../../../model/json/index.js';
import { Fault } from '../../../model/faults/index.js';
import { formatDuration, parseTime } from '../../../model/formats/index.js';
import { formatGoNumber, formatGoValue } from '../../../model/go/index.js';

/** What expressions work with: the fields of an object, times, spans of time, and functions. */
export type Value = Json | Value[] | Moment | Span | Callable | Namespace;

/** A point in time, in nanoseconds since 1970. */
export class Moment {
  constructor(readonly nanoseconds: bigint) {}

  static parse(text: string): Moment {
    const { seconds, nanoseconds } = parseTime(text);
    return new Moment(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds));
  }

  get date(): Date {
    return new Date(Number(this.nanoseconds / 1_000_000n));
  }
}

/** A length of time, in nanoseconds. */
export class Span {
  constructor(readonly nanoseconds: bigint) {}
}

export class Callable {
  constructor(readonly call: (args: readonly Value[]) => Value) {}
}

/** Functions and constants under one name, such as `time`. */
export class Namespace {
  constructor(readonly members: ReadonlyMap<string, Value>) {}
}

export function expressionFault(message: string): Fault {
  return new Fault('VALUE_INVALID', message);
}

export function isMap(value: Value): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isSpecial(value) && isObject(value);
}

function isSpecial(value: object): boolean {
  return value instanceof Moment || value instanceof Span || value instanceof Callable || value instanceof Namespace;
}

export function isList(value: Value): value is Value[] {
  return Array.isArray(value);
}

/** As Go names the type in errors. */
export function typeName(value: Value): string {
  if (value === null) return '<nil>';
  if (value instanceof Moment) return 'time.Time';
  if (value instanceof Span) return 'time.Duration';
  if (value instanceof Callable) return 'func';
  if (isList(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'int' : 'string';
}

/** A whole number that JSON could not hold as a number counts as one all the same. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' ? Number(value) : undefined;
}

export function isSame(a: Value, b: Value): boolean {
  if (a instanceof Moment && b instanceof Moment) return a.nanoseconds === b.nanoseconds;
  if (a instanceof Span && b instanceof Span) return a.nanoseconds === b.nanoseconds;
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x === y;
  if (isList(a) && isList(b)) return a.length === b.length && a.every((item, index) => isSame(item, b[index] ?? null));
  if (isMap(a) && isMap(b)) return equal(a, b);
  return a === b;
}

/** As Go prints a value with %v. */
export function formatValue(value: Value): string {
  if (value === null) return '<nil>';
  if (value instanceof Moment) return `${value.date.toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
  if (value instanceof Span) return formatDuration(value.nanoseconds);
  if (value instanceof Callable || value instanceof Namespace) return typeName(value);
  if (isList(value)) return `[${value.map(formatValue).join(' ')}]`;
  if (typeof value === 'number') return formatGoNumber(value);
  return typeof value === 'object' && (isArray(value) || isObject(value)) ? formatGoValue(value) : String(value);
}
