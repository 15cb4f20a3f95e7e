/**
 * triage: CONTRACT.
 */
export { addTriage } from './command.js';
