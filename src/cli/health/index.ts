/**
 * health: CONTRACT.
 */
export { addHealth } from './command.js';
