/**
 * completion: CONTRACT.
 */
export { COMPLETE, addCompletion, printCompletions } from './command.js';
