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
  optionalOf,
  param,
  type CelType,
} from '../types.js';
import { CelError, CelList, CelMap, Duration, Optional, Timestamp, Uint, kindOf, type CelValue } from '../values.js';
import { compare, equals } from '../compare.js';
import { func, type Overload } from '../overload.js';

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;
const MIN_TIME = -62135596800n * 1_000_000_000n;
const MAX_TIME = 253402300799n * 1_000_000_000n + 999_999_999n;
const T = param('T');

export function checkedInt(value: bigint): bigint {
  if (value < MIN_INT || value > MAX_INT) throw new CelError('integer overflow');
  return value;
}

export function checkedUint(value: bigint): Uint {
  if (value < 0n || value > MAX_UINT) throw new CelError('unsigned integer overflow');
  return new Uint(value);
}

function checkedDuration(nanos: bigint): Duration {
  if (nanos < MIN_INT || nanos > MAX_INT) throw new CelError('duration overflow');
  return new Duration(nanos);
}

export function checkedTimestamp(nanos: bigint): Timestamp {
  if (nanos < MIN_TIME || nanos > MAX_TIME) throw new CelError('timestamp overflow');
  return new Timestamp(nanos);
}

function arithmetic(
  operator: string,
  onInt: (a: bigint, b: bigint) => bigint,
  onDouble?: (a: number, b: number) => number,
): Overload[] {
  const name = `_${operator}_`;
  return [
    func(name, [INT, INT], INT, ([a, b]: [bigint, bigint]) => checkedInt(onInt(a, b))),
    func(name, [UINT, UINT], UINT, ([a, b]: [Uint, Uint]) => checkedUint(onInt(a.value, b.value))),
    ...(onDouble === undefined
      ? []
      : [func(name, [DOUBLE, DOUBLE], DOUBLE, ([a, b]: [number, number]) => onDouble(a, b))]),
  ];
}

function divide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new CelError('division by zero');
  return a / b;
}

function modulus(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new CelError('modulus by zero');
  return a % b;
}

const ARITHMETIC: readonly Overload[] = [
  ...arithmetic(
    '+',
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  ...arithmetic(
    '-',
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  ...arithmetic(
    '*',
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  ...arithmetic('/', divide, (a, b) => a / b),
  ...arithmetic('%', modulus),
  func('-_', [INT], INT, ([a]: [bigint]) => checkedInt(-a)),
  func('-_', [DOUBLE], DOUBLE, ([a]: [number]) => -a),
  func('!_', [BOOL], BOOL, ([a]: [boolean]) => !a),
  func('_+_', [STRING, STRING], STRING, ([a, b]: [string, string], spender) => {
    spender.spend((a.length + b.length) / 10);
    return a + b;
  }),
  func('_+_', [BYTES, BYTES], BYTES, ([a, b]: [Uint8Array, Uint8Array]) => Uint8Array.from([...a, ...b])),
  func('_+_', [listOf(T), listOf(T)], listOf(T), ([a, b]: [CelList, CelList], spender) => {
    spender.spend((a.size + b.size) / 10);
    return new CelList(a.size + b.size, (index) => (index < a.size ? a.at(index) : b.at(index - a.size)));
  }),
  func('_+_', [DURATION, DURATION], DURATION, ([a, b]: [Duration, Duration]) => checkedDuration(a.nanos + b.nanos)),
  func('_+_', [TIMESTAMP, DURATION], TIMESTAMP, ([a, b]: [Timestamp, Duration]) => checkedTimestamp(a.nanos + b.nanos)),
  func('_+_', [DURATION, TIMESTAMP], TIMESTAMP, ([a, b]: [Duration, Timestamp]) => checkedTimestamp(a.nanos + b.nanos)),
  func('_-_', [DURATION, DURATION], DURATION, ([a, b]: [Duration, Duration]) => checkedDuration(a.nanos - b.nanos)),
  func('_-_', [TIMESTAMP, DURATION], TIMESTAMP, ([a, b]: [Timestamp, Duration]) => checkedTimestamp(a.nanos - b.nanos)),
  func('_-_', [TIMESTAMP, TIMESTAMP], DURATION, ([a, b]: [Timestamp, Timestamp]) => checkedDuration(a.nanos - b.nanos)),
];

const NUMBERS: readonly CelType[] = [INT, UINT, DOUBLE];
const ORDERED: readonly (readonly [CelType, CelType])[] = [
  ...[BOOL, STRING, BYTES, TIMESTAMP, DURATION].map((type) => [type, type] as const),
  ...NUMBERS.flatMap((a) => NUMBERS.map((b) => [a, b] as const)),
];

function ordering(operator: string, holds: (order: number) => boolean): Overload[] {
  return ORDERED.map((params) =>
    func(`_${operator}_`, params, BOOL, ([a, b]: [CelValue, CelValue]) => holds(compare(a, b))),
  );
}

/** What comparing two values costs: about their size. */
function weight(value: CelValue): number {
  if (typeof value === 'string') return value.length / 10;
  if (value instanceof CelList) return value.size;
  return value instanceof CelMap ? value.size : 0;
}

const EQUALITY: readonly Overload[] = [
  func('_==_', [T, T], BOOL, ([a, b]: [CelValue, CelValue], spender) => {
    spender.spend(Math.min(weight(a), weight(b)));
    return equals(a, b);
  }),
  func('_!=_', [T, T], BOOL, ([a, b]: [CelValue, CelValue], spender) => {
    spender.spend(Math.min(weight(a), weight(b)));
    return !equals(a, b);
  }),
];

function indexOfList(list: CelList, index: CelValue): CelValue {
  const at = index instanceof Uint ? index.value : index;
  const whole = typeof at === 'number' && Number.isInteger(at) ? BigInt(at) : at;
  if (typeof whole !== 'bigint') throw new CelError(`unsupported index value ${keyName(index)} in list`);
  if (whole < 0n || whole >= BigInt(list.size)) throw new CelError(`index out of bounds: ${whole}`);
  return list.at(Number(whole));
}

function lookUp(map: CelMap, key: CelValue): CelValue {
  const value = map.get(key);
  if (value === undefined) throw new CelError(`no such key: ${keyName(key)}`);
  return value;
}

export function keyName(key: CelValue): string {
  if (key instanceof Uint) return key.value.toString();
  return typeof key === 'object' ? kindOf(key) : String(key);
}

const MEMBERSHIP: readonly Overload[] = [
  func('@in', [T, listOf(T)], BOOL, ([value, list]: [CelValue, CelList], spender) => {
    spender.spend(list.size);
    for (const item of list) if (equals(item, value)) return true;
    return false;
  }),
  func(
    '@in',
    [param('K'), mapOf(param('K'), param('V'))],
    BOOL,
    ([key, map]: [CelValue, CelMap]) => map.get(key) !== undefined,
  ),
  func('_[_]', [listOf(T), INT], T, ([list, index]: [CelList, CelValue]) => indexOfList(list, index)),
  func('_[_]', [listOf(T), DYN], T, ([list, index]: [CelList, CelValue]) => indexOfList(list, index)),
  func('_[_]', [mapOf(param('K'), param('V')), param('K')], param('V'), ([map, key]: [CelMap, CelValue]) =>
    lookUp(map, key),
  ),
  func('_[?_]', [listOf(T), INT], optionalOf(T), ([list, index]: [CelList, bigint]) =>
    index >= 0n && index < BigInt(list.size) ? new Optional(list.at(Number(index))) : Optional.none,
  ),
  func(
    '_[?_]',
    [mapOf(param('K'), param('V')), param('K')],
    optionalOf(param('V')),
    ([map, key]: [CelMap, CelValue]) => new Optional(map.get(key)),
  ),
];

export const OPERATORS: readonly Overload[] = [
  ...ARITHMETIC,
  ...EQUALITY,
  ...ordering('<', (order) => order < 0),
  ...ordering('<=', (order) => order <= 0),
  ...ordering('>', (order) => order > 0),
  ...ordering('>=', (order) => order >= 0),
  ...MEMBERSHIP,
];
