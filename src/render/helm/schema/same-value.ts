import { entryOf, GoScalar, type GoValue } from '../template/value/go-value.js';
import { has, isTable } from '../values/table.js';
import { compareNumbers } from './decimal.js';

export function numberOf(value: GoValue): number | bigint | undefined {
  const plain = value instanceof GoScalar ? value.value : value;
  return typeof plain === 'number' || typeof plain === 'bigint' ? plain : undefined;
}

/** Equal as JSON; 1 and 1.0 are. */
export function sameValue(value: GoValue, other: GoValue): boolean {
  const [left, right] = [numberOf(value), numberOf(other)];
  if (left !== undefined || right !== undefined)
    return left !== undefined && right !== undefined && compareNumbers(left, right) === 0;
  if (Array.isArray(value))
    return (
      Array.isArray(other) &&
      value.length === other.length &&
      value.every((item, index) => sameValue(item, other[index] ?? null))
    );
  if (!isTable(value)) return value === other;
  const keys = Object.keys(value);
  return (
    isTable(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => has(other, key) && sameValue(entryOf(value, key) ?? null, entryOf(other, key) ?? null))
  );
}
