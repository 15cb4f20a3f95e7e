/**
 * serve: CONTRACT.
 */
export { addServe, apiOptions, type ApiFlags, withApiFlags } from './command.js';
