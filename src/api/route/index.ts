/**
 * route: one API route as data: method, path, access, query, body and handler. Gives `route()`, the shapes that
 * both read a request and describe it, the router, and the OpenAPI document of a list of routes. A route
 * that does not declare the object it ends on does not compile.
 */
export { openApi, swagger } from './openapi.js';
export {
  route,
  type AuditNote,
  type Context,
  type Input,
  type Method,
  type ReadServices,
  type Route,
  type ServerState,
} from './route.js';
export { Router, type Match } from './router.js';
export { anyObject, fields, flag, integer, list, text, type Fields, type Values } from './shape.js';
