import {
  entryOf,
  GoBytes,
  GoComplex,
  GoMap,
  GoScalar,
  GoSlice,
  GoStringer,
  GoStruct,
  GoTyped,
  typeOf,
  type GoObject,
  type GoValue,
} from '../template/value/go-value.js';
import type { PartCount } from '../template/value/weight.js';

/** reflect.DeepEqual: types must be the same, a nil list is no empty list, NaN equals nothing. */
export function deepEqual(a: GoValue, b: GoValue, parts: PartCount): boolean {
  if (a === null || b === null) return a === b;
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (a === b) return true;
  parts.add();
  if (typeOf(a).name !== typeOf(b).name) return false;
  parts.down();
  const isSame = equalInside(a, b, parts);
  parts.up();
  return isSame;
}

type Composite = GoTyped | GoValue[] | GoObject;

function equalInside(a: Composite, b: Composite, parts: PartCount): boolean {
  if (a instanceof GoTyped) return equalTyped(a, b, parts);
  return b instanceof GoTyped ? equalTyped(b, a, parts) : equalPlain(a, b, parts);
}

function equalPlain(a: GoValue[] | GoObject, b: GoValue[] | GoObject, parts: PartCount): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b, parts);
  return !Array.isArray(b) && equalMaps(a, b, parts);
}

/** The right side may be plain: a nil list of the plain type is a GoSlice, too. */
function equalTyped(a: GoTyped, b: Composite, parts: PartCount): boolean {
  if (a instanceof GoScalar) return b instanceof GoScalar && a.value === b.value;
  if (a instanceof GoSlice) return equalSlice(a, b, parts);
  if (a instanceof GoMap) return equalMap(a, b, parts);
  if (a instanceof GoBytes) return b instanceof GoBytes && Buffer.compare(a.bytes, b.bytes) === 0;
  if (a instanceof GoComplex) return b instanceof GoComplex && a.real === b.real && a.imaginary === b.imaginary;
  if (a instanceof GoStruct) return b instanceof GoStruct && equalMaps(a.fields, b.fields, parts);
  return a instanceof GoStringer && b instanceof GoStringer && a.text() === b.text();
}

function equalSlice(a: GoSlice, b: Composite, parts: PartCount): boolean {
  if (Array.isArray(b)) return !a.isNil && equalLists(a.items, b, parts);
  return b instanceof GoSlice && a.isNil === b.isNil && equalLists(a.items, b.items, parts);
}

function equalMap(a: GoMap, b: Composite, parts: PartCount): boolean {
  if (b instanceof GoMap) return a.isNil === b.isNil && equalMaps(a.entries, b.entries, parts);
  return !Array.isArray(b) && !(b instanceof GoTyped) && !a.isNil && equalMaps(a.entries, b, parts);
}

function equalLists(a: readonly GoValue[], b: readonly GoValue[], parts: PartCount): boolean {
  return a.length === b.length && a.every((item, index) => deepEqual(item, b[index] ?? null, parts));
}

function equalMaps(a: Readonly<GoObject>, b: Readonly<GoObject>, parts: PartCount): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && deepEqual(entryOf(a, key) ?? null, entryOf(b, key) ?? null, parts))
  );
}
