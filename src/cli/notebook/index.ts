/**
 * notebook: CONTRACT.
 */
export { addNotebook } from './command.js';
