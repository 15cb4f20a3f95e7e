import { ARGO_CD_VERSION } from '../../model/argo/index.js';
import { EVERY_APPLICATION } from '../access/index.js';
import { json } from '../http/index.js';
import { openApi, swagger, route, type Route } from '../route/index.js';

const TAG = 'server';

/** Version, probes, metrics and the API documents, which are generated from the route table. */
export const SERVER_ROUTES: readonly Route[] = [
  route('GET', '/api/version', {
    summary: 'The version of Argo CD that this API is that of, and of this server.',
    tag: TAG,
    access: 'anonymous',
    handle: ({ server }) =>
      json({
        // Clients decide by it what they may ask.
        Version: `${ARGO_CD_VERSION}+argosy`,
        ExtraBuildInfo: `Argosy v${server.version}`,
        Platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
      }),
  }),
  route('GET', '/healthz', {
    summary: 'Whether this process lives.',
    tag: TAG,
    access: 'anonymous',
    handle: () => ({ kind: 'bytes', bytes: 'ok', type: 'text/plain; charset=utf-8' }),
  }),
  route('GET', '/readyz', {
    summary: 'Whether this process can work: it fails while the API server cannot be reached or its store be written.',
    tag: TAG,
    access: 'anonymous',
    handle: async ({ services }) => {
      const problem = await services.readiness.problem();
      const type = 'text/plain; charset=utf-8';
      if (problem === '') return { kind: 'bytes', bytes: 'ok', type };
      return { kind: 'bytes', bytes: `not ready: ${problem}\n`, type, status: 503 };
    },
  }),
  route('GET', '/metrics', {
    summary: "Prometheus metrics, with Argo CD's names.",
    tag: TAG,
    access: { kind: EVERY_APPLICATION, action: 'get', describe: () => undefined },
    handle: ({ services, server }) => ({
      kind: 'bytes',
      bytes: `${services.metricsText()}${server.loopDelay.text()}`,
      type: 'text/plain; version=0.0.4',
    }),
  }),
  route('GET', '/api/openapi.json', {
    summary: 'This document.',
    tag: TAG,
    access: 'anonymous',
    handle: ({ server }) => json(openApi(server.routes, server.version)),
  }),
  route('GET', '/swagger.json', {
    summary: 'This document as Swagger 2.',
    tag: TAG,
    access: 'anonymous',
    handle: ({ server }) => json(swagger(server.routes, server.version)),
  }),
];
