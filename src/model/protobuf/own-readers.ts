import { Fault } from '../faults/index.js';
import { formatDuration, formatMicroTime, formatTime } from '../formats/index.js';
import { parseJson, type Json, type JsonObject } from '../json/index.js';
import { WIRE, WireError, type Wire } from './wire.js';

type OwnReader = (wire: Wire, schema: (wire: Wire) => JsonObject) => Json;

/** 0001-01-01 and the last second of 9999, between which a time can be written as JSON. */
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

/** The types that write their JSON themselves, by the end of their OpenAPI name. */
export const OWN_READERS: Readonly<Record<string, OwnReader>> = {
  'resource.Quantity': (wire) => fields(wire, 'Quantity', [1]).text(1) ?? '0',
  'v1.Time': (wire) => readTime(wire, false),
  'v1.MicroTime': (wire) => readTime(wire, true),
  'v1.Duration': (wire) => formatDuration(BigInt(fields(wire, 'Duration', []).number(1))),
  'intstr.IntOrString': readIntOrString,
  'runtime.RawExtension': (wire) => readJson(fields(wire, 'RawExtension', [1]).text(1)),
  'v1.FieldsV1': (wire) => readJson(fields(wire, 'FieldsV1', [1]).text(1)),
  'v1.JSON': (wire) => readJson(fields(wire, 'JSON', [1]).text(1)),
  'v1.JSONSchemaPropsOrBool': (wire, schema) => {
    const read = fields(wire, 'JSONSchemaPropsOrBool', [2]);
    const props = read.messages.get(2)?.at(-1);
    return props === undefined ? read.number(1) !== 0 : schema(props);
  },
  'v1.JSONSchemaPropsOrArray': (wire, schema) => {
    const read = fields(wire, 'JSONSchemaPropsOrArray', [1, 2]);
    const list = read.messages.get(2) ?? [];
    const props = read.messages.get(1)?.at(-1);
    if (list.length > 0) return list.map(schema);
    return props === undefined ? null : schema(props);
  },
  'v1.JSONSchemaPropsOrStringArray': (wire, schema) => {
    const read = fields(wire, 'JSONSchemaPropsOrStringArray', [1, 2]);
    const list = read.messages.get(2) ?? [];
    const props = read.messages.get(1)?.at(-1);
    if (list.length > 0) return list.map((text) => text.rest().toString());
    return props === undefined ? null : schema(props);
  },
};

/** No bytes at all are the zero time, which JSON writes as null. */
function readTime(wire: Wire, micro: boolean): Json {
  if (wire.done) return null;
  const read = fields(wire, 'Timestamp', []);
  const seconds = read.number(1);
  // Go adds a nanosecond count that is not in its range to the seconds.
  const nanos = micro ? Number(BigInt.asIntN(32, BigInt(read.number(2)))) : 0;
  const carry = Math.floor(nanos / 1e9);
  const instant = { seconds: Number(seconds) + carry, nanoseconds: nanos - carry * 1e9 };
  if (instant.seconds < FIRST_SECOND || instant.seconds > LAST_SECOND)
    throw new WireError(`Time: ${seconds} seconds since 1970 are outside the years 1 to 9999`);
  return micro ? formatMicroTime(instant) : formatTime(instant);
}

function readIntOrString(wire: Wire): Json {
  const read = fields(wire, 'IntOrString', [3]);
  const type = read.number(1);
  if (type === 0) return Number(BigInt.asIntN(32, BigInt(read.number(2))));
  if (type === 1) return read.text(3) ?? '';
  throw new WireError('impossible IntOrString.Type');
}

function readJson(text: string | undefined): Json {
  if (text === undefined || text === '') return null;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof Fault) throw new WireError(error.message);
    throw error;
  }
}

interface Fields {
  /** Numbers that were not given are 0. */
  number(field: number): number | bigint;
  text(field: number): string | undefined;
  readonly messages: ReadonlyMap<number, readonly Wire[]>;
}

/**
 * The fields of a small message: those in `lengths` have a length, 1 to 3 otherwise are integers, others are skipped.
 */
function fields(wire: Wire, name: string, lengths: readonly number[]): Fields {
  const numbers = new Map<number, number | bigint>();
  const messages = new Map<number, Wire[]>();
  while (!wire.done) {
    const { field, type } = wire.tag(name);
    if (field > 3) {
      wire.skip(type);
    } else if (lengths.includes(field)) {
      if (type !== WIRE.bytes) throw new WireError(`proto: wrong wireType = ${type} for field ${field} of ${name}`);
      const list = messages.get(field) ?? [];
      list.push(wire.nested());
      messages.set(field, list);
    } else if (type === WIRE.varint) {
      numbers.set(field, wire.int64());
    } else {
      wire.skip(type);
    }
  }
  return {
    messages,
    number: (field) => numbers.get(field) ?? 0,
    text: (field) => messages.get(field)?.at(-1)?.rest().toString(),
  };
}
