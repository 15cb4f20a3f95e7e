import { Fault } from '../../model/faults/index.js';
import { own, put, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import { parseDuration as readDuration } from '../../model/formats/index.js';
import { DYN, typeText, type CelType, type ObjectType } from './types.js';

/** A value while an expression runs. int is bigint, double is number; what JSON has no form for is a class. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | CelList
  | CelMap
  | Optional
  | TypeValue
  | Opaque;

export class Uint {
  constructor(readonly value: bigint) {}
}

/** Nanoseconds since 1970, UTC. */
export class Timestamp {
  constructor(readonly nanos: bigint) {}
}

export class Duration {
  constructor(readonly nanos: bigint) {}
}

export class Optional {
  static readonly none = new Optional(undefined);
  constructor(readonly value: CelValue | undefined) {}
}

export class TypeValue {
  constructor(readonly name: string) {}
}

/** A Kubernetes value with methods (Quantity, URL, IP, ...); equal when name and key are. */
export class Opaque {
  constructor(
    readonly type: string,
    readonly key: string,
    readonly content: object,
  ) {}
}

/** A list; elements of JSON data become CEL values only when they are read. */
export class CelList {
  /** How two lists of this kind compare: in order, or as a set or map of a schema (x-kubernetes-list-type). */
  readonly keys: readonly string[] | 'set' | undefined;

  constructor(
    readonly size: number,
    readonly at: (index: number) => CelValue,
    keys?: readonly string[] | 'set',
  ) {
    this.keys = keys;
  }

  static of(items: readonly CelValue[]): CelList {
    return new CelList(items.length, (index) => items[index] ?? null);
  }

  *[Symbol.iterator](): Iterator<CelValue> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }
}

/** A map or an object of a schema. Keys of data are strings; only literals have others. */
export abstract class CelMap {
  abstract readonly size: number;
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): CelValue[];
}

class LiteralMap extends CelMap {
  constructor(readonly entries: ReadonlyMap<string, readonly [CelValue, CelValue]>) {
    super();
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    return this.entries.get(mapKey(key))?.[1];
  }

  keys(): CelValue[] {
    return [...this.entries.values()].map(([key]) => key);
  }
}

/** A map from entries, or the first key that is there twice. */
export function mapFrom(entries: readonly (readonly [CelValue, CelValue])[]): CelMap {
  return new LiteralMap(new Map(entries.map((entry) => [mapKey(entry[0]), entry])));
}

/** Numbers of equal value are the same key, whatever their type. */
export function mapKey(key: CelValue): string {
  if (typeof key === 'string') return `s${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === 'number' || typeof key === 'bigint') return `n${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  throw new CelError('unsupported key type');
}

class JsonMap extends CelMap {
  constructor(
    readonly json: JsonObject,
    readonly value: CelType,
  ) {
    super();
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  get(key: CelValue): CelValue | undefined {
    const json = typeof key === 'string' ? own(this.json, key) : undefined;
    return json === undefined ? undefined : fromJson(json, this.value);
  }

  keys(): CelValue[] {
    return Object.keys(this.json);
  }
}

/** An object of a schema: only its declared fields can be read, under their escaped names. */
class SchemaObject extends CelMap {
  constructor(
    readonly json: JsonObject,
    readonly type: ObjectType,
  ) {
    super();
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: CelValue): CelValue | undefined {
    const field = typeof key === 'string' ? this.type.fields.get(key) : undefined;
    const json = field === undefined ? undefined : own(this.json, field.property);
    return field === undefined || json === undefined ? undefined : fromJson(json, field.type);
  }

  keys(): CelValue[] {
    return [...this.type.fields]
      .filter(([, field]) => own(this.json, field.property) !== undefined)
      .map(([name]) => name);
  }
}

/** A failure while an expression runs; `&&` and `||` may absorb it, as the language says. */
export class CelError extends Error {
  constructor(
    message: string,
    readonly fatal = false,
  ) {
    super(message);
    this.name = 'CelError';
  }
}

export const noSuchOverload = (): CelError => new CelError('no such overload');

/** JSON data as a CEL value of a declared type. Without one, whole numbers are int and others double. */
export function fromJson(json: Json, type: CelType = DYN): CelValue {
  if (json === null) return null;
  if (typeof json === 'string') return fromText(json, type);
  if (typeof json === 'boolean') return json;
  if (typeof json === 'bigint') return type.kind === 'double' ? Number(json) : json;
  if (typeof json === 'number') {
    if (type.kind === 'double') return json;
    return Number.isSafeInteger(json) ? BigInt(json) : json;
  }
  if (Array.isArray(json)) return listFromJson(json, type);
  if (type.kind === 'object') return new SchemaObject(json, type);
  return new JsonMap(json, type.kind === 'map' ? type.value : DYN);
}

function listFromJson(json: JsonArray, type: CelType): CelList {
  const of = type.kind === 'list' ? type.of : DYN;
  const keys = type.kind === 'list' ? listKeys(type) : undefined;
  return new CelList(json.length, (index) => fromJson(json[index] ?? null, of), keys);
}

const KEYS = new WeakMap<CelType, readonly string[] | 'set'>();

/** Marks a list type of a schema as set or map, so that equality ignores order as Kubernetes does. */
export function markListKeys(type: CelType, keys: readonly string[] | 'set'): CelType {
  KEYS.set(type, keys);
  return type;
}

const listKeys = (type: CelType): readonly string[] | 'set' | undefined => KEYS.get(type);

function fromText(text: string, type: CelType): CelValue {
  switch (type.kind) {
    case 'bytes':
      return Uint8Array.from(Buffer.from(text, 'base64'));
    case 'timestamp':
      return parseTimestamp(text.length === 10 ? `${text}T00:00:00Z` : text) ?? text;
    case 'duration':
      return parseDuration(text) ?? text;
    default:
      return text;
  }
}

/** The JSON form of a result, or undefined where it has none. */
export function toJson(value: CelValue): Json | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof Uint) return toJson(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Optional) return value.value === undefined ? undefined : toJson(value.value);
  if (value instanceof CelList) return [...value].map((item) => toJson(item) ?? null);
  if (value instanceof CelMap) {
    const object: JsonObject = {};
    for (const key of value.keys()) put(object, keyText(value, key), toJson(value.get(key) ?? null) ?? null);
    return object;
  }
  return value instanceof TypeValue ? value.name : value.key;
}

function keyText(map: CelMap, key: CelValue): string {
  if (map instanceof SchemaObject && typeof key === 'string') return map.type.fields.get(key)?.property ?? key;
  if (key instanceof Uint) return key.value.toString();
  return typeof key === 'object' ? kindOf(key) : String(key);
}

/** A name of a runtime type, as type() gives it and messages show it. */
export function kindOf(value: CelValue): string {
  if (value === null) return 'null_type';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      break;
  }
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof CelList) return 'list';
  if (value instanceof CelMap) return value instanceof SchemaObject ? typeText(value.type) : 'map';
  if (value instanceof Optional) return 'optional_type';
  return value instanceof TypeValue ? 'type' : value.type;
}

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|z|[+-]\d\d:\d\d)$/;

/** RFC 3339 text, to the nanosecond. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', fraction = '', zone = ''] = match;
  const base = Date.UTC(0, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const date = new Date(base);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (
    date.getUTCDate() !== Number(day) ||
    date.getUTCMonth() !== Number(month) - 1 ||
    Number(hour) > 23 ||
    Number(minute) > 59 ||
    Number(second) > 59
  )
    return undefined;
  const offset = /^[zZ]$/.test(zone)
    ? 0
    : (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  const millis = date.getTime() - offset * 60_000;
  return new Timestamp(BigInt(millis) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')));
}

export function timestampText({ nanos }: Timestamp): string {
  const rest = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = new Date(Number((nanos - rest) / 1_000_000n)).toISOString().slice(0, 19);
  const fraction =
    rest === 0n
      ? ''
      : `.${rest
          .toString()
          .padStart(9, '0')
          .replace(/(?<!0)0+$/, '')}`;
  return `${seconds}${fraction}Z`;
}

/** Go's duration text: `1h30m`, `1.5s`, `-2ms`. */
export function parseDuration(text: string): Duration | undefined {
  try {
    return new Duration(readDuration(text));
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Seconds with as many decimals as needed, as CEL's string(duration) prints. */
export function durationText({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = (size % 1_000_000_000n)
    .toString()
    .padStart(9, '0')
    .replace(/(?<!0)0+$/, '');
  return `${nanos < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}s`;
}
