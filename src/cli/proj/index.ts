/**
 * proj: CONTRACT.
 */
export { addProj } from './command.js';
