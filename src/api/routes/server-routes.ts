import { json } from '../http/index.js';
import { openApi, swagger, route, type Route } from '../route/index.js';
import type { Services } from './shared/services.js';

const TAG = 'server';

/** What a server tells about itself. Documents are made of the table when the first one asks. */
export function serverRoutes({ version, loopDelay }: Services, table: () => readonly Route[]): Route[] {
  return [
    route('GET', '/api/version', {
      summary: 'The version of this server.',
      tag: TAG,
      access: 'anonymous',
      handle: () =>
        json({
          Version: `v${version}+argosy`,
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
      summary: 'Whether this process answers.',
      tag: TAG,
      access: 'anonymous',
      handle: () => ({ kind: 'bytes', bytes: 'ok', type: 'text/plain; charset=utf-8' }),
    }),
    route('GET', '/metrics', {
      summary: 'Numbers for Prometheus, with the names of Argo CD.',
      tag: TAG,
      access: { resource: 'applications', action: 'get', object: () => '*/*' },
      handle: ({ service }) => ({
        kind: 'bytes',
        bytes: `${service.metricsText()}${loopDelay.text()}`,
        type: 'text/plain; version=0.0.4',
      }),
    }),
    route('GET', '/api/openapi.json', {
      summary: 'This document.',
      tag: TAG,
      access: 'anonymous',
      handle: () => json(openApi(table(), version)),
    }),
    route('GET', '/swagger.json', {
      summary: 'This document, as Swagger 2.',
      tag: TAG,
      access: 'anonymous',
      handle: () => json(swagger(table(), version)),
    }),
  ];
}
