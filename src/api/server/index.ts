/**
 * server: the HTTP server of the API. Takes the route table, access and the services of `control`; gives a running
 * server. Every request is authenticated, read, authorized and handled in this order, and every error becomes
 * `{error, message, code}`.
 */
export { openServerState } from './server-state.js';
export type { HttpTimeouts } from './options.js';
export { serveHttp } from './serve-http.js';
