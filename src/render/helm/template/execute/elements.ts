import { plainText } from '../value/go-print.js';
import { fromByteString, textLength, toByteString } from '../value/go-text.js';
import { ANY, GoTyped, STRING, UINT8, isAssignable } from '../value/go-type.js';
import type { Val } from './state.js';
import { functionError } from '../template-error.js';
import {
  entryOf,
  GoBytes,
  GoMap,
  GoScalar,
  GoSlice,
  pointedTo,
  typeOf,
  zeroOf,
  type GoValue,
} from '../value/go-value.js';

/** The builtins that look into strings, lists and maps: index, slice, len. */

/** An argument that came out of a map or list of interface{} and was not unwrapped; only `slice` can tell. */
export class Boxed extends GoTyped {
  readonly type = ANY;

  constructor(readonly value: Val) {
    super();
  }
}

/** What Go's reflect package says when it is asked for the type of no value. */
const NO_TYPE = 'reflect: call of reflect.Value.Type on zero Value';

export function lengthOf(value: Val): bigint {
  if (value === null) throw functionError('len of nil pointer');
  if (value === undefined) throw functionError(NO_TYPE);
  const length = countOf(value);
  if (length === undefined) throw functionError(`len of type ${typeOf(pointedTo(value)).name}`);
  return BigInt(length);
}

/** Elements of a list or map, bytes of a string. */
function countOf(value: Exclude<GoValue, null>): number | undefined {
  if (typeof value === 'string') return textLength(value);
  if (typeof value !== 'object') return undefined;
  if (Array.isArray(value)) return value.length;
  if (!(value instanceof GoTyped)) return Object.keys(value).length;
  if (value instanceof GoSlice) return value.items.length;
  if (value instanceof GoMap) return Object.keys(value.entries).length;
  if (value instanceof GoBytes) return value.bytes.length;
  return value instanceof GoScalar && typeof value.value === 'string' ? textLength(value.value) : undefined;
}

export function indexOf([first, ...indexes]: readonly Val[]): Val {
  if (first === null || first === undefined) throw functionError('index of untyped nil');
  let item: GoValue = first;
  for (const index of indexes) {
    if (item === null) throw functionError('index of nil pointer');
    item = elementAt(pointedTo(item), index);
  }
  return item;
}

function elementAt(item: Exclude<GoValue, null>, index: Val): GoValue {
  const type = typeOf(item);
  if (type.kind === 'map') return entryAt(item, index);
  const length = type.kind === 'slice' || type.kind === 'string' ? countOf(item) : undefined;
  if (length === undefined) throw functionError(`can't index item of type ${type.name}`);
  const at = position(index ?? undefined, length);
  // Go's own check lets the length pass, its reflect package does not.
  if (at === length) throw functionError(`reflect: ${type.kind} index out of range`);
  return itemAt(item, at);
}

function itemAt(item: Exclude<GoValue, null>, at: number): GoValue {
  if (Array.isArray(item)) return item[at] ?? null;
  if (item instanceof GoSlice) return item.items[at] ?? null;
  if (item instanceof GoBytes) return new GoScalar(UINT8, BigInt(item.bytes[at] ?? 0));
  return new GoScalar(UINT8, BigInt(toByteString(plainText(item)).charCodeAt(at)));
}

function entryAt(item: Exclude<GoValue, null>, index: Val): GoValue {
  if (index === null || index === undefined) throw functionError('value is nil; should be of type string');
  if (typeof index !== 'string' && !isAssignable(typeOf(index), STRING)) {
    throw functionError(`value has type ${typeOf(index).name}; should be string`);
  }
  const key = plainText(index);
  if (item instanceof GoMap) return entryOf(item.entries, key) ?? zeroOf(item.type.elem ?? ANY);
  return typeof item !== 'object' || item instanceof GoTyped || Array.isArray(item)
    ? null
    : (entryOf(item, key) ?? null);
}

function position(index: Exclude<Val, null>, most: number): number {
  if (index === undefined) throw functionError('cannot index slice/array with nil');
  const plain = index instanceof GoScalar ? index.value : index;
  if (typeof plain !== 'bigint') throw functionError(`cannot index slice/array with type ${typeOf(index).name}`);
  const signed = BigInt.asIntN(64, plain);
  if (signed < 0n || signed > BigInt(most)) throw functionError(`index out of range: ${signed}`);
  return Number(signed);
}

export function sliceOfValue([boxed, ...indexes]: readonly Val[]): Val {
  const item = boxed instanceof Boxed ? boxed.value : boxed;
  if (item === null || item === undefined) throw functionError('slice of untyped nil');
  if (indexes.length > 3) throw functionError(`too many slice indexes: ${indexes.length}`);
  const { kind, name } = typeOf(pointedTo(item));
  if (kind === 'string' && indexes.length === 3) throw functionError('cannot 3-index slice a string');
  const length = kind === 'slice' || kind === 'string' ? countOf(item) : undefined;
  if (length === undefined) throw functionError(`can't slice item of type ${name}`);
  const places = indexes.map((index) => position(index ?? undefined, length));
  const from = places[0] ?? 0;
  const to = places[1] ?? length;
  const end = places[2] ?? to;
  if (from > to) throw functionError(`invalid slice index: ${from} > ${to}`);
  if (to > end) throw functionError(`invalid slice index: ${to} > ${end}`);
  return cut(item, from, to);
}

function cut(item: Exclude<GoValue, null>, from: number, to: number): GoValue {
  if (Array.isArray(item)) return item.slice(from, to);
  if (item instanceof GoSlice) return new GoSlice(item.type, item.items.slice(from, to));
  if (item instanceof GoBytes) return new GoBytes(item.bytes.slice(from, to), item.type);
  const text = fromByteString(toByteString(plainText(item)).slice(from, to));
  return item instanceof GoScalar ? new GoScalar(item.type, text) : text;
}
