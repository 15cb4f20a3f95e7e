import { LuaFunction, NOTHING, type HostFunction, type LuaTable, type Run } from '../value.js';
import { checkTable } from './arguments.js';
import { toInt } from './go-int.js';

/** getfenv and setfenv: the table in which a function finds its globals. */

const CANNOT = 'cannot change the environment of given object';

export function environmentOf(run: Run, fn: LuaFunction | undefined): LuaTable {
  return (fn?.host === undefined ? fn?.env : undefined) ?? run.globals();
}

/** What setfenv(0, …) gave a run or one of its coroutines: the environment of what is loaded from then on. */
const ofThreads = new WeakMap<object, LuaTable>();

export function threadEnvironment(run: Run): LuaTable {
  return (run.running === undefined ? undefined : ofThreads.get(run.running)) ?? ofThreads.get(run) ?? run.globals();
}

export const getfenv: HostFunction = (run, args) => {
  const which = args.length === 0 ? 1 : args[0];
  if (which instanceof LuaFunction) return [environmentOf(run, which)];
  if (typeof which !== 'number') return [run.globals()];
  const level = toInt(which);
  return [level <= 0 ? threadEnvironment(run) : environmentOf(run, run.callerFunction(level))];
};

export const setfenv: HostFunction = (run, args) => {
  const which = args.length === 0 ? 1 : args[0];
  const environment = checkTable(run, args, 2);
  const level = typeof which === 'number' ? toInt(which) : undefined;
  if (level !== undefined && level <= 0) {
    ofThreads.set(run.running ?? run, environment);
    return NOTHING;
  }
  const caller = level === undefined ? undefined : run.callerFunction(level);
  const fn = which instanceof LuaFunction ? which : caller;
  if (fn === undefined || fn.host !== undefined) return run.fail(CANNOT);
  fn.env = environment;
  return [fn];
};
