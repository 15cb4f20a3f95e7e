/**
 * login: CONTRACT.
 */
export { addLogin } from './command.js';
export { addVersion } from './version-command.js';
