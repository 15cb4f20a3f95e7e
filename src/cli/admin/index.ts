/**
 * admin: CONTRACT.
 */
export { addAdmin } from './command.js';
export { settingsOf } from './settings.js';
