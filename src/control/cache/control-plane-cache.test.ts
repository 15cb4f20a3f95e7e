import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { connect, systemClock } from '../../cluster/index.js';
import { ControlPlaneCache } from './control-plane-cache.js';

it('opens even if a watch is lost right after the first list', async () => {
  const waiting: ServerResponse[] = [];
  let isLost = false;
  const empty = (kind: string): string =>
    JSON.stringify({ kind, apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    const send = (status: number, body: string, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    if (url.includes('argocd-cmd-params-cm'))
      return send(404, JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 }));
    if (url.includes('watch=') && url.includes('/applications')) {
      isLost = true;
      // The last list is answered only now: the watch is lost before the cache is open.
      for (const each of waiting.splice(0)) each.end(empty('SecretList'));
      return send(
        429,
        JSON.stringify({
          kind: 'Status',
          status: 'Failure',
          reason: 'TooManyRequests',
          message: 'storage is (re)initializing',
          code: 429,
          details: { retryAfterSeconds: 1 },
        }),
        { 'retry-after': '1' },
      );
    }
    if (url.includes('watch=')) return response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    if (!url.includes('/secrets') || isLost) return send(200, empty('List'));
    waiting.push(response.writeHead(200, { 'content-type': 'application/json' }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const world = { clock: systemClock, random: () => 0, report: () => undefined };
  const cluster = connect(
    {
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      context: 'test',
      namespace: '',
      user: {},
    } as Parameters<typeof connect>[0],
    world,
    { version: '1', environment: {} },
  );
  try {
    const cache = await ControlPlaneCache.open({
      cluster,
      world,
      namespace: 'argocd',
      profile: 'kubernetes',
      environment: {},
      onApplication: () => undefined,
      onSettings: () => undefined,
    });
    expect(isLost).toBe(true);
    cache.close();
  } finally {
    await cluster.close();
    server.closeAllConnections();
    server.close();
  }
});
