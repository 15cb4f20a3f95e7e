/**
 * render: CONTRACT.
 */
export { addRender } from './command.js';
export { addValues } from './values-command.js';
