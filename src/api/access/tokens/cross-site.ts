import type { IncomingHttpHeaders } from 'node:http';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Why a request with the cookie of a session is not taken: a browser adds the cookie whoever wrote the page. Browsers
 * say where a request comes from, in `sec-fetch-site` or `origin`; what says nothing is no page of ours. Undefined
 * where all is well. `hosts` are names of this server beside the one that the request gives.
 */
export function crossSiteViolation(
  method: string,
  headers: IncomingHttpHeaders,
  hosts: readonly string[],
): string | undefined {
  if (SAFE_METHODS.includes(method)) return undefined;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? undefined : 'a page of another origin sent this request';
  const origin = headers.origin;
  if (origin === undefined)
    return (
      'a write request with a cookie needs an Origin header; programs send their token in ' +
      'the header Authorization: Bearer'
    );
  const host = hostOf(origin);
  return host !== undefined && [headers.host ?? '', ...hosts].some((each) => each.toLowerCase() === host)
    ? undefined
    : 'a page of another origin sent this request';
}

function hostOf(origin: string): string | undefined {
  try {
    const url = new URL(origin);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.host : undefined;
  } catch {
    // `null`, which pages without an origin send, is nobody's host.
    return undefined;
  }
}
