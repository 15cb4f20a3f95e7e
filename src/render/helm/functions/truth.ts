import { GoBytes, GoComplex, GoMap, GoScalar, GoSlice, GoTyped, type GoValue } from '../template/value/go-value.js';

/** Whether sprig calls a value empty: nothing, false, zero, or without elements. A struct never is. */
export function isEmpty(value: GoValue): boolean {
  switch (typeof value) {
    case 'string':
      return value === '';
    case 'boolean':
      return !value;
    case 'number':
      return value === 0;
    case 'bigint':
      return value === 0n;
    default:
      return value === null || isEmptyObject(value);
  }
}

function isEmptyObject(value: Exclude<GoValue, null | string | boolean | number | bigint>): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!(value instanceof GoTyped)) return Object.keys(value).length === 0;
  if (value instanceof GoScalar) return isEmpty(value.value);
  if (value instanceof GoSlice) return value.items.length === 0;
  if (value instanceof GoBytes) return value.bytes.length === 0;
  if (value instanceof GoMap) return Object.keys(value.entries).length === 0;
  return value instanceof GoComplex && value.real === 0 && value.imaginary === 0;
}
