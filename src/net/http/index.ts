/**
 * The one HTTP/1.1 client of the product: TLS material, a proxy, time limits and a byte limit for each response. It
 * follows no redirect and retries nothing; what a status means is up to the caller. The one reader of HTTPS_PROXY,
 * HTTP_PROXY and NO_PROXY.
 */
export {
  HttpClient,
  REDIRECTS,
  ResponseTooLarge,
  joinHeaders,
  readBody,
  requestOnce,
  splitUrl,
  type ClientTls,
  type HttpRequest,
  type HttpResponse,
  type WholeResponse,
} from './http-client.js';
export { errorCode } from './error-code.js';
export { isProxyExempt, proxyFromEnvironment } from './proxy.js';
