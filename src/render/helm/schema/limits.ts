import type { Json } from '../../../model/json/index.js';
import type { Check } from './check.js';
import { compareNumbers, isMultiple } from './decimal.js';
import { localFloat, localNumber, quote } from './validation-error.js';

type Comparison = (order: number) => boolean;

const BOUNDS: readonly (readonly [string, Comparison])[] = [
  ['minimum', (order) => order >= 0],
  ['maximum', (order) => order <= 0],
  ['exclusiveMinimum', (order) => order > 0],
  ['exclusiveMaximum', (order) => order < 0],
];

export function checkNumber(check: Check, value: number | bigint): void {
  for (const [name, holds] of BOUNDS) {
    const limit = check.schema.limits.get(name);
    if (isNumber(limit) && !holds(compareNumbers(value, limit)))
      outside(check, name, localFloat(Number(value)), localFloat(Number(limit)));
  }
  const factor = check.schema.limits.get('multipleOf');
  if (isNumber(factor) && !isMultiple(value, factor))
    outside(check, 'multipleOf', localFloat(Number(value)), localFloat(Number(factor)));
}

export function checkText(check: Check, value: string): void {
  const { limits, pattern } = check.schema;
  if (limits.has('minLength') || limits.has('maxLength')) checkCount(check, 'Length', [...value].length);
  if (pattern !== undefined && !pattern.expression.test(value))
    check.add(`${quote(value)} does not match pattern ${quote(pattern.text)}`);
}

/** minItems and maxItems, minLength and maxLength, minProperties and maxProperties. */
export function checkCount(check: Check, what: 'Items' | 'Length' | 'Properties', count: number): void {
  const least = check.schema.limits.get(`min${what}`);
  if (isNumber(least) && count < least) outside(check, `min${what}`, localNumber(count), localNumber(Number(least)));
  const most = check.schema.limits.get(`max${what}`);
  if (isNumber(most) && count > most) outside(check, `max${what}`, localNumber(count), localNumber(Number(most)));
}

function outside(check: Check, name: string, got: string, want: string): void {
  check.add(`${name}: got ${got}, want ${want}`);
}

export function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
