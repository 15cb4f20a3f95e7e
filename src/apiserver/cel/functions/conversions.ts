import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  UINT,
  listOf,
  mapOf,
  param,
  typeOf,
} from '../types.js';
import {
  CelError,
  CelList,
  CelMap,
  Duration,
  Timestamp,
  TypeValue,
  Uint,
  durationText,
  kindOf,
  parseDuration,
  parseTimestamp,
  timestampText,
  type CelValue,
} from '../values.js';
import { func, method, type Overload } from '../overload.js';
import { doubleText } from './format-text.js';
import { checkedInt, checkedTimestamp, checkedUint } from './operators.js';

const T = param('T');
const wrong = (from: string, to: string): CelError => new CelError(`type conversion error from '${from}' to '${to}'`);

function whole(value: number, limit: (value: bigint) => CelValue, overflow: string): CelValue {
  if (!Number.isFinite(value)) throw new CelError(overflow);
  return limit(BigInt(Math.trunc(value)));
}

function parseWhole(text: string, to: string): bigint {
  if (!/^[-+]?\d+$/.test(text)) throw wrong('string', to);
  return BigInt(text.replace(/^\+/, ''));
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

function parseDouble(text: string): number {
  const known = new Map([
    ['inf', Infinity],
    ['+inf', Infinity],
    ['infinity', Infinity],
    ['-inf', -Infinity],
    ['-infinity', -Infinity],
    ['nan', NaN],
  ]).get(text.toLowerCase());
  if (known !== undefined) return known;
  if (!/^[-+]?(\d+(?:\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(text)) throw wrong('string', 'double');
  return Number(text);
}

/** The number of characters, not of UTF-16 units. */
function textSize(text: string): number {
  let size = 0;
  for (const char of text) size += char.length > 0 ? 1 : 0;
  return size;
}

const TO_NUMBER: readonly Overload[] = [
  func('int', [INT], INT, ([value]: [bigint]) => value),
  func('int', [UINT], INT, ([value]: [Uint]) => checkedInt(value.value)),
  func('int', [DOUBLE], INT, ([value]: [number]) => whole(value, checkedInt, 'integer overflow')),
  func('int', [STRING], INT, ([text]: [string]) => checkedInt(parseWhole(text, 'int'))),
  func(
    'int',
    [TIMESTAMP],
    INT,
    ([time]: [Timestamp]) => time.nanos / 1_000_000_000n - (time.nanos % 1_000_000_000n < 0n ? 1n : 0n),
  ),
  func('int', [DURATION], INT, ([duration]: [Duration]) => duration.nanos),
  func('uint', [UINT], UINT, ([value]: [Uint]) => value),
  func('uint', [INT], UINT, ([value]: [bigint]) => checkedUint(value)),
  func('uint', [DOUBLE], UINT, ([value]: [number]) => whole(value, checkedUint, 'unsigned integer overflow')),
  func('uint', [STRING], UINT, ([text]: [string]) => checkedUint(parseWhole(text, 'uint'))),
  func('double', [DOUBLE], DOUBLE, ([value]: [number]) => value),
  func('double', [INT], DOUBLE, ([value]: [bigint]) => Number(value)),
  func('double', [UINT], DOUBLE, ([value]: [Uint]) => Number(value.value)),
  func('double', [STRING], DOUBLE, ([text]: [string]) => parseDouble(text)),
];

const TO_TEXT: readonly Overload[] = [
  func('string', [STRING], STRING, ([text]: [string]) => text),
  func('string', [BOOL], STRING, ([value]: [boolean]) => String(value)),
  func('string', [INT], STRING, ([value]: [bigint]) => value.toString()),
  func('string', [UINT], STRING, ([value]: [Uint]) => value.value.toString()),
  func('string', [DOUBLE], STRING, ([value]: [number]) => doubleText(value)),
  func('string', [TIMESTAMP], STRING, ([time]: [Timestamp]) => timestampText(time)),
  func('string', [DURATION], STRING, ([duration]: [Duration]) => durationText(duration)),
  func('string', [BYTES], STRING, ([bytes]: [Uint8Array], spender) => {
    spender.spend(bytes.length / 10);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
    }
  }),
  func('bytes', [BYTES], BYTES, ([bytes]: [Uint8Array]) => bytes),
  func('bytes', [STRING], BYTES, ([text]: [string], spender) => {
    spender.spend(text.length / 10);
    return new TextEncoder().encode(text);
  }),
];

const OTHER: readonly Overload[] = [
  func('dyn', [T], DYN, ([value]: [CelValue]) => value),
  func('type', [T], typeOf(T), ([value]: [CelValue]) => new TypeValue(kindOf(value))),
  func('bool', [BOOL], BOOL, ([value]: [boolean]) => value),
  func('bool', [STRING], BOOL, ([text]: [string]) => {
    const value = BOOLEANS.get(text);
    if (value === undefined) throw wrong('string', 'bool');
    return value;
  }),
  func('timestamp', [TIMESTAMP], TIMESTAMP, ([time]: [Timestamp]) => time),
  func('timestamp', [INT], TIMESTAMP, ([seconds]: [bigint]) => checkedTimestamp(seconds * 1_000_000_000n)),
  func('timestamp', [STRING], TIMESTAMP, ([text]: [string]) => {
    const time = parseTimestamp(text);
    if (time === undefined) throw wrong('string', 'google.protobuf.Timestamp');
    return time;
  }),
  func('duration', [DURATION], DURATION, ([duration]: [Duration]) => duration),
  func('duration', [INT], DURATION, ([nanos]: [bigint]) => new Duration(nanos)),
  func('duration', [STRING], DURATION, ([text]: [string]) => {
    const duration = parseDuration(text);
    if (duration === undefined) throw wrong('string', 'google.protobuf.Duration');
    return duration;
  }),
];

const SIZES: readonly Overload[] = [func, method].flatMap((define) => [
  define('size', [STRING], INT, ([text]: [string], spender) => {
    spender.spend(text.length / 10);
    return BigInt(textSize(text));
  }),
  define('size', [BYTES], INT, ([bytes]: [Uint8Array]) => BigInt(bytes.length)),
  define('size', [listOf(T)], INT, ([list]: [CelList]) => BigInt(list.size)),
  define('size', [mapOf(param('K'), param('V'))], INT, ([map]: [CelMap]) => BigInt(map.size)),
]);

export const CONVERSIONS: readonly Overload[] = [...TO_NUMBER, ...TO_TEXT, ...OTHER, ...SIZES];
