/**
 * actions: CONTRACT.
 */
export { createActions, type Actions, type ActionsOptions } from './create-actions.js';
export { actByScript, discoverByScript } from './lua-action.js';
