import type { Json } from '../../model/json/index.js';
import type { LuaOptions } from './budget.js';
import type { LuaProgram } from './program.js';
import type { LuaValues } from './value.js';

/** Runs a program; the script finds `globals` under their names. Gives what it returns, or throws a LuaError. */
export function runLua(
  program: LuaProgram,
  globals: Readonly<Record<string, Json | undefined>>,
  options: LuaOptions,
): LuaValues {
  return program.run(globals, options);
}
