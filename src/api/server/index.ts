/**
 * server: CONTRACT.
 */
export { openServerState } from './server-state.js';
export { serveHttp, type HttpTimeouts } from './serve-http.js';
