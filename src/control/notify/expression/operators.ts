import { RE2JS } from 're2js';
import { own } from '../../../model/json/index.js';
import { isList, isMap, isSame, Moment, numberOf, Span, typeName, expressionFault, type Value } from './value.js';

export function truth(value: Value): boolean {
  if (typeof value !== 'boolean')
    throw expressionFault(
      `interface conversion: interface {} is ${value === null ? 'nil' : typeName(value)}, not bool`,
    );
  return value;
}

export function applyUnary(sign: string, value: Value): Value {
  if (sign === 'not' || sign === '!') return !truth(value);
  const number = numberOf(value);
  if (number !== undefined) return sign === '-' ? -number : number;
  if (value instanceof Span) return sign === '-' ? new Span(-value.nanoseconds) : value;
  throw expressionFault(`invalid operation: ${sign} ${typeName(value)}`);
}

/** `and`, `or` and `??` are not here: they evaluate their right side only if needed. */
export function applyBinary(sign: string, left: Value, right: Value): Value {
  switch (sign) {
    case '==':
      return isSame(left, right);
    case '!=':
      return !isSame(left, right);
    case '<':
      return order(sign, left, right) < 0;
    case '>':
      return order(sign, left, right) > 0;
    case '<=':
      return order(sign, left, right) <= 0;
    case '>=':
      return order(sign, left, right) >= 0;
    case 'in':
      return isIn(left, right);
    case 'contains':
      return texts(sign, left, right, (a, b) => a.includes(b));
    case 'startsWith':
      return texts(sign, left, right, (a, b) => a.startsWith(b));
    case 'endsWith':
      return texts(sign, left, right, (a, b) => a.endsWith(b));
    case 'matches':
      return texts(sign, left, right, (a, b) => RE2JS.compile(b).matcher(a).find());
    case '..':
      return range(left, right);
    default:
      return calculated(sign, left, right);
  }
}

function order(sign: string, left: Value, right: Value): number {
  const [a, b] = [comparable(left), comparable(right)];
  if (a === undefined || b === undefined || typeof a !== typeof b || left instanceof Moment !== right instanceof Moment)
    throw undefinedFor(sign, left, right);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function comparable(value: Value): string | number | bigint | undefined {
  if (value instanceof Moment || value instanceof Span) return value.nanoseconds;
  return typeof value === 'string' ? value : numberOf(value);
}

function undefinedFor(sign: string, left: Value, right: Value): Error {
  return expressionFault(`invalid operation: ${typeName(left)} ${sign} ${typeName(right)}`);
}

function isIn(item: Value, whole: Value): boolean {
  if (whole === null) return false;
  if (isList(whole)) return whole.some((each) => isSame(each, item));
  if (isMap(whole)) return typeof item === 'string' && own(whole, item) !== undefined;
  throw expressionFault(`operator "in" not defined on ${typeName(whole)}`);
}

function texts(sign: string, left: Value, right: Value, test: (a: string, b: string) => boolean): boolean {
  if (left === null || right === null) return false;
  if (typeof left !== 'string' || typeof right !== 'string') throw undefinedFor(sign, left, right);
  return test(left, right);
}

const MAX_RANGE = 10_000;

function range(left: Value, right: Value): Value {
  const [from, to] = [numberOf(left), numberOf(right)];
  if (from === undefined || to === undefined) throw undefinedFor('..', left, right);
  if (to - from > MAX_RANGE) throw expressionFault('the range is too long');
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

function calculated(sign: string, left: Value, right: Value): Value {
  if (sign === '+' && typeof left === 'string' && typeof right === 'string') return left + right;
  const time = withTimes(sign, left, right);
  if (time !== undefined) return time;
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a === undefined || b === undefined) throw undefinedFor(sign, left, right);
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      if (b === 0) throw expressionFault('runtime error: integer divide by zero');
      return a % b;
    default:
      return a ** b;
  }
}

function withTimes(sign: string, left: Value, right: Value): Value | undefined {
  if (sign === '+') return sumOfTimes(left, right);
  if (sign === '-') return differenceOfTimes(left, right);
  return sign === '*' ? productOfSpan(left, right) : undefined;
}

function sumOfTimes(left: Value, right: Value): Value | undefined {
  if (left instanceof Span && right instanceof Span) return new Span(left.nanoseconds + right.nanoseconds);
  if (left instanceof Moment && right instanceof Span) return new Moment(left.nanoseconds + right.nanoseconds);
  if (left instanceof Span && right instanceof Moment) return new Moment(left.nanoseconds + right.nanoseconds);
  return undefined;
}

function differenceOfTimes(left: Value, right: Value): Value | undefined {
  if (left instanceof Span && right instanceof Span) return new Span(left.nanoseconds - right.nanoseconds);
  if (left instanceof Moment && right instanceof Span) return new Moment(left.nanoseconds - right.nanoseconds);
  if (left instanceof Moment && right instanceof Moment) return new Span(left.nanoseconds - right.nanoseconds);
  return undefined;
}

function productOfSpan(left: Value, right: Value): Value | undefined {
  const span = left instanceof Span ? left : right;
  const factor = numberOf(left instanceof Span ? right : left);
  if (!(span instanceof Span) || factor === undefined) return undefined;
  // A fraction makes a plain number of it, as in Go.
  return Number.isInteger(factor) ? new Span(span.nanoseconds * BigInt(factor)) : Number(span.nanoseconds) * factor;
}
