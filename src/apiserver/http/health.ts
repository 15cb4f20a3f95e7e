import type { ServerResponse } from 'node:http';

/** What `/version` says; kubectl and Helm compare against it. */
export const VERSION = {
  major: '1',
  minor: '34',
  emulationMajor: '1',
  emulationMinor: '34',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '33',
  gitVersion: 'v1.34.4+argosy',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'node',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};

/** Answers `/healthz`, `/livez`, `/readyz` (with `?verbose`) and `/version`; false for other paths. */
export function sendHealth(response: ServerResponse, path: string, query: URLSearchParams): boolean {
  if (path === '/version' || path === '/version/') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(VERSION, undefined, 2));
    return true;
  }
  const [, check, part] = /^\/(healthz|livez|readyz)(\/ping|\/store)?$/.exec(path) ?? [];
  if (check === undefined) return false;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('cache-control', 'no-cache, private');
  response.setHeader('x-content-type-options', 'nosniff');
  // The server listens only once its store is open, so whoever can ask gets a yes.
  response.end(query.has('verbose') && part === undefined ? `[+]ping ok\n[+]store ok\n${check} check passed\n` : 'ok');
  return true;
}
