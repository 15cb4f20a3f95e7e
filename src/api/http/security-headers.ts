import type { ServerResponse } from 'node:http';

/** The page loads nothing from elsewhere, runs no script that is not a file of ours, and is in nobody's frame. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');
/** Argo CD's page styles elements by itself, edits in workers, and shows pictures that links name. */
const ARGO_CD_PAGE_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob: https:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** For every answer, whatever it is about. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': DATA_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const POLICIES = { data: DATA_POLICY, page: PAGE_POLICY, 'Argo CD page': ARGO_CD_PAGE_POLICY } as const;

export function setSecurityHeaders(response: ServerResponse, what: keyof typeof POLICIES): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  response.setHeader('content-security-policy', POLICIES[what]);
}
