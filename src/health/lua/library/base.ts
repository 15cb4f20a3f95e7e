import { toText } from '../text.js';
import {
  hostFunction,
  isTrue,
  LuaFunction,
  LuaTable,
  LuaUserdata,
  typeName,
  type HostFunction,
  type HostLibrary,
  type LuaValue,
  type LuaValues,
  type ProtectedResult,
  type Run,
} from '../value.js';
import {
  checkAny,
  checkFunction,
  checkInt,
  checkString,
  checkTable,
  checkTypes,
  optionalInt,
  optionalString,
} from './arguments.js';
import { getfenv, setfenv, threadEnvironment } from './environment.js';
import { toInt } from './go-int.js';
import { numberToText, textToNumberInBase } from './number-text.js';
import { moduleFunction, requireFunction } from './package.js';

const nextIndex = hostFunction((run, args) => {
  const table = checkTable(run, args, 1);
  const index = checkInt(run, args, 2) + 1;
  const value = table.getInt(index);
  return value === undefined ? [] : [index, value];
});

const nextPair = hostFunction((run, args) => checkTable(run, args, 1).next(args[1]) ?? []);

const load: HostFunction = (run, args) => {
  const reader = checkFunction(run, args, 1);
  const name = optionalString(run, args, 2, '?');
  const pieces: string[] = [];
  for (;;) {
    const piece = run.call(reader, [])[0];
    if (piece === undefined || piece === '') break;
    if (typeof piece !== 'string' && typeof piece !== 'number')
      return [undefined, 'reader function must return a string'];
    run.chargeMemory(16);
    pieces.push(typeof piece === 'string' ? piece : numberToText(piece));
  }
  run.chargeString(pieces.reduce((sum, piece) => sum + piece.length, 0));
  return compile(run, pieces.join(''), name);
};

function compile(run: Run, source: string, name: string): LuaValues {
  const chunk = run.load(source, name);
  if (!(chunk instanceof LuaFunction)) return [undefined, chunk.message];
  chunk.env = threadEnvironment(run);
  return [chunk];
}

const pcall: HostFunction = (run, args) => {
  const callee = checkAny(run, args, 1);
  if (!(callee instanceof LuaFunction) && !(run.metafield(callee, '__call') instanceof LuaFunction)) {
    return [false, `attempt to call a ${typeName(callee)} value`];
  }
  return protectedValues(run.protectedCall(callee, args.slice(1)));
};

/** The function is called without arguments, whatever follows the handler. */
const xpcall: HostFunction = (run, args) => {
  const callee = checkFunction(run, args, 1);
  const handler = checkFunction(run, args, 2);
  return protectedValues(run.protectedCall(callee, [], handler));
};

function protectedValues(result: ProtectedResult): LuaValues {
  return result.ok ? [true, ...result.values] : [false, result.error];
}

const print: HostFunction = (run, args) => {
  const line = args.map((value) => run.text(run.toStringMeta(value))).join('\t');
  run.chargeString(line.length);
  run.print(toText(line));
  return [];
};

const rawset: HostFunction = (run, args) => {
  const table = checkTable(run, args, 1);
  const key = checkAny(run, args, 2);
  const value = checkAny(run, args, 3);
  if (Number.isNaN(key)) run.fail('table index is NaN');
  if (key === undefined) run.fail('table index is nil');
  table.set(key, value);
  return [];
};

const select: HostFunction = (run, args) => {
  checkTypes(run, args, 1, ['number', 'string']);
  const which = args[0];
  if (typeof which !== 'number') {
    if (which !== '#') run.argumentError(1, `invalid string '${String(which)}'`);
    return [args.length - 1];
  }
  const index = toInt(which);
  const from = index < 0 ? args.length + index : Math.min(index, args.length);
  if (from < 1) run.argumentError(1, 'index out of range');
  run.chargeSteps((args.length - from) >> 4);
  return args.slice(from);
};

/** On anything but tables and userdata this sets the metatable of the whole type. */
export function assignMetatable(run: Run, object: LuaValue, metatable: LuaValue): void {
  if (metatable !== undefined && !(metatable instanceof LuaTable))
    run.fail(`metatable must be a table or nil, but got ${typeName(metatable)}`);
  if (object instanceof LuaTable || object instanceof LuaUserdata) object.metatable = metatable;
  else run.setTypeMetatable(typeName(object), metatable);
}

/** What a script sees of a metatable: its field `__metatable` if it has one. */
export function visibleMetatable(run: Run, object: LuaValue): LuaValue {
  const metatable = run.metatable(object);
  return metatable?.getString('__metatable') ?? metatable;
}

const setmetatable: HostFunction = (run, args) => {
  checkTypes(run, args, 2, ['nil', 'table']);
  const object = args[0];
  if (object === undefined) run.fail('cannot set metatable to a nil object.');
  if (run.metatable(object)?.getString('__metatable') !== undefined) run.fail('cannot change a protected metatable');
  assignMetatable(run, object, args[1]);
  return [object];
};

const tonumber: HostFunction = (run, args) => {
  const base = args[1] === undefined ? undefined : checkInt(run, args, 2);
  const value = checkAny(run, args, 1);
  if (typeof value === 'string') return [textToNumberInBase(value, base)];
  return [typeof value === 'number' ? value : undefined];
};

const unpack: HostFunction = (run, args) => {
  const table = checkTable(run, args, 1);
  const from = optionalInt(run, args, 2, 1);
  const to = optionalInt(run, args, 3, table.length());
  const count = to - from + 1;
  if (count <= 0) return [];
  run.chargeMemory(16 * count);
  run.chargeSteps(count >> 2);
  return Array.from({ length: count }, (_, i) => table.getInt(from + i));
};

const newproxy: HostFunction = (run, args) => {
  run.chargeMemory(64);
  const proxy = new LuaUserdata();
  const [pattern] = args;
  if (pattern === true) proxy.metatable = run.newTable();
  else if (pattern instanceof LuaUserdata) assignMetatable(run, proxy, visibleMetatable(run, pattern));
  return [proxy];
};

/** The functions that are global. */
export const BASE: HostLibrary = {
  assert: (run, args) => (isTrue(args[0]) ? args : run.fail(optionalString(run, args, 2, 'assertion failed!'))),
  collectgarbage: () => [],
  dofile: (run) => run.fail('dofile is not available: scripts have no access to files'),
  error: (run, args) => {
    const value = checkAny(run, args, 1);
    const level = optionalInt(run, args, 2, 1);
    return typeof value === 'string' ? run.fail(value, level) : run.throwValue(value);
  },
  getfenv,
  getmetatable: (run, args) => [visibleMetatable(run, checkAny(run, args, 1))],
  ipairs: (run, args) => [nextIndex, checkTable(run, args, 1), 0],
  load,
  loadfile: (run, args) => [
    undefined,
    `can not open file: ${args.length === 0 ? '<stdin>' : checkString(run, args, 1)}`,
  ],
  loadstring: (run, args) => compile(run, checkString(run, args, 1), optionalString(run, args, 2, '<string>')),
  module: moduleFunction,
  newproxy,
  next: (run, args) => checkTable(run, args, 1).next(args[1]) ?? [undefined],
  pairs: (run, args) => [nextPair, checkTable(run, args, 1), undefined],
  pcall,
  print,
  rawequal: (run, args) => [checkAny(run, args, 1) === checkAny(run, args, 2)],
  rawget: (run, args) => [checkTable(run, args, 1).get(checkAny(run, args, 2))],
  rawset,
  require: requireFunction,
  select,
  setfenv,
  setmetatable,
  tonumber,
  tostring: (run, args) => [run.toStringMeta(checkAny(run, args, 1))],
  type: (run, args) => [typeName(checkAny(run, args, 1))],
  unpack,
  xpcall,
  _printregs: () => [],
};
