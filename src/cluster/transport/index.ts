/**
 * transport: CONTRACT.
 */
export { ClusterError, errorOfStatus, type StatusCause, unreachable } from './cluster-error.js';
export { Credentials } from './credentials.js';
export type { RawResponse } from './raw-request.js';
export {
  ResponseTooLarge,
  RestClient,
  isJson,
  retryAfterOf,
  type ApiRequest,
  type RequestLimits,
} from './rest-client.js';
export { Transport } from './transport.js';
