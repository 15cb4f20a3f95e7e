import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, put, type Json } from '../../model/json/index.js';

const LARGE = /\d{19}|[eE]\+?\d{3}/;

/**
 * Numbers as Go's objects hold them: whole ones beyond 64 bits are floats, what is no float is refused. `text` is what
 * the value was read from.
 */
export function goNumbers(value: Json, text: string): Json {
  return LARGE.test(text) ? converted(value) : value;
}

function converted(value: Json): Json {
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
  if (typeof value === 'bigint' || typeof value === 'number') return finite(Number(value));
  if (isArray(value)) return value.map(converted);
  if (isObject(value)) for (const key of Object.keys(value)) put(value, key, converted(own(value, key) ?? null));
  return value;
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new Fault('JSON_INVALID', 'a number is larger than any that JSON is read to');
}
