/**
 * repo: CONTRACT.
 */
export { addRepo } from './command.js';
