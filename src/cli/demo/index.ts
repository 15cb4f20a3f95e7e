/**
 * demo: CONTRACT.
 */
export { addDemo } from './command.js';
