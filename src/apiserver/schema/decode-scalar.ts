import { Fault } from '../../model/faults/index.js';
import { canonicalQuantity, type Schema } from '../../model/kubernetes/index.js';
import { formatMicroTime, formatTime, isZeroTime, parseMicroTime, parseTime } from '../../model/formats/index.js';
import type { Json } from '../../model/json/index.js';
import { DecodeError, WrongTypeError, jsonKind } from './decode-error.js';

const INT32_MAX = 2 ** 31 - 1;
const INT64_MAX = 2n ** 63n - 1n;

/** A string, number or boolean as its Go type takes it. Throws WrongType. */
export function readScalar(value: Json, schema: Schema): Json {
  switch (schema.type) {
    case 'string':
      if (typeof value === 'string') return value;
      break;
    case 'boolean':
      if (typeof value === 'boolean') return value;
      break;
    case 'integer':
      if (typeof value === 'number' || typeof value === 'bigint')
        return readInteger(value, schema.format === 'int32', schema.go?.type ?? '');
      break;
    case 'number':
      if (typeof value === 'number') return value;
      if (typeof value === 'bigint') return Number(value);
      break;
    default:
  }
  throw new WrongTypeError(jsonKind(value), schema.go?.type ?? '');
}

function readInteger(value: number | bigint, short: boolean, goType: string): number | bigint {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value) && (!short || (value <= INT32_MAX && value >= -INT32_MAX - 1))) return value;
  } else if (!short && value <= INT64_MAX && value >= -INT64_MAX - 1n) {
    return value;
  }
  throw new WrongTypeError(`number ${value}`, goType);
}

export function readIntOrString(value: Json): Json {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return readInteger(value, true, 'int32');
  throw new WrongTypeError(jsonKind(value), 'int32');
}

/** Anything that is neither text nor number fails with the sentence about the form, as it does in Go. */
export function readQuantity(value: Json): string {
  return withGoMessage(() =>
    canonicalQuantity(
      typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? value : jsonKind(value),
    ),
  );
}

/** The zero time reads as null. */
export function readTime(value: Json, micro: boolean): string | null {
  if (typeof value !== 'string') throw new WrongTypeError(jsonKind(value), 'string');
  return withGoMessage(() => {
    const instant = micro ? parseMicroTime(value) : parseTime(value);
    if (isZeroTime(instant)) return null;
    return micro ? formatMicroTime(instant) : formatTime(instant);
  });
}

/** Faults of the model carry Go's sentence. */
function withGoMessage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Fault) throw new DecodeError(error.message);
    throw error;
  }
}
