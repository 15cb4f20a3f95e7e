import { compareText, quoteGo } from '../../../model/go/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { invalid } from '../fault.js';

/** Where a value stands, for messages as Go's encoding/json writes them. */
interface At {
  /** The struct around it, '' for none. */
  readonly struct: string;
  readonly path: string;
  readonly strict: boolean;
}

/** Reads one value the way Go decodes JSON into a type. Null leaves the default. */
export interface Decoder<T> {
  readonly fallback: T;
  /** Names of the embedded structs between the struct and this field. */
  readonly via?: string;
  decode(value: Json, at: At): T;
}

/** As Go's decoder of JSON names it. */
function jsonTypeOf(value: Json): string {
  if (isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'bool' : 'number';
}

function wrong(value: Json, at: At, type: string): Error {
  const into = at.struct === '' ? 'Go value' : `Go struct field ${at.struct}.${at.path}`;
  return invalid(`json: cannot unmarshal ${jsonTypeOf(value)} into ${into} of type ${type}`);
}

function scalarDecoder<T extends Json>(type: string, fallback: T, isOne: (value: Json) => value is T): Decoder<T> {
  return {
    fallback,
    decode(value, at) {
      if (isOne(value)) return value;
      throw wrong(value, at, type);
    },
  };
}

export const text = scalarDecoder('string', '', (value): value is string => typeof value === 'string');
export const flag = scalarDecoder<boolean>('bool', false, (value): value is boolean => typeof value === 'boolean');

/** Whole numbers of 64 bits; those that a number of JavaScript cannot hold stay as they are. */
export const int64: Decoder<number | bigint> = {
  fallback: 0,
  decode(value, at) {
    if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
    return integer('int64').decode(typeof value === 'bigint' ? Number(value) + 0.5 : value, at);
  },
};

export function integer(type: 'int' | 'int64'): Decoder<number> {
  return {
    fallback: 0,
    decode(value, at) {
      if (typeof value === 'number' && Number.isInteger(value)) return value;
      if (typeof value === 'bigint') return Number(value);
      if (typeof value === 'number')
        throw invalid(
          `json: cannot unmarshal number ${value} into Go struct field ${at.struct}.${at.path} of type ${type}`,
        );
      throw wrong(value, at, type);
    },
  };
}

export function listOf<T>(item: Decoder<T>, type: string): Decoder<readonly T[]> {
  return {
    fallback: [],
    decode(value, at) {
      if (!isArray(value)) throw wrong(value, at, `[]${type}`);
      return value.map((element) => (element === null ? item.fallback : item.decode(element, at)));
    },
  };
}

/** Texts by key. */
export const textMap: Decoder<ReadonlyMap<string, string>> = {
  fallback: new Map(),
  decode(value, at) {
    if (!isObject(value)) throw wrong(value, at, 'map[string]string');
    const entries = Object.keys(value)
      .sort(compareText)
      .map((key) => {
        const member = own(value, key) ?? null;
        return [key, member === null ? '' : text.decode(member, at)] as const;
      });
    return new Map(entries);
  },
};

export const objectMap: Decoder<JsonObject> = {
  fallback: {},
  decode(value, at) {
    if (!isObject(value)) throw wrong(value, at, 'map[string]interface {}');
    return value;
  },
};

/** A pointer in Go: undefined where nothing is given. */
export function optional<T>(decoder: Decoder<T>): Decoder<T | undefined> {
  return { ...decoder, fallback: undefined };
}

type Fields = Readonly<Record<string, Decoder<unknown>>>;
export type Decoded<D> = D extends Decoder<infer T> ? T : never;
type StructOf<F extends Fields> = { readonly [K in keyof F]: Decoded<F[K]> };

/**
 * A struct with its fields by their JSON names. Names are found as Go finds them: exactly, or without regard to case.
 */
export function struct<F extends Fields>(name: string, fields: F): Decoder<StructOf<F>> {
  const folded = new Map(Object.keys(fields).map((field) => [field.toLowerCase(), field]));
  const fallback = Object.fromEntries(
    Object.entries(fields).map(([field, decoder]) => [field, decoder.fallback]),
  ) as StructOf<F>;
  return {
    fallback,
    decode(value, at) {
      if (!isObject(value)) throw wrong(value, at, `types.${name}`);
      const result: Record<string, unknown> = { ...fallback };
      for (const key of Object.keys(value).sort(compareText)) {
        const field = Object.hasOwn(fields, key) ? key : folded.get(key.toLowerCase());
        const decoder = field === undefined ? undefined : fields[field];
        if (field === undefined || decoder === undefined) {
          if (at.strict) throw invalid(`json: unknown field ${quoteGo(key)}`);
          continue;
        }
        const member = own(value, key) ?? null;
        if (member !== null)
          result[field] = decoder.decode(member, { struct: name, path: pathOf(at, decoder, field), strict: at.strict });
      }
      return result as StructOf<F>;
    },
  };
}

function pathOf(at: At, { via }: Decoder<unknown>, field: string): string {
  return [at.path, via, field].filter((part) => part !== undefined && part !== '').join('.');
}

/** Fields of an embedded struct. */
export function embedded<F extends Fields>(via: string, fields: F): F {
  return Object.fromEntries(
    Object.entries(fields).map(([name, decoder]) => {
      const deeper = decoder.via === undefined ? via : `${via}.${decoder.via}`;
      return [name, { ...decoder, via: deeper }];
    }),
  ) as unknown as F;
}

/** Decodes a whole value; `strict` refuses fields that the type does not have. */
export function decodeWhole<T>(decoder: Decoder<T>, value: Json, strict: boolean): T {
  return value === null ? decoder.fallback : decoder.decode(value, { struct: '', path: '', strict });
}
