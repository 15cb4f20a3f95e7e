/**
 * lua: Lua 5.1 as gopher-lua runs it, compiled to closures. Takes a script and its globals; gives its result, or an
 * error that names the line. Steps, memory, time and depth are limited; a script cannot reach the host.
 */
export type { LuaOptions } from './budget.js';
export { compileLua } from './compile-lua.js';
export { LuaError } from './lua-error.js';
export { runHealthScript } from './run-health-script.js';
export { runLua } from './run-lua.js';
export { toJson } from './to-json.js';
export { LuaTable, typeName } from './value.js';
