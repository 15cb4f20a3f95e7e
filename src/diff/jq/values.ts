import { compareText } from '../../model/go/index.js';
import { isArray, isObject, own, put, writeJson, type Json, type JsonObject } from '../../model/json/index.js';

/** An error that `try` catches; its value is what `catch` sees. */
export class JqError extends Error {
  constructor(readonly value: Json) {
    super(typeof value === 'string' ? value : writeJson(value));
    this.name = 'JqError';
  }
}

/** The budget is used up, or the evaluation went too deep: no `try` catches that. */
export class JqExhausted extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JqExhausted';
  }
}

/** How much work is left. */
export class Budget {
  #left: number;

  constructor(readonly steps: number) {
    this.#left = steps;
  }

  spend(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new JqExhausted(`it did not end within ${this.steps} steps`);
  }
}

export type Numeric = number | bigint;

export function isNumber(value: Json | undefined): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint';
}

export function typeName(value: Json): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'array';
  if (isNumber(value)) return 'number';
  return typeof value;
}

const MAX_FORMATTED_LENGTH = 30;

/**
 * A value with its type, as messages show it: only its beginning, since errors are thrown often and values may be
 * large.
 */
export function formatValue(value: Json): string {
  return value === null ? 'null' : `${typeName(value)} (${preview(value, MAX_FORMATTED_LENGTH)})`;
}

function preview(value: Json, room: number): string {
  if (room <= 0) return '...';
  if (typeof value === 'string')
    return value.length > room ? `${JSON.stringify(value.slice(0, room))}...` : JSON.stringify(value);
  if (isArray(value))
    return `[${value
      .slice(0, 3)
      .map((item) => preview(item, room / 3 - 2))
      .join(',')}${value.length > 3 ? ',...' : ''}]`;
  if (isObject(value))
    return `{${Object.keys(value)
      .slice(0, 3)
      .map((key) => JSON.stringify(key.slice(0, room)))
      .join(',')}}`;
  return toJson(value);
}

export function isTruthy(value: Json): boolean {
  return value !== null && value !== false;
}

export function sortedKeys(object: JsonObject): string[] {
  return Object.keys(object)
    .filter((key) => own(object, key) !== undefined)
    .sort(compareText);
}

const ORDER: ReadonlyMap<string, number> = new Map([
  ['null', 0],
  ['boolean', 1],
  ['number', 2],
  ['string', 3],
  ['array', 4],
  ['object', 5],
]);

/** The order of all values: null, false, true, numbers, texts, lists, objects. */
export function compareValues(a: Json, b: Json): number {
  const kinds = (ORDER.get(typeName(a)) ?? 0) - (ORDER.get(typeName(b)) ?? 0);
  if (kinds !== 0) return kinds;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (isArray(a) && isArray(b)) return compareLists(a, b);
  if (isObject(a) && isObject(b)) return compareObjects(a, b);
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  return Number(a) - Number(b);
}

/** Not-a-number is less than every number, itself included. */
function compareNumbers(a: Numeric, b: Numeric): number {
  if (Number.isNaN(a)) return -1;
  if (Number.isNaN(b)) return 1;
  return a < b ? -1 : Number(a > b);
}

function compareLists(a: readonly Json[], b: readonly Json[]): number {
  for (const [index, item] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareValues(item, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareObjects(a: JsonObject, b: JsonObject): number {
  const [left, right] = [sortedKeys(a), sortedKeys(b)];
  const order = compareLists(left, right);
  if (order !== 0) return order;
  for (const key of left) {
    const values = compareValues(own(a, key) ?? null, own(b, key) ?? null);
    if (values !== 0) return values;
  }
  return 0;
}

export function isEqual(a: Json, b: Json): boolean {
  return compareValues(a, b) === 0;
}

/** JSON text with sorted keys. */
export function toJson(value: Json): string {
  if (isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (isObject(value))
    return `{${sortedKeys(value)
      .map((key) => `${JSON.stringify(key)}:${toJson(own(value, key) ?? null)}`)
      .join(',')}}`;
  if (typeof value === 'number' && !Number.isFinite(value)) {
    if (Number.isNaN(value)) return 'null';
    return value > 0 ? '1.7976931348623157e+308' : '-1.7976931348623157e+308';
  }
  return writeJson(value);
}

export function toText(value: Json): string {
  return typeof value === 'string' ? value : toJson(value);
}

/** An object with one more member. */
export function withMember(object: JsonObject, key: string, value: Json): JsonObject {
  const copy: JsonObject = { ...object };
  put(copy, key, value);
  return copy;
}
