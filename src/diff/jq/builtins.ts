import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, parseJson, type Json, type JsonArray } from '../../model/json/index.js';
import { add, size, splitText } from './arithmetic.js';
import { deletePaths, indexValue, objectOf, pathFromJson, placesOf, setPath } from './cell.js';
import { formatText, isFormat } from './formats.js';
import { isMatch } from './regex.js';
import {
  compareValues,
  isEqual,
  isNumber,
  isTruthy,
  JqError,
  formatValue,
  sortedKeys,
  toJson,
  toText,
  typeName,
  type Budget,
} from './values.js';

/** A function of values: the input, the arguments, and what is left to spend. */
export type Builtin = (value: Json, args: readonly Json[], budget: Budget) => Json;

/** A function that costs what its input weighs. */
function weighed(builtin: Builtin): Builtin {
  return (value, args, budget) => {
    budget.spend(1 + 4 * size(value));
    return builtin(value, args, budget);
  };
}

const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['length/0', length],
  ['utf8bytelength/0', (value) => Buffer.byteLength(textOf('utf8bytelength', value))],
  ['not/0', (value) => !isTruthy(value)],
  ['type/0', typeName],
  ['keys/0', weighed(keys)],
  ['has/1', (value, [key = null]) => has(value, key)],
  ['contains/1', (value, [part = null], budget) => contains(value, part, budget)],
  ['inside/1', (value, [whole = null], budget) => contains(whole, value, budget)],
  ['add/0', weighed((value, _args, budget) => sum(listOrValues('add', value), budget))],
  ['tonumber/0', toNumber],
  ['toboolean/0', (value) => toBoolean(value)],
  ['tostring/0', toText],
  ['tojson/0', weighed((value, _args, budget) => written(value, budget))],
  ['fromjson/0', weighed((value) => fromJson(textOf('fromjson', value)))],
  ['ascii_downcase/0', (value) => textOf('ascii_downcase', value).replace(/[A-Z]+/g, (part) => part.toLowerCase())],
  ['ascii_upcase/0', (value) => textOf('ascii_upcase', value).replace(/[a-z]+/g, (part) => part.toUpperCase())],
  ['explode/0', weighed((value) => [...textOf('explode', value)].map((char) => char.codePointAt(0) ?? 0))],
  [
    'implode/0',
    weighed((value) =>
      listOf('implode', value)
        .map((code) => String.fromCodePoint(Number(code)))
        .join(''),
    ),
  ],
  ['startswith/1', (value, [part = null]) => textOf('startswith', value).startsWith(textOf('startswith', part))],
  ['endswith/1', (value, [part = null]) => textOf('endswith', value).endsWith(textOf('endswith', part))],
  ['ltrimstr/1', (value, [part = null]) => trimmed(value, part, true, false)],
  ['rtrimstr/1', (value, [part = null]) => trimmed(value, part, false, true)],
  ['trimstr/1', (value, [part = null]) => trimmed(value, part, true, true)],
  ['trim/0', (value) => textOf('trim', value).trim()],
  ['ltrim/0', (value) => textOf('ltrim', value).trimStart()],
  ['rtrim/0', (value) => textOf('rtrim', value).trimEnd()],
  ['split/1', weighed((value, [separator = null]) => splitText(textOf('split', value), textOf('split', separator)))],
  ['join/1', weighed((value, [separator = null]) => join(listOrValues('join', value), separator))],
  ['test/1', isMatch],
  ['test/2', isMatch],
  ['index/1', (value, [part = null]) => indices(value, part).at(0) ?? null],
  ['rindex/1', (value, [part = null]) => indices(value, part).at(-1) ?? null],
  ['indices/1', weighed((value, [part = null]) => (value === null || part === null ? null : indices(value, part)))],
  ['reverse/0', weighed((value) => [...listOf('reverse', value)].reverse())],
  ['sort/0', weighed((value) => [...listOf('sort', value)].sort(compareValues))],
  ['unique/0', weighed((value) => unique([...listOf('unique', value)].sort(compareValues)))],
  ['min/0', weighed((value) => extreme(listOf('min', value), (order) => order < 0))],
  ['max/0', weighed((value) => extreme(listOf('max', value), (order) => order >= 0))],
  ['flatten/0', weighed((value, _args, budget) => flatten(listOrValues('flatten', value), Infinity, budget))],
  [
    'flatten/1',
    weighed((value, [depth = null], budget) => flatten(listOrValues('flatten', value), levels(depth), budget)),
  ],
  ['to_entries/0', weighed((value) => keys(value).map((key) => ({ key, value: indexValue(value, key) })))],
  ['from_entries/0', weighed((value) => objectOf(listOf('from_entries', value).map(entryOf)))],
  ['transpose/0', weighed((value) => transpose(listOf('transpose', value)))],
  ['setpath/2', (value, [path = null, set = null]) => setPath(value, pathFromJson(path), set)],
  ['delpaths/1', (value, [paths = null]) => deletePaths(value, paths)],
  ['floor/0', numeric(Math.floor)],
  ['ceil/0', numeric(Math.ceil)],
  ['trunc/0', numeric(Math.trunc)],
  ['sqrt/0', numeric(Math.sqrt)],
  ['fabs/0', numeric(Math.abs)],
  ['round/0', numeric((value) => Math.sign(value) * Math.round(Math.abs(value)))],
  ['log/0', numeric(Math.log)],
  ['log2/0', numeric(Math.log2)],
  ['log10/0', numeric(Math.log10)],
  ['exp/0', numeric(Math.exp)],
  [
    'abs/0',
    (value) => {
      if (typeof value === 'bigint' && value < 0n) return -value;
      return typeof value === 'number' ? Math.abs(value) : numberOf('abs', value);
    },
  ],
  [
    'pow/2',
    (_value, [base = null, exponent = null]) => Number(numberOf('pow', base)) ** Number(numberOf('pow', exponent)),
  ],
  ['infinite/0', () => Infinity],
  ['nan/0', () => NaN],
  ['isinfinite/0', (value) => !Number.isFinite(Number(numberOf('isinfinite', value))) && !Number.isNaN(value)],
  ['isnan/0', (value) => Number.isNaN(numberOf('isnan', value))],
  ['env/0', () => ({})],
  ['format/1', (value, [name = null]) => formatted(value, textOf('format', name))],
]);

export function findBuiltin(key: string): Builtin | undefined {
  return BUILTINS.get(key);
}

/** Lists are added in one go: one after the other would copy the sum each time. */
function sum(items: readonly Json[], budget: Budget): Json {
  budget.spend(items.length);
  if (items.length > 1 && items.every((item): item is JsonArray => isArray(item))) return items.flat();
  return items.reduce<Json>((total, item) => {
    if (isObject(total)) budget.spend(Object.keys(total).length >> 2);
    return add(total, item, budget);
  }, null);
}

function length(value: Json): Json {
  if (value === null) return 0;
  if (isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  if (typeof value === 'string') return [...value].length;
  if (typeof value === 'bigint') return value < 0n ? -value : value;
  if (typeof value === 'number') return Math.abs(value);
  throw new JqError(`length cannot be applied to: ${formatValue(value)}`);
}

function keys(value: Json): (string | number)[] {
  if (isArray(value)) return [...value.keys()];
  if (isObject(value)) return sortedKeys(value);
  throw new JqError(`keys cannot be applied to: ${formatValue(value)}`);
}

function has(value: Json, key: Json): boolean {
  if (value === null) return false;
  if (isArray(value) && isNumber(key)) return Number(key) >= 0 && Number(key) < value.length;
  if (isObject(value) && typeof key === 'string') return own(value, key) !== undefined;
  throw new JqError(`has(${toJson(key)}) cannot be applied to: ${formatValue(value)}`);
}

function contains(whole: Json, part: Json, budget: Budget): boolean {
  budget.spend();
  if (isArray(whole) && isArray(part))
    return part.every((item) =>
      whole.some((other) => typeName(other) === typeName(item) && contains(other, item, budget)),
    );
  if (isObject(whole) && isObject(part)) {
    return Object.keys(part).every((key) => {
      const [mine, theirs] = [own(whole, key), own(part, key)];
      return (
        mine !== undefined &&
        theirs !== undefined &&
        typeName(mine) === typeName(theirs) &&
        contains(mine, theirs, budget)
      );
    });
  }
  if (typeof whole === 'string' && typeof part === 'string') return whole.includes(part);
  if (typeName(whole) === typeName(part)) return isEqual(whole, part);
  throw new JqError(`contains(${toJson(part)}) cannot be applied to: ${formatValue(whole)}`);
}

function toNumber(value: Json): Json {
  if (isNumber(value)) return value;
  const text = textOf('tonumber', value);
  if (!/^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text))
    throw new JqError(`tonumber cannot be applied to: ${formatValue(value)}`);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : Number(text);
}

function toBoolean(value: Json): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new JqError(`toboolean cannot be applied to: ${formatValue(value)}`);
}

function written(value: Json, budget: Budget): string {
  const text = toJson(value);
  budget.spend(text.length >> 4);
  return text;
}

function fromJson(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof Fault)
      throw new JqError(`fromjson cannot be applied to: ${formatValue(text)}: ${error.message}`);
    throw error;
  }
}

function trimmed(value: Json, part: Json, left: boolean, right: boolean): Json {
  if (typeof value !== 'string' || typeof part !== 'string')
    throw new JqError(`cannot be trimmed: ${formatValue(value)}`);
  const start = left && value.startsWith(part) ? value.slice(part.length) : value;
  return right && start.endsWith(part) ? start.slice(0, start.length - part.length) : start;
}

function join(list: readonly Json[], separator: Json): Json {
  if (list.length === 0) return '';
  if (typeof separator !== 'string' && separator !== null)
    throw new JqError(`join cannot be applied with: ${formatValue(separator)}`);
  return list
    .map((item) => {
      if (isArray(item) || isObject(item)) throw new JqError(`join cannot be applied to: ${formatValue(item)}`);
      return item === null ? '' : toText(item);
    })
    .join(separator ?? '');
}

function indices(value: Json, part: Json): Json[] {
  if (value === null || part === null) return [];
  if (isArray(value)) {
    const found = placesOf(value, isArray(part) ? part : [part]);
    return isArray(found) ? found : [];
  }
  const [text, piece] = [textOf('indices', value), textOf('indices', part)];
  const places: Json[] = [];
  if (piece === '') return places;
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1))
    places.push([...text.slice(0, at)].length);
  return places;
}

function unique(sorted: readonly Json[]): Json[] {
  return sorted.filter((item, at) => at === 0 || !isEqual(item, sorted[at - 1] ?? null));
}

function extreme(list: JsonArray, isBetter: (order: number) => boolean): Json {
  let best: Json | undefined;
  for (const item of list) if (best === undefined || isBetter(compareValues(item, best))) best = item;
  return best ?? null;
}

function flatten(list: readonly Json[], depth: number, budget: Budget): Json[] {
  budget.spend(list.length);
  return list.flatMap((item) => (isArray(item) && depth > 0 ? flatten(item, depth - 1, budget) : [item]));
}

function levels(depth: Json): number {
  if (!isNumber(depth) || Number(depth) < 0)
    throw new JqError(`flatten depth must not be negative: ${formatValue(depth)}`);
  return Number(depth);
}

function entryOf(entry: Json): [string, Json] {
  if (!isObject(entry)) throw new JqError(`from_entries expects objects: ${formatValue(entry)}`);
  const key =
    [entry.key, entry.Key, entry.name, entry.Name].find((name) => name !== undefined && isTruthy(name)) ?? null;
  if (typeof key !== 'string') throw new JqError(`expected a string for object key but got: ${formatValue(key)}`);
  return [key, (own(entry, 'value') === undefined ? entry.Value : entry.value) ?? null];
}

function transpose(rows: JsonArray): Json[] {
  const width = Math.max(0, ...rows.map((row) => listOf('transpose', row).length));
  return Array.from({ length: width }, (_cell, at) => rows.map((row) => (isArray(row) ? (row[at] ?? null) : null)));
}

function numeric(apply: (value: number) => number): Builtin {
  return (value) => apply(Number(numberOf('number function', value)));
}

function formatted(value: Json, name: string): string {
  if (!isFormat(`@${name}`)) throw new JqError(`${name} is not a valid format`);
  return formatText(`@${name}`, value);
}

function numberOf(name: string, value: Json): number | bigint {
  if (!isNumber(value)) throw new JqError(`${name} cannot be applied to: ${formatValue(value)}`);
  return value;
}

function textOf(name: string, value: Json): string {
  if (typeof value !== 'string') throw new JqError(`${name} cannot be applied to: ${formatValue(value)}`);
  return value;
}

function listOf(name: string, value: Json): JsonArray {
  if (!isArray(value)) throw new JqError(`${name} cannot be applied to: ${formatValue(value)}`);
  return value;
}

/** A list, or the values of an object. */
function listOrValues(name: string, value: Json): readonly Json[] {
  return isObject(value)
    ? Object.keys(value)
        .sort(compareText)
        .map((key) => own(value, key) ?? null)
    : listOf(name, value);
}
