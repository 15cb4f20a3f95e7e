import {
  LuaCoroutine,
  LuaFunction,
  LuaTable,
  typeName,
  type HostFunction,
  type HostLibrary,
  type Run,
} from '../value.js';
import { checkAny, checkTypes, optionalInt, optionalString } from './arguments.js';
import { assignMetatable, visibleMetatable } from './base.js';
import { environmentOf } from './environment.js';
import { toInt } from './go-int.js';

/** The library `debug`, as far as it can be had without looking into running functions. */

function refuse(name: string): HostFunction {
  return (run) => run.fail(`debug.${name} is not available: scripts cannot look into running functions`);
}

function whatOf({ body }: LuaFunction, isCalled: boolean): 'G' | 'main' | 'Lua' {
  if (body === undefined) return 'G';
  return body.line === 0 && isCalled ? 'main' : 'Lua';
}

function infoTable(run: Run, fn: LuaFunction, isCalled: boolean): LuaTable {
  const table = run.newTable();
  const { body } = fn;
  table.setString('what', whatOf(fn, isCalled));
  table.setString('source', body?.source ?? '');
  table.setString('currentline', -1);
  table.setString('nups', fn.cells.length);
  table.setString('linedefined', body?.line ?? 0);
  table.setString('func', fn);
  return table;
}

const getinfo: HostFunction = (run, args) => {
  checkTypes(run, args, 1, ['function', 'number']);
  const what = optionalString(run, args, 2, 'Slunf');
  const which = args[0];
  const isLevel = typeof which === 'number';
  const fn = which instanceof LuaFunction ? which : run.callerFunction(toInt(Number(which)));
  if (fn === undefined || /[^Slunf]/.test(what)) return [undefined];
  return [infoTable(run, fn, isLevel)];
};

/** gopher-lua lists the calls that lead here; there is one line for them all. */
const traceback: HostFunction = (run, args) => {
  optionalInt(run, args, 2, 1);
  const [message] = args;
  const trace = 'stack traceback:\n\t[G]: ?';
  if (typeof message !== 'string' || message === '') return [trace];
  run.chargeString(message.length + trace.length);
  return [`${message}\n${trace}`];
};

const setfenv: HostFunction = (run, args) => {
  const object = checkAny(run, args, 1);
  const environment = checkAny(run, args, 2);
  if (!(environment instanceof LuaTable)) return run.fail(`cannot use ${typeName(environment)} as an environment`);
  // Functions of the libraries are shared by all runs and have no globals of their own.
  if (object instanceof LuaFunction && object.host === undefined) object.env = environment;
  return [];
};

export const DEBUG: HostLibrary = {
  getfenv: (run, args) => {
    const object = checkAny(run, args, 1);
    if (object instanceof LuaFunction) return [environmentOf(run, object)];
    return [object instanceof LuaCoroutine ? run.globals() : undefined];
  },
  getinfo,
  getlocal: refuse('getlocal'),
  getmetatable: (run, args) => [visibleMetatable(run, checkAny(run, args, 1))],
  getupvalue: refuse('getupvalue'),
  setfenv,
  setlocal: refuse('setlocal'),
  setmetatable: (run, args) => {
    checkTypes(run, args, 2, ['nil', 'table']);
    assignMetatable(run, args[0], args[1]);
    return [args[0]];
  },
  setupvalue: refuse('setupvalue'),
  traceback,
};
