/**
 * api: the HTTP server. REST and streams as Argo CD has them, explanations of applications, and the web page.
 * Takes the services of `control`; gives a running server. One table of routes holds what is served, what a request
 * contains and who may send it; the router, the OpenAPI document and the tests read the same table. Every error is
 * `{error, message, code}`. Nothing is kept here that matters.
 */
export { startApi, type ApiOptions, type RunningApi } from './start-api.js';
