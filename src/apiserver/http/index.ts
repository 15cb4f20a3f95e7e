/**
 * http: CONTRACT.
 */
export { reviewHandlers } from './access-reviews.js';
export { objectBody } from './body.js';
export { Documents } from './documents/documents.js';
export { requestHandler } from './handler.js';
export { Metrics } from './metrics.js';
export { namespaceHandlers } from './namespace-finalize.js';
export { isTrue } from './request-info.js';
export type { SpecialCall, SpecialHandlers, SpecialResponse } from './special-handlers.js';
