/**
 * route: CONTRACT.
 */
export { openApi, swagger } from './openapi.js';
export { route, type Context, type Input, type Route, type ServerState } from './route.js';
export { Router, type Match } from './router.js';
export { anyObject, fields, flag, integer, list, text, type Fields, type Values } from './shape.js';
