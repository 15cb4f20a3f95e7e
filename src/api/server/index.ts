/**
 * server: CONTRACT.
 */
export { serveHttp, type HttpTimeouts } from './serve-http.js';
