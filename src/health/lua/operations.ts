import { pow } from './library/go-math.js';
import { numberToText, textToNumber } from './library/number-text.js';
import { LuaFunction, LuaTable, typeName, type LuaValue, type LuaValues, type Run } from './value.js';

/** Operators that may end in metamethods. The compiled code tries the plain case itself and comes here for the rest. */

/** What operators need beyond what libraries may ask: calls that count as made by the script itself. */
export interface Operator extends Run {
  invoke(fn: LuaFunction, args: LuaValues): LuaValues;
}

/** gopher-lua follows this many __index or __newindex tables. */
const MAX_CHAIN = 100;

export function index(run: Operator, object: LuaValue, key: LuaValue): LuaValue {
  let current = object;
  for (let i = 0; i < MAX_CHAIN; i++) {
    const table = current instanceof LuaTable ? current : undefined;
    if (table !== undefined) {
      const value = table.get(key);
      if (value !== undefined) return value;
      if (table.metatable === undefined) return undefined;
    }
    const handler = run.metafield(current, '__index');
    if (handler === undefined) return table === undefined ? refuseIndex(run, current, key) : undefined;
    if (handler instanceof LuaFunction) return run.invoke(handler, [current, key])[0];
    current = handler;
  }
  return run.fail('too many recursions in gettable');
}

export function setIndex(run: Operator, object: LuaValue, key: LuaValue, value: LuaValue): void {
  let current = object;
  for (let i = 0; i < MAX_CHAIN; i++) {
    const table = current instanceof LuaTable ? current : undefined;
    if (table !== undefined && (table.metatable === undefined || table.get(key) !== undefined))
      return rawSet(run, table, key, value);
    const handler = run.metafield(current, '__newindex');
    if (handler === undefined) {
      if (table === undefined) refuseIndex(run, current, key);
      return rawSet(run, table, key, value);
    }
    if (handler instanceof LuaFunction) {
      run.invoke(handler, [current, key, value]);
      return;
    }
    current = handler;
  }
  run.fail('too many recursions in settable');
}

export function rawSet(run: Run, table: LuaTable, key: LuaValue, value: LuaValue): void {
  if (key === undefined) run.fail('table index is nil');
  if (Number.isNaN(key)) run.fail('table index is NaN');
  table.set(key, value);
}

function refuseIndex(run: Run, object: LuaValue, key: LuaValue): never {
  return run.fail(`attempt to index a non-table object(${typeName(object)}) with key '${run.text(key)}'`);
}

export type Arithmetic = 'add' | 'sub' | 'mul' | 'div' | 'mod' | 'pow';

export function compute(operator: Arithmetic, a: number, b: number): number {
  switch (operator) {
    case 'add':
      return a + b;
    case 'sub':
      return a - b;
    case 'mul':
      return a * b;
    case 'div':
      return a / b;
    case 'mod':
      return modulo(a, b);
    case 'pow':
      return pow(a, b);
  }
}

export function modulo(a: number, b: number): number {
  const rest = a % b;
  return (b > 0 && rest < 0) || (b < 0 && rest > 0) ? rest + b : rest;
}

/** Arithmetic where at least one side is not a number. */
export function arithmetic(run: Operator, operator: Arithmetic, a: LuaValue, b: LuaValue): LuaValue {
  const handler = binaryHandler(run, a, b, `__${operator}`);
  if (handler instanceof LuaFunction) return run.invoke(handler, [a, b])[0];
  if (typeof a === 'string') run.chargeSteps(a.length >> 3);
  if (typeof b === 'string') run.chargeSteps(b.length >> 3);
  const left = asNumber(a);
  const right = asNumber(b);
  if (left !== undefined && right !== undefined) return compute(operator, left, right);
  const name = (value: LuaValue, number: number | undefined): string =>
    number === undefined ? typeName(value) : 'number';
  return run.fail(`cannot perform ${operator} operation between ${name(a, left)} and ${name(b, right)}`);
}

/** A number, or the number that a string spells. */
export function asNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? textToNumber(value) : undefined;
}

function binaryHandler(run: Run, a: LuaValue, b: LuaValue, event: string): LuaValue {
  return run.metafield(a, event) ?? run.metafield(b, event);
}

export function negate(run: Operator, value: LuaValue): LuaValue {
  if (typeof value === 'number') return -value;
  const handler = run.metafield(value, '__unm');
  if (handler instanceof LuaFunction) return run.invoke(handler, [value])[0];
  if (typeof value === 'string') run.chargeSteps(value.length >> 3);
  const number = asNumber(value);
  return number === undefined ? run.fail('__unm undefined') : -number;
}

export function length(run: Operator, value: LuaValue): LuaValue {
  if (typeof value === 'string') return value.length;
  const handler = run.metafield(value, '__len');
  if (handler instanceof LuaFunction) return run.invoke(handler, [value])[0];
  return value instanceof LuaTable ? value.length() : run.fail('__len undefined');
}

/** `a .. b .. c` in one go, from the right as gopher-lua does. */
export function concat(run: Operator, values: LuaValues): LuaValue {
  let i = values.length - 1;
  let right = values[i--];
  while (i >= 0) {
    const left = values[i];
    if (isTextual(left) && isTextual(right)) {
      let text = textOf(right);
      for (; i >= 0; i--) {
        const each = values[i];
        if (!isTextual(each)) break;
        text = textOf(each) + text;
      }
      run.chargeString(text.length);
      right = text;
    } else {
      const handler = binaryHandler(run, left, right, '__concat');
      if (!(handler instanceof LuaFunction))
        return run.fail(`cannot perform concat operation between ${typeName(left)} and ${typeName(right)}`);
      right = run.invoke(handler, [left, right])[0];
      i--;
    }
  }
  return right;
}

function isTextual(value: LuaValue): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function textOf(value: string | number): string {
  return typeof value === 'string' ? value : numberToText(value);
}

/** Comparing strings longer than this costs steps. */
export const LONG = 256;

function chargeComparison(run: Run, a: string, b: string): void {
  if (a.length > LONG && b.length > LONG) run.chargeSteps(Math.min(a.length, b.length) >> 5);
}

export function equals(run: Operator, a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') chargeComparison(run, a, b);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || typeName(a) !== typeName(b)) return false;
  return rational(run, a, b, '__eq') === true;
}

export function lessThan(run: Operator, a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') {
    chargeComparison(run, a, b);
    return a < b;
  }
  if (typeof a === 'number' || typeName(a) !== typeName(b)) return refuseCompare(run, a, b);
  return rational(run, a, b, '__lt') ?? refuseCompare(run, a, b);
}

export function lessOrEqual(run: Operator, a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a <= b;
  if (typeof a === 'string' && typeof b === 'string') {
    chargeComparison(run, a, b);
    return a <= b;
  }
  if (typeof a === 'number' || typeName(a) !== typeName(b)) return refuseCompare(run, a, b);
  return rational(run, a, b, '__le') ?? !(rational(run, b, a, '__lt') ?? refuseCompare(run, b, a));
}

function refuseCompare(run: Run, a: LuaValue, b: LuaValue): never {
  return run.fail(`attempt to compare ${typeName(a)} with ${typeName(b)}`);
}

/** The answer of a comparing metamethod that both sides share; undefined if they share none. */
function rational(run: Operator, a: LuaValue, b: LuaValue, event: string): boolean | undefined {
  const handler = run.metafield(a, event);
  if (!(handler instanceof LuaFunction) || run.metafield(b, event) !== handler) return undefined;
  const answer = run.invoke(handler, [a, b])[0];
  return answer !== undefined && answer !== false;
}
