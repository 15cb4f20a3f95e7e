/**
 * lua: CONTRACT.
 */
export type { LuaOptions } from './budget.js';
export { compileLua } from './compile-lua.js';
export { LuaError } from './lua-error.js';
export { runHealthScript } from './run-health-script.js';
export { runLua } from './run-lua.js';
export { toJson } from './to-json.js';
export { LuaTable, typeName } from './value.js';
