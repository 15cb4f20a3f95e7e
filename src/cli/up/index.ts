/**
 * up: CONTRACT.
 */
export { addApiserver, addUp } from './command.js';
