import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { ApiError } from '../http/index.js';

/**
 * What a value must be. One shape both reads a request and describes it in the OpenAPI document, so the two cannot
 * differ.
 * Reading follows Go's JSON as Argo CD's gateway has it: null is absent, unknown fields are ignored, a wrong type
 * is an error that names the field.
 */
export interface Shape<T> {
  /** For the OpenAPI document. */
  readonly schema: JsonObject;
  /** Of a JSON body. */
  read(value: Json, where: string): T;
  /** Of a query; the values of one name, in order. */
  readTexts(values: readonly string[], where: string): T;
}

/** Whatever a route takes; what it gives is known to the route itself. */
export type Fields = Readonly<Record<string, Shape<unknown>>>;
/** What a client may leave out is undefined. */
export type Values<F extends Fields> = {
  readonly [K in keyof F]: (F[K] extends Shape<infer T> ? T : never) | undefined;
};

const MAX_TEXT_LENGTH = 1_000_000;
const MAX_ITEMS = 100_000;

export function invalidArgument(where: string, expected: string): ApiError {
  return new ApiError('InvalidArgument', `${where}: ${expected}`);
}

export function text(
  description = '',
  options: { readonly choices?: readonly string[]; readonly maxLength?: number } = {},
): Shape<string> {
  const { choices, maxLength = MAX_TEXT_LENGTH } = options;
  const check = (value: string, where: string): string => {
    if (value.length > maxLength) throw invalidArgument(where, `longer than ${maxLength} characters`);
    if (choices !== undefined && !choices.includes(value))
      throw invalidArgument(
        where,
        `"${value.slice(0, 100)}" is none of ${choices.filter((choice) => choice !== '').join(', ')}`,
      );
    return value;
  };
  return {
    schema: described({ type: 'string', ...(choices === undefined ? {} : { enum: [...choices] }) }, description),
    read: (value, where) => (typeof value === 'string' ? check(value, where) : fail(where, 'a text', value)),
    readTexts: (values, where) => check(values.at(-1) ?? '', where),
  };
}

export function flag(description = ''): Shape<boolean> {
  return {
    schema: described({ type: 'boolean' }, description),
    read: (value, where) => (typeof value === 'boolean' ? value : fail(where, 'true or false', value)),
    readTexts: (values, where) => {
      const word = values.at(-1) ?? '';
      if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(word)) return true;
      if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(word)) return false;
      throw invalidArgument(where, `"${word.slice(0, 100)}" is neither true nor false`);
    },
  };
}

export function integer(
  description = '',
  options: { readonly min?: number; readonly max?: number } = {},
): Shape<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
  const check = (value: number, where: string): number => {
    if (!Number.isInteger(value) || value < min || value > max)
      throw invalidArgument(where, `not a whole number from ${min} to ${max}`);
    return value;
  };
  return {
    schema: described({ type: 'integer', format: 'int64' }, description),
    // Clients of a gateway with 64-bit numbers send them as text too.
    read: (value, where) => {
      if (typeof value === 'number') return check(value, where);
      if (typeof value === 'string' && /^-?\d{1,16}$/.test(value)) return check(Number(value), where);
      return fail(where, 'a whole number', value);
    },
    readTexts: (values, where) => {
      const word = values.at(-1) ?? '';
      return check(/^-?\d{1,16}$/.test(word) ? Number(word) : NaN, where);
    },
  };
}

export function list<T>(items: Shape<T>, description = ''): Shape<readonly T[]> {
  const check = <V>(values: readonly V[], where: string): readonly V[] => {
    if (values.length > MAX_ITEMS) throw invalidArgument(where, `more than ${MAX_ITEMS} items`);
    return values;
  };
  return {
    schema: described({ type: 'array', items: items.schema }, description),
    read: (value, where) =>
      isArray(value)
        ? check(value, where).map((item, index) => items.read(item, `${where}[${index}]`))
        : fail(where, 'a list', value),
    readTexts: (values, where) => check(values, where).map((value) => items.readTexts([value], where)),
  };
}

/** An object with these fields; others are ignored. */
export function fields<F extends Fields>(known: F, description = ''): Shape<Values<F>> {
  return {
    schema: described(
      {
        type: 'object',
        properties: Object.fromEntries(Object.entries(known).map(([name, shape]) => [name, shape.schema])),
      },
      description,
    ),
    read: (value, where) => (isObject(value) ? readFields(known, value, where) : fail(where, 'an object', value)),
    readTexts: (_, where) => {
      throw invalidArgument(where, 'cannot be given in a query');
    },
  };
}

function readFields<F extends Fields>(known: F, value: JsonObject, where: string): Values<F> {
  const read = Object.entries(known).flatMap(([name, shape]) => {
    const given = own(value, name);
    return given === undefined || given === null
      ? []
      : [[name, shape.read(given, where === '' ? name : `${where}.${name}`)] as const];
  });
  return Object.fromEntries(read) as Values<F>;
}

/** Any object, such as an Application; the handler validates it. */
export function anyObject(description = ''): Shape<JsonObject> {
  return {
    schema: described({ type: 'object' }, description),
    read: (value, where) => (isObject(value) ? value : fail(where, 'an object', value)),
    readTexts: (_, where) => {
      throw invalidArgument(where, 'cannot be given in a query');
    },
  };
}

function described(schema: JsonObject, description: string): JsonObject {
  return description === '' ? schema : { ...schema, description: description };
}

function fail(where: string, expected: string, value: Json): never {
  throw invalidArgument(where === '' ? 'body' : where, `${describe(value)} instead of ${expected}`);
}

function describe(value: Json): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return `${typeof value === 'string' ? 'the text' : 'the value'} ${JSON.stringify(String(value).slice(0, 100))}`;
}
