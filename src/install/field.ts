import { Fault } from '../model/faults/index.js';
import { drop, isArray, isObject, own, put, type Json, type JsonObject } from '../model/json/index.js';

/** What one value of an installation may be, what it is for, and what it is where nobody says it. */
export type Field =
  | {
      readonly type: 'text';
      readonly about: string;
      readonly value: string;
      readonly pattern: RegExp;
      readonly must: string;
    }
  | { readonly type: 'choice'; readonly about: string; readonly value: string; readonly choices: readonly string[] }
  | { readonly type: 'flag'; readonly about: string; readonly value: boolean }
  | {
      readonly type: 'count';
      readonly about: string;
      readonly value: number;
      readonly least: number;
      readonly most: number;
    }
  | { readonly type: 'texts'; readonly about: string; readonly pattern: RegExp; readonly must: string }
  | { readonly type: 'map'; readonly about: string; readonly value: JsonObject }
  | { readonly type: 'objects'; readonly about: string }
  | { readonly type: 'group'; readonly about: string; readonly fields: Fields };

export type Fields = Readonly<Record<string, Field>>;

/** The value that a field gives. */
type ValueOf<F extends Field> = F extends { readonly type: 'choice'; readonly choices: readonly (infer C)[] }
  ? C
  : F extends { readonly type: 'group'; readonly fields: infer G extends Fields }
    ? ValuesOf<G>
    : F extends { readonly type: infer T extends keyof Plain }
      ? Plain[T]
      : never;

interface Plain {
  readonly text: string;
  readonly flag: boolean;
  readonly count: number;
  readonly texts: readonly string[];
  readonly map: JsonObject;
  readonly objects: readonly JsonObject[];
}

export type ValuesOf<G extends Fields> = { readonly [K in keyof G]: ValueOf<G[K]> };

const ANYTHING = /^[^\n]*$/;

export function text(about: string, value = '', pattern = ANYTHING, must = 'be one line of text') {
  return { type: 'text', about, value, pattern, must } as const;
}

export function choice<const C extends string>(about: string, choices: readonly [C, ...C[]]) {
  return { type: 'choice', about, value: choices[0], choices } as const;
}

export function flag(about: string, value = false) {
  return { type: 'flag', about, value } as const;
}

export function count(about: string, value: number, [least, most]: readonly [number, number]) {
  return { type: 'count', about, value, least, most } as const;
}

export function texts(about: string, pattern = ANYTHING, must = 'be one line of text') {
  return { type: 'texts', about, pattern, must } as const;
}

export function map(about: string, value: JsonObject = {}) {
  return { type: 'map', about, value } as const;
}

export function objects(about: string) {
  return { type: 'objects', about } as const;
}

export function group<const G extends Fields>(about: string, fields: G) {
  return { type: 'group', about, fields } as const;
}

/** What is given over the defaults; a Fault names the value that is unknown or of another type. */
export function readFields<G extends Fields>(fields: G, given: JsonObject, at = ''): ValuesOf<G> {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(fields, name))
      throw wrong(`${at}${name}`, `is not a value of an installation; there are ${Object.keys(fields).join(', ')}`);
  const read = Object.entries(fields).map(([name, field]) => [name, readField(field, own(given, name), at + name)]);
  return Object.fromEntries(read) as ValuesOf<G>;
}

function readField(field: Field, given: Json | undefined, at: string): unknown {
  if (field.type === 'group') {
    if (given !== undefined && given !== null && !isObject(given))
      throw wrong(at, `must be an object, not ${show(given)}`);
    return readFields(field.fields, given ?? {}, `${at}.`);
  }
  if (given === undefined || given === null)
    return field.type === 'texts' || field.type === 'objects' ? [] : field.value;
  const problem = problemOf(field, given);
  if (problem !== undefined) throw wrong(at, `must ${problem}, not ${show(given)}`);
  return field.type === 'map' && isObject(given) ? mergeMaps(field.value, given) : given;
}

/** As Helm merges values: key by key, and null takes a key away. */
function mergeMaps(below: JsonObject, above: JsonObject): JsonObject {
  const merged: JsonObject = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const before = own(below, name);
    if (value === null) drop(merged, name);
    else put(merged, name, isObject(value) && isObject(before) ? mergeMaps(before, value) : value);
  }
  return merged;
}

type Value = Exclude<Field, { type: 'group' }>;
type Judge<T extends Value['type']> = (field: Extract<Value, { type: T }>, given: Json) => string | undefined;

const isOneOf = (pattern: RegExp, given: Json): boolean => typeof given === 'string' && pattern.test(given);

/** What a value must be and is not. */
const PROBLEMS: { readonly [T in Value['type']]: Judge<T> } = {
  text: ({ pattern, must }, given) => (given === '' || isOneOf(pattern, given) ? undefined : must),
  choice: ({ choices }, given) =>
    typeof given === 'string' && choices.includes(given)
      ? undefined
      : `be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1) ?? ''}`,
  flag: (_, given) => (typeof given === 'boolean' ? undefined : 'be true or false'),
  count: ({ least, most }, given) =>
    typeof given === 'number' && Number.isInteger(given) && given >= least && given <= most
      ? undefined
      : `be a whole number from ${least} to ${most}`,
  texts: ({ pattern, must }, given) =>
    isArray(given) && given.every((each) => isOneOf(pattern, each))
      ? undefined
      : `be a list, each of which must ${must}`,
  objects: (_, given) => (isArray(given) && given.every(isObject) ? undefined : 'be a list of objects'),
  map: (_, given) => (isObject(given) ? undefined : 'be an object'),
};

function problemOf<T extends Value['type']>(field: Extract<Value, { type: T }>, given: Json): string | undefined {
  return (PROBLEMS[field.type] as Judge<T>)(field, given);
}

function show(value: Json): string {
  const shown = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
  return shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
}

export function wrong(at: string, message: string): Fault {
  return new Fault('VALUE_INVALID', `${at} ${message}`, { where: at, hint: 'correct the value, or leave it away' });
}

/** The same as a JSON schema, for Helm. */
export function schemaOf(fields: Fields): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
  };
}

function fieldSchema(field: Field): JsonObject {
  const described = { description: field.about };
  switch (field.type) {
    case 'group':
      return { ...described, ...schemaOf(field.fields) };
    case 'text':
      return { ...described, type: 'string', pattern: `^$|${field.pattern.source}` };
    case 'choice':
      return { ...described, type: 'string', enum: [...field.choices] };
    case 'flag':
      return { ...described, type: 'boolean' };
    case 'count':
      return { ...described, type: 'integer', minimum: field.least, maximum: field.most };
    case 'texts':
      return { ...described, type: 'array', items: { type: 'string', pattern: field.pattern.source } };
    case 'objects':
      return { ...described, type: 'array', items: { type: 'object' } };
    case 'map':
      return { ...described, type: 'object' };
  }
}
