/**
 * jq: CONTRACT.
 */
export { setPath } from './cell.js';
export { compileJq, type JqProgram } from './program.js';
