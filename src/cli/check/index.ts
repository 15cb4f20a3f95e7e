/**
 * check: CONTRACT.
 */
export { addCheck } from './command.js';
