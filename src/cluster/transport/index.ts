/**
 * transport: HTTP to one API server: TLS, HTTP/2, credentials that renew themselves, retries of safe requests and size
 * limits. Gives JSON, streams or a ClusterError with the server's Status; no answer is CLUSTER_UNREACHABLE. Never sends
 * credentials to another host.
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
