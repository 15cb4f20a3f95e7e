/**
 * app: CONTRACT.
 */
export { addApp, spellSwitches } from './command.js';
export { formatApplications } from './list.js';
