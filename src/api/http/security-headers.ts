import type { ServerResponse } from 'node:http';

/** The page loads nothing from elsewhere, runs no script that is not a file of ours, and is in nobody's frame. */
const PAGE_POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'", "connect-src 'self'", "manifest-src 'self'",
  "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
].join('; ');
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

export function setSecurityHeaders(response: ServerResponse, isPage: boolean): void {
  response.setHeader('content-security-policy', isPage ? PAGE_POLICY : DATA_POLICY);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('x-frame-options', 'DENY');
  response.setHeader('referrer-policy', 'same-origin');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
}
