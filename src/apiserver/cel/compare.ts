import {
  CelList,
  CelMap,
  Duration,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  noSuchOverload,
  CelError,
  type CelValue,
} from './values.js';
import { compareText } from '../../model/go/index.js';

const isNumber = (value: CelValue): value is bigint | number | Uint =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
const plain = (value: bigint | number | Uint): bigint | number => (value instanceof Uint ? value.value : value);

// Order compares int and double by value; NaN is equal to nothing.
const sameNumber = (a: bigint | number, b: bigint | number): boolean => a <= b && a >= b;

/**
 * CEL equality: numbers by value across types, lists and maps by content, anything else of different types is unequal.
 */
export function equals(a: CelValue, b: CelValue): boolean {
  if (isNumber(a) && isNumber(b)) return sameNumber(plain(a), plain(b));
  if (a instanceof CelList) return b instanceof CelList && equalLists(a, b);
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Opaque) return b instanceof Opaque && a.type === b.type && a.key === b.key;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  return a === b;
}

function equalOptionals(a: Optional, b: Optional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value);
}

function equalLists(a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false;
  if (a.keys === undefined) {
    for (let index = 0; index < a.size; index++) if (!equals(a.at(index), b.at(index))) return false;
    return true;
  }
  const rest = [...b];
  for (const item of a) {
    const found = rest.findIndex((other) => equals(item, other));
    if (found < 0) return false;
    rest.splice(found, 1);
  }
  return true;
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  const keys = a.keys();
  return (
    keys.length === b.size &&
    keys.every((key) => {
      const other = b.get(key);
      return other !== undefined && equals(a.get(key) ?? null, other);
    })
  );
}

/** Negative, zero or positive; values without an order between them have no overload. */
export function compare(a: CelValue, b: CelValue): number {
  if (isNumber(a) && isNumber(b)) {
    const x = plain(a);
    const y = plain(b);
    if (Number.isNaN(x) || Number.isNaN(y)) throw new CelError('NaN values cannot be ordered');
    return Number(x > y) - Number(x < y);
  }
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return Number(a.nanos > b.nanos) - Number(a.nanos < b.nanos);
  if (a instanceof Duration && b instanceof Duration) return Number(a.nanos > b.nanos) - Number(a.nanos < b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  throw noSuchOverload();
}
