import type { Val } from './state.js';
import { GoBytes, GoComplex, GoMap, GoScalar, GoSlice, GoTyped } from '../value/go-value.js';

/** Whether `if` takes a value for true: not nil, not false, not zero, not empty. */
export function isTrue(value: Val): boolean {
  switch (typeof value) {
    case 'string':
      return value !== '';
    case 'boolean':
      return value;
    // NaN is not zero.
    case 'number':
      return value !== 0;
    case 'bigint':
      return value !== 0n;
    case 'undefined':
      return false;
    default:
  }
  if (value === null) return false;
  if (value instanceof GoTyped) return isTypedTrue(value);
  return Array.isArray(value) ? value.length > 0 : hasKeys(value);
}

function isTypedTrue(value: GoTyped): boolean {
  if (value instanceof GoScalar) return isTrue(value.value);
  if (value instanceof GoSlice) return value.items.length > 0;
  if (value instanceof GoMap) return hasKeys(value.entries);
  if (value instanceof GoBytes) return value.bytes.length > 0;
  return !(value instanceof GoComplex) || value.real !== 0 || value.imaginary !== 0;
}

function hasKeys(object: object): boolean {
  for (const _ in object) return true;
  return false;
}
