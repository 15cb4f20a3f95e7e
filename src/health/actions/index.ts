/**
 * actions: what a user can do with an object, by the catalogue or an administrator's Lua. Takes an object and
 * parameters; gives the available actions, or the objects that an action creates and patches. Never writes to a
 * cluster.
 */
export { createActions, type Actions, type ActionsOptions } from './create-actions.js';
export { actByScript, discoverByScript } from './lua-action.js';
