import { LuaFunction, type HostFunction, type LuaTable, type Run } from '../value.js';
import { checkTable } from './arguments.js';
import { toInt } from './go-int.js';

/** getfenv and setfenv: the table in which a function finds its globals. */

const CANNOT = 'cannot change the environment of given object';

export function environmentOf(run: Run, fn: LuaFunction | undefined): LuaTable {
  return (fn?.host === undefined ? fn?.env : undefined) ?? run.globals();
}

export const getfenv: HostFunction = (run, args) => {
  const which = args.length === 0 ? 1 : args[0];
  if (which instanceof LuaFunction) return [environmentOf(run, which)];
  if (typeof which !== 'number') return [run.globals()];
  const level = toInt(which);
  return [environmentOf(run, level <= 0 ? undefined : run.callerFunction(level))];
};

export const setfenv: HostFunction = (run, args) => {
  const which = args.length === 0 ? 1 : args[0];
  const environment = checkTable(run, args, 2);
  const level = typeof which === 'number' ? toInt(which) : 0;
  // Level 0 is the environment of the whole thread, which nothing but load would see.
  const fn = which instanceof LuaFunction ? which : level > 0 ? run.callerFunction(level) : undefined;
  if (fn === undefined || fn.host !== undefined) return run.fail(CANNOT);
  fn.env = environment;
  return [fn];
};
