import { GoScalar, type GoValue } from '../../template/value/go-value.js';
import { GoNamedInt } from '../time/go-time.js';
import { parseFloat64, parseInt64 } from './parse-number.js';

/** Any value as a number, as the cast library does it: what has no number is 0. */

const PLAIN_INTEGERS: ReadonlySet<string> = new Set([
  'int',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'time.Month',
  'time.Weekday',
]);

export function toInt64(value: GoValue): bigint {
  switch (typeof value) {
    case 'bigint':
      return value;
    case 'boolean':
      return value ? 1n : 0n;
    case 'number':
      return intOfFloat(value);
    case 'string':
      return intOfText(value);
    default:
      return value instanceof GoScalar ? intOfScalar(value) : (namedInt(value) ?? 0n);
  }
}

/** Months and weekdays count; lengths of time do not. */
function namedInt(value: GoValue): bigint | undefined {
  return value instanceof GoNamedInt && PLAIN_INTEGERS.has(value.type.name) ? value.value : undefined;
}

function intOfScalar({ type, value }: GoScalar): bigint {
  if (typeof value === 'bigint') return PLAIN_INTEGERS.has(type.name) ? BigInt.asIntN(64, value) : 0n;
  if (type.name === 'json.Number' && typeof value === 'string') return intOfText(value);
  return type.name === 'float32' && typeof value === 'number' ? intOfFloat(value) : 0n;
}

/** Go on amd64 makes the smallest int64 of every float that does not fit. */
export function intOfFloat(value: number): bigint {
  const whole = Math.trunc(value);
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? BigInt(whole) : -(2n ** 63n);
}

/** `12.00` counts as 12; anything else behind a point is no integer. */
function intOfText(text: string): bigint {
  const { value, problem } = parseInt64(text.replace(/^(.*?)\.0+$/s, '$1'), 0);
  return problem === undefined ? value : 0n;
}

export function toFloat64(value: GoValue): number {
  switch (typeof value) {
    case 'bigint':
      return Number(value);
    case 'boolean':
      return value ? 1 : 0;
    case 'number':
      return value;
    case 'string':
      return parseFloat64(value) ?? 0;
    default:
      return value instanceof GoScalar ? floatOfScalar(value) : Number(namedInt(value) ?? 0n);
  }
}

function floatOfScalar({ type, value }: GoScalar): number {
  if (typeof value === 'bigint') return PLAIN_INTEGERS.has(type.name) ? Number(value) : 0;
  if (type.name === 'json.Number' && typeof value === 'string') return parseFloat64(value) ?? 0;
  return type.name === 'float32' && typeof value === 'number' ? value : 0;
}
