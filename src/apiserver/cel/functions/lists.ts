import { BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT, listOf, param, type CelType } from '../types.js';
import { CelError, CelList, Duration, Uint, type CelValue } from '../values.js';
import { compare, equals } from '../compare.js';
import { func, method, type Overload, type CostMeter } from '../overload.js';
import { checkedInt, checkedUint } from './operators.js';

const T = param('T');
const COMPARABLE: readonly CelType[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];

function isSorted(list: CelList): boolean {
  for (let index = 1; index < list.size; index++) if (compare(list.at(index - 1), list.at(index)) > 0) return false;
  return true;
}

function best(name: string, list: CelList, wins: (order: number) => boolean): CelValue {
  let result: CelValue | undefined;
  for (const item of list) if (result === undefined || wins(compare(item, result))) result = item;
  if (result === undefined) throw new CelError(`${name} called on empty list`);
  return result;
}

/** One signature per element type, all with the same code. */
function perType(
  name: string,
  types: readonly CelType[],
  result: (type: CelType) => CelType,
  run: (list: CelList) => CelValue,
): Overload[] {
  return types.map((type) =>
    method(name, [listOf(type)], result(type), ([list]: [CelList], spender) => {
      spender.spend(list.size);
      return run(list);
    }),
  );
}

/** At run time all signatures of sum are alike (an element's type is not checked), so one implementation serves all. */
function sum(list: CelList, empty: CelValue): CelValue {
  let total: CelValue | undefined;
  for (const item of list) total = total === undefined ? item : add(total, item);
  return total ?? empty;
}

function add(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a + b);
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a instanceof Uint && b instanceof Uint) return checkedUint(a.value + b.value);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanos + b.nanos);
  throw new CelError('no such overload');
}

function indexOf(list: CelList, item: CelValue, order: (size: number) => Iterable<number>, spender: CostMeter): bigint {
  spender.spend(list.size);
  for (const index of order(list.size)) if (equals(list.at(index), item)) return BigInt(index);
  return -1n;
}

function* forwards(size: number): Iterable<number> {
  for (let index = 0; index < size; index++) yield index;
}

function* backwards(size: number): Iterable<number> {
  for (let index = size - 1; index >= 0; index--) yield index;
}

function contains(list: CelList, item: CelValue, spender: CostMeter): boolean {
  spender.spend(list.size);
  for (const other of list) if (equals(other, item)) return true;
  return false;
}

const containsAll = (list: CelList, items: CelList, spender: CostMeter): boolean =>
  [...items].every((item) => contains(list, item, spender));

const SEARCH: readonly Overload[] = [
  ...perType('isSorted', COMPARABLE, () => BOOL, isSorted),
  ...perType(
    'min',
    COMPARABLE,
    (type) => type,
    (list) => best('min', list, (order) => order < 0),
  ),
  ...perType(
    'max',
    COMPARABLE,
    (type) => type,
    (list) => best('max', list, (order) => order > 0),
  ),
  ...perType(
    'sum',
    [INT],
    () => INT,
    (list) => sum(list, 0n),
  ),
  ...perType(
    'sum',
    [UINT],
    () => UINT,
    (list) => sum(list, new Uint(0n)),
  ),
  ...perType(
    'sum',
    [DOUBLE],
    () => DOUBLE,
    (list) => sum(list, 0),
  ),
  ...perType(
    'sum',
    [DURATION],
    () => DURATION,
    (list) => sum(list, new Duration(0n)),
  ),
  method('indexOf', [listOf(T), T], INT, ([list, item]: [CelList, CelValue], spender) =>
    indexOf(list, item, forwards, spender),
  ),
  method('lastIndexOf', [listOf(T), T], INT, ([list, item]: [CelList, CelValue], spender) =>
    indexOf(list, item, backwards, spender),
  ),
];

const SETS: readonly Overload[] = [
  func('sets.contains', [listOf(T), listOf(T)], BOOL, ([list, items]: [CelList, CelList], spender) =>
    containsAll(list, items, spender),
  ),
  func(
    'sets.equivalent',
    [listOf(T), listOf(T)],
    BOOL,
    ([a, b]: [CelList, CelList], spender) => containsAll(a, b, spender) && containsAll(b, a, spender),
  ),
  func('sets.intersects', [listOf(T), listOf(T)], BOOL, ([a, b]: [CelList, CelList], spender) =>
    [...a].some((item) => contains(b, item, spender)),
  ),
];

export const LISTS: readonly Overload[] = [...SEARCH, ...SETS];
