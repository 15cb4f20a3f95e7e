/**
 * rpc: Argo CD's gRPC services, over HTTP/2 and as gRPC-Web over HTTP/1.1. Takes calls; gives each as the request of
 * the route that it is, by a table that is derived from Argo CD's own types, and sends the route's answer as messages.
 * Decides nothing: the route, its access and its handler are those of REST.
 */
export { isNativeCall, isWebCall, nativeCall, webCall, type RpcCall } from './call.js';
export { readCall, sendCall } from './exchange.js';
export { RpcMethods } from './methods.js';
export { OK, statusOf, timeoutOf } from './status.js';
