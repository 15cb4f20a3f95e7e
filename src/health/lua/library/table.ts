import {
  isTrue,
  typeName,
  type HostLibrary,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
  type Run,
} from '../value.js';
import { checkAny, checkFunction, checkInt, checkTable, optionalInt, optionalString } from './arguments.js';
import { INT64_MIN } from './go-int.js';
import { sortInPlace } from './go-sort.js';
import { numberToText } from './number-text.js';

/**
 * The library `table`. Positions and holes behave as in gopher-lua's tables, which have no `unpack` and `pack` here.
 */
export const TABLE: HostLibrary = {
  getn: (run, args) => [checkTable(run, args, 1).length()],
  maxn: (run, args) => [checkTable(run, args, 1).length()],
  concat: (run, args) => {
    const table = checkTable(run, args, 1);
    const separator = optionalString(run, args, 2, '');
    const from = optionalInt(run, args, 3, 1);
    const length = table.length();
    const to = optionalInt(run, args, 4, length);
    if (args.length === 3 && (from > length || from < 1)) return [''];
    return [concat(run, table, separator, Math.max(Math.min(from, length), 1), Math.min(to, length))];
  },
  insert: (run, args) => {
    const table = checkTable(run, args, 1);
    if (args.length === 1) run.fail('wrong number of arguments');
    run.chargeSteps(1);
    if (args.length === 2) table.append(args[1]);
    else table.insert(checkInt(run, args, 2), checkAny(run, args, 3));
    return [];
  },
  remove: (run, args) => {
    const table = checkTable(run, args, 1);
    if (args.length === 1) return [table.remove(-1)];
    const position = checkInt(run, args, 2);
    // One less than the smallest int64 is the largest, which is past the end of every table.
    return [position === INT64_MIN ? undefined : table.remove(position)];
  },
  sort: (run, args) => {
    const table = checkTable(run, args, 1);
    const order = args.length === 1 ? undefined : checkFunction(run, args, 2);
    sort(run, table, order);
    return [];
  },
};

/** A single number stays a number, because nothing has to be joined. */
function concat(run: Run, table: LuaTable, separator: string, from: number, to: number): string | number {
  if (from === to) {
    const only = table.getInt(from);
    if (typeof only === 'number') return only;
  }
  const pieces: string[] = [];
  let length = 0;
  for (let index = from; index <= to; index++) {
    const value = table.getInt(index);
    if (typeof value !== 'string' && typeof value !== 'number')
      run.fail(`invalid value (${typeName(value)}) at index ${index} in table for concat`);
    const piece = typeof value === 'string' ? value : numberToText(value);
    length += piece.length + separator.length;
    run.chargeSteps(1);
    run.chargeMemory(8);
    pieces.push(piece);
  }
  run.chargeString(length);
  return pieces.join(separator);
}

/**
 * Sorts the array part, holes included. The order function may be wrong or change the table; the number of places is
 * fixed before.
 */
function sort(run: Run, table: LuaTable, order: LuaFunction | undefined): void {
  const list = table.list();
  const less = (a: LuaValue, b: LuaValue): boolean => {
    run.chargeSteps(5);
    return order === undefined ? run.lessThan(a, b) : isTrue(run.call(order, [a, b])[0]);
  };
  sortInPlace(list, less);
}
