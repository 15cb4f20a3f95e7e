import type { ServerResponse } from 'node:http';
import type { Fault } from '../../model/faults/index.js';
import type { Store } from '../store/index.js';

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
export function sendHealth(
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
  store: Pick<Store, 'failure' | 'checkWritable'>,
): boolean {
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
  const isVerbose = query.has('verbose') && part === undefined;
  const send = (failure: Fault | undefined): void => {
    response.statusCode = failure === undefined ? 200 : 500;
    const store = failure === undefined ? '[+]store ok' : `[-]store failed: ${failure.message}`;
    if (failure === undefined && !isVerbose) response.end('ok');
    else response.end(`[+]ping ok\n${store}\n${check} check ${failure === undefined ? 'passed' : 'failed'}\n`);
  };
  // The server listens only once its store is open; while it cannot write, it lives and reads, and is not ready.
  if (check !== 'readyz' || part === '/ping' || store.failure === undefined) send(undefined);
  else void store.checkWritable().then(send);
  return true;
}
