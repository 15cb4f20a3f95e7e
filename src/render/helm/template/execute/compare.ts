import { plainText, verbText } from '../value/go-print.js';
import { compareBytes } from '../value/go-text.js';
import { isSignedKind, isUnsignedKind } from '../value/go-type.js';
import type { Val } from './state.js';
import { functionError } from '../template-error.js';
import { GoComplex, GoMap, GoScalar, GoSlice, GoStringer, GoStruct, typeOf, type GoValue } from '../value/go-value.js';

type Basic = 'none' | 'bool' | 'complex' | 'int' | 'uint' | 'float' | 'string';

function basicKind(value: Val): Basic {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'float';
    case 'bigint':
      return 'int';
    case 'boolean':
      return 'bool';
    default:
  }
  if (value instanceof GoComplex) return 'complex';
  if (!(value instanceof GoScalar)) return 'none';
  const { kind } = value.type;
  if (isSignedKind(kind)) return 'int';
  return isUnsignedKind(kind) ? 'uint' : basicKind(value.value);
}

/** The plain value inside a basic one. */
function basic(value: Val): boolean | string | number | bigint {
  const plain = value instanceof GoScalar ? value.value : value;
  return typeof plain === 'object' || plain === undefined ? 0n : plain;
}

const isWhole = (kind: Basic): boolean => kind === 'int' || kind === 'uint';

/** True if the first equals one of the others. */
export function isEqual([first, ...others]: readonly Val[]): boolean {
  if (others.length === 0) throw functionError('missing argument for comparison');
  return others.some((other) => areEqual(first ?? undefined, other ?? undefined));
}

function areEqual(a: Exclude<Val, null>, b: Exclude<Val, null>): boolean {
  const kind = basicKind(a);
  const other = basicKind(b);
  if (kind !== other) {
    if (isWhole(kind) && isWhole(other)) return basic(a) === basic(b);
    if (a === undefined || b === undefined) return false;
    throw functionError(`incompatible types for comparison: ${typeOf(a).name} and ${typeOf(b).name}`);
  }
  if (kind === 'none') return areOthersEqual(a, b);
  if (a instanceof GoComplex && b instanceof GoComplex) return a.real === b.real && a.imaginary === b.imaginary;
  return basic(a) === basic(b);
}

function areOthersEqual(a: Exclude<Val, null>, b: Exclude<Val, null>): boolean {
  if (a !== undefined && b !== undefined && typeOf(a).kind !== typeOf(b).kind) {
    throw functionError(
      `non-comparable types ${verbText(a, 's')}: ${typeOf(a).name}, ${typeOf(b).name}: ${plainText(b)}`,
    );
  }
  if (isNil(a) || isNil(b)) return isNil(a) === isNil(b);
  if (b instanceof GoStringer) return a instanceof GoStringer && a.type === b.type && a.isSame(b);
  if (b !== undefined && !(b instanceof GoStruct))
    throw functionError(`non-comparable type ${verbText(b, 's')}: ${typeOf(b).name}`);
  return a === b;
}

function isNil(value: Val): boolean {
  return value === undefined || ((value instanceof GoMap || value instanceof GoSlice) && value.isNil);
}

export function isLess(a: Val, b: Val): boolean {
  const kind = basicKind(a);
  const other = basicKind(b);
  if (kind === 'none' || other === 'none') throw functionError('invalid type for comparison');
  if (kind !== other && !(isWhole(kind) && isWhole(other)))
    throw functionError(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`);
  if (kind === 'bool' || kind === 'complex') throw functionError('invalid type for comparison');
  const x = basic(a);
  const y = basic(b);
  return typeof x === 'string' && typeof y === 'string' ? compareBytes(x, y) < 0 : x < y;
}

function typeName(value: Val): string {
  const present: GoValue = value ?? null;
  return present === null ? '' : typeOf(present).name;
}

export function isLessOrEqual(a: Val, b: Val): boolean {
  return isLess(a, b) || isEqual([a, b]);
}
