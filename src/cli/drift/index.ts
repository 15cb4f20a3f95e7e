/**
 * drift: CONTRACT.
 */
export { addDrift } from './command.js';
