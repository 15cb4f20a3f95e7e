/**
 * http: the HTTP face of the server: reads requests and bodies (JSON, YAML, protobuf), negotiates the format of the
 * response, routes to the REST verbs, serves discovery, OpenAPI, metrics, watches and upgrades. Every failure becomes a
 * Status; an unexpected one is reported to the log, and its details never reach the client.
 */
export { reviewHandlers } from './access-reviews.js';
export { objectBody } from './body.js';
export { Documents } from './documents/documents.js';
export { requestHandler } from './handler.js';
export { Metrics } from './metrics.js';
export { namespaceHandlers } from './namespace-finalize.js';
export { isTrue } from './request-info.js';
export type { SpecialCall, SpecialHandlers, SpecialResponse } from './special-handlers.js';
