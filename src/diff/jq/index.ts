/**
 * jq: jq expressions of ignore rules, compiled once and evaluated within a step budget. Takes an expression and an
 * object; gives the paths that `del(...)` would remove. Never runs anything but the expression.
 */
export { setPath } from './cell.js';
export { compileJq, type JqProgram } from './program.js';
