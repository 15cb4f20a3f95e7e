import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { Operator } from './syntax.js';
import { compareValues, isEqual, isNumber, JqError, formatValue, type Budget, type Numeric } from './values.js';

type Binary = (left: Json, right: Json, budget: Budget) => Json;

const OPERATIONS: Readonly<Record<Operator, Binary>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': modulo,
  '==': (a, b) => isEqual(a, b),
  '!=': (a, b) => !isEqual(a, b),
  '<': (a, b) => compareValues(a, b) < 0,
  '<=': (a, b) => compareValues(a, b) <= 0,
  '>': (a, b) => compareValues(a, b) > 0,
  '>=': (a, b) => compareValues(a, b) >= 0,
};

export function operate(operator: Operator, left: Json, right: Json, budget: Budget): Json {
  budget.spend(size(left) + size(right));
  return OPERATIONS[operator](left, right, budget);
}

/** Large values cost what it takes to read them once. */
export function size(value: Json): number {
  if (typeof value === 'string') return value.length >> 4;
  return isArray(value) ? value.length >> 2 : 0;
}

export function add(a: Json, b: Json, budget: Budget): Json {
  if (a === null) return b;
  if (b === null) return a;
  if (isNumber(a) && isNumber(b))
    return exact(
      a,
      b,
      (x, y) => x + y,
      (x, y) => x + y,
    );
  if (typeof a === 'string' && typeof b === 'string') {
    budget.spend((a.length + b.length) >> 4);
    return a + b;
  }
  if (isArray(a) && isArray(b)) return [...a, ...b];
  if (isObject(a) && isObject(b)) return { ...a, ...b };
  throw mismatch('add', a, b);
}

/** Integers stay exact however large they grow. */
function exact(
  a: Numeric,
  b: Numeric,
  float: (x: number, y: number) => number,
  big: (x: bigint, y: bigint) => bigint,
): Numeric {
  const value = float(Number(a), Number(b));
  if (
    typeof a === 'number' &&
    typeof b === 'number' &&
    (Number.isSafeInteger(value) || !Number.isInteger(a) || !Number.isInteger(b))
  )
    return value;
  if (!isWhole(a) || !isWhole(b)) return value;
  const result = big(BigInt(a), BigInt(b));
  return result >= BigInt(Number.MIN_SAFE_INTEGER) && result <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(result)
    : result;
}

/** Beyond this a float that happens to be whole is still a float. */
function isWhole(value: Numeric): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function subtract(a: Json, b: Json, budget: Budget): Json {
  if (isNumber(a) && isNumber(b))
    return exact(
      a,
      b,
      (x, y) => x - y,
      (x, y) => x - y,
    );
  if (isArray(a) && isArray(b)) {
    budget.spend((a.length * b.length) >> 2);
    return a.filter((item) => !b.some((other) => isEqual(item, other)));
  }
  throw mismatch('subtract', a, b);
}

function multiply(a: Json, b: Json, budget: Budget): Json {
  if (isNumber(a) && isNumber(b))
    return exact(
      a,
      b,
      (x, y) => x * y,
      (x, y) => x * y,
    );
  if (typeof a === 'string' && isNumber(b)) return repeated(a, Number(b), budget);
  if (typeof b === 'string' && isNumber(a)) return repeated(b, Number(a), budget);
  if (isObject(a) && isObject(b)) return merged(a, b, budget);
  throw mismatch('multiply', a, b);
}

function repeated(text: string, times: number, budget: Budget): Json {
  if (Number.isNaN(times) || times < 0) return null;
  const count = Math.trunc(times);
  budget.spend(Math.min((text.length * count) / 16, Number.MAX_SAFE_INTEGER));
  return text.repeat(count);
}

function merged(a: JsonObject, b: JsonObject, budget: Budget): JsonObject {
  const result = { ...a };
  for (const key of Object.keys(b)) {
    budget.spend();
    const [left, right] = [own(a, key), own(b, key)];
    put(result, key, isObject(left) && isObject(right) ? merged(left, right, budget) : right);
  }
  return result;
}

function divide(a: Json, b: Json): Json {
  if (isNumber(a) && isNumber(b)) {
    if (Number(b) === 0) throw new JqError(`cannot divide ${formatValue(a)} by: ${formatValue(b)}`);
    if (isWhole(a) && isWhole(b) && BigInt(a) % BigInt(b) === 0n)
      return exact(
        a,
        b,
        (x, y) => x / y,
        (x, y) => x / y,
      );
    return Number(a) / Number(b);
  }
  if (typeof a === 'string' && typeof b === 'string') return splitText(a, b);
  throw mismatch('divide', a, b);
}

export function splitText(text: string, separator: string): Json[] {
  if (text === '') return [];
  return separator === '' ? [...text] : text.split(separator);
}

function modulo(a: Json, b: Json): Json {
  if (!isNumber(a) || !isNumber(b)) throw mismatch('modulo', a, b);
  if (Number.isNaN(a) || Number.isNaN(b)) return NaN;
  const [left, right] = [truncated(a), truncated(b)];
  if (right === 0n) throw new JqError(`cannot modulo ${formatValue(a)} by: ${formatValue(b)}`);
  const result = left % (right < 0n ? -right : right);
  return Number.isSafeInteger(Number(result)) ? Number(result) : result;
}

const INT64 = 2n ** 63n;

function truncated(value: Numeric): bigint {
  if (typeof value === 'bigint') return value;
  if (!Number.isFinite(value)) return value > 0 ? INT64 - 1n : -INT64;
  return BigInt(Math.trunc(value));
}

export function negate(value: Json): Json {
  if (typeof value === 'bigint') return -value;
  if (typeof value === 'number') return value === 0 ? 0 : -value;
  throw new JqError(`cannot negate: ${formatValue(value)}`);
}

function mismatch(verb: string, a: Json, b: Json): JqError {
  return new JqError(`cannot ${verb}: ${formatValue(a)} and ${formatValue(b)}`);
}
