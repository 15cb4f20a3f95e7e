/**
 * secrets: CONTRACT.
 */
export { addSecrets } from './command.js';
