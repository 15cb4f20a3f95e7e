import { Fault } from '../faults/index.js';
import { compareText, formatGoNumber, quoteGo } from '../go/index.js';
import { isArray, isObject, own, type Json, type JsonObject, parseJson } from '../json/index.js';

/** One step from a value to a part of it, as managedFields names it. Key fields are sorted by name. */
export type PathElement =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly fields: readonly (readonly [name: string, value: Json])[] }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'index'; readonly index: number };

export type FieldPath = readonly PathElement[];

export function fieldElement(name: string): PathElement {
  return { kind: 'field', name };
}

/** The list-map key of an item: any order in, sorted out. */
export function keyElement(fields: readonly (readonly [name: string, value: Json])[]): PathElement {
  return { kind: 'key', fields: fields.length < 2 ? fields : [...fields].sort(([a], [b]) => compareText(a, b)) };
}

/**
 * The key under which FieldsV1 stores an element: `f:name`, `k:{"name":"x"}`, `v:1`, `i:0`. Equal elements have equal
 * text.
 */
export function elementText(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `f:${element.name}`;
    case 'key':
      return `k:{${keyText(element.fields)}}`;
    case 'value':
      return `v:${valueText(element.value)}`;
    case 'index':
      return `i:${element.index}`;
    default:
      return element satisfies never;
  }
}

function keyText(fields: Fields): string {
  let text = '';
  for (const [name, value] of fields) text += `${text === '' ? '' : ','}${quoteName(name)}:${valueText(value)}`;
  return text;
}

function quoteName(name: string): string {
  return PLAIN.test(name) ? `"${name}"` : JSON.stringify(name);
}

/** Reads one FieldsV1 key. A kind that is not known gives undefined, because a newer server may have written it. */
export function parseElement(text: string): PathElement | undefined {
  if (text.startsWith('f:')) return { kind: 'field', name: text.slice(2) };
  if (text.length < 2) throw invalid(text, 'key must be 2 characters long:');
  if (text[1] !== ':') throw invalid(text, `missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case 'k':
      return keyElement(keyFields(text, rest));
    case 'v':
      return { kind: 'value', value: parsePart(text, rest) };
    case 'i':
      if (!/^[+-]?\d{1,15}$/.test(rest)) throw invalid(text, `strconv.Atoi: parsing ${quoteGo(rest)}: invalid syntax`);
      return { kind: 'index', index: Number(rest) };
    default:
      return undefined;
  }
}

function keyFields(text: string, rest: string): [string, Json][] {
  const object = parsePart(text, rest);
  if (!isObject(object)) throw invalid(text, 'a key must be an object');
  return Object.keys(object).map((name) => [name, own(object, name) ?? null]);
}

function parsePart(text: string, rest: string): Json {
  try {
    return parseJson(rest);
  } catch (cause) {
    throw invalid(text, 'not JSON', cause);
  }
}

function invalid(text: string, reason: string, cause?: unknown): Fault {
  return new Fault('VALUE_INVALID', `parsing key as path element: ${reason}`, { where: text, cause });
}

/** An element as messages show it: `.image`, `[name="x"]`, `[="v"]`, `[0]`. */
function formatElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `.${element.name}`;
    case 'key':
      return `[${element.fields.map(([name, value]) => `${name}=${formatValue(value)}`).join(',')}]`;
    case 'value':
      return `[=${formatValue(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
    default:
      return element satisfies never;
  }
}

/** A path as conflict messages show it: `.spec.containers[name="x"].image`. */
export function pathText(path: FieldPath): string {
  return path.map(formatElement).join('');
}

function formatValue(value: Json): string {
  if (typeof value === 'string') return quoteGo(value);
  if (typeof value === 'number' || typeof value === 'bigint') return formatGoNumber(value);
  if (isArray(value)) return `[${value.map(formatValue).join(',')}]`;
  if (isObject(value))
    return sortedKeys(value)
      .map((key) => `${key}=${formatValue(own(value, key) ?? null)}`)
      .join('');
  return String(value);
}

const KIND_ORDER = { field: 0, key: 1, value: 2, index: 3 } as const;

/** The order in which FieldsV1 lists elements: fields, keys, values, indexes; each sorted. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a.kind === 'field' && b.kind === 'field') return compareText(a.name, b.name);
  if (a.kind === 'key' && b.kind === 'key') return compareFields(a.fields, b.fields);
  if (a.kind === 'value' && b.kind === 'value') return compareValues(a.value, b.value);
  if (a.kind === 'index' && b.kind === 'index') return a.index - b.index;
  return KIND_ORDER[a.kind] - KIND_ORDER[b.kind];
}

type Fields = readonly (readonly [name: string, value: Json])[];

function compareFields(a: Fields, b: Fields): number {
  for (const [i, [name, value]] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers, strings, booleans, lists, maps, null: in this order. */
function rank(value: Json): number {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (isArray(value)) return 3;
  return value === null ? 5 : 4;
}

function compareValues(a: Json, b: Json): number {
  const order = rank(a) - rank(b);
  if (order !== 0) return order;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (isArray(a) && isArray(b)) return compareLists(a, b);
  if (isObject(a) && isObject(b)) return compareFields(entriesOf(a), entriesOf(b));
  if (a === null || b === null || typeof a === 'object' || typeof b === 'object') return 0;
  return a < b ? -1 : Number(a > b);
}

function compareLists(a: readonly Json[], b: readonly Json[]): number {
  for (const [i, item] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    const order = compareValues(item, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function sortedKeys(object: JsonObject): string[] {
  return Object.keys(object).sort(compareText);
}

function entriesOf(object: JsonObject): [string, Json][] {
  return sortedKeys(object).map((key) => [key, own(object, key) ?? null]);
}

const HTML = /[<>&\u2028\u2029]/g;
const PLAIN = /^[\w ./:-]*$/;

/** JSON text as Go writes it: sorted keys, and < > & escaped inside strings. */
function valueText(value: Json): string {
  if (typeof value === 'string') {
    if (PLAIN.test(value)) return `"${value}"`;
    return JSON.stringify(value).replace(HTML, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  }
  if (typeof value === 'bigint') return value.toString();
  if (isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (isObject(value))
    return `{${entriesOf(value)
      .map(([key, item]) => `${JSON.stringify(key)}:${valueText(item)}`)
      .join(',')}}`;
  return JSON.stringify(value);
}
