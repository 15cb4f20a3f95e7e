import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { connect, systemClock } from '../../cluster/index.js';
import { ControlPlaneCache } from './control-plane-cache.js';

const LIST = (kind: string): string =>
  JSON.stringify({ kind, apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
const STATUS = (code: number, reason: string, more: object = {}): string =>
  JSON.stringify({ kind: 'Status', status: 'Failure', reason, code, ...more });

/** A cache of an API server that answers as the test wants; its watches deliver nothing unless the test does. */
async function withCache(handle: RequestListener, use: (cache: ControlPlaneCache) => Promise<void>): Promise<void> {
  const server = createServer(handle);
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
    await use(cache);
    cache.close();
  } finally {
    await cluster.close();
    server.closeAllConnections();
    server.close();
  }
}

const answer = (response: ServerResponse, code: number, body: string, headers: Record<string, string> = {}): void =>
  void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body);
const stream = (response: ServerResponse): void =>
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();

it('opens even if a watch is lost right after the first list', async () => {
  const waiting: ServerResponse[] = [];
  let isLost = false;
  await withCache(
    ({ url = '' }, response) => {
      if (url.includes('argocd-cmd-params-cm')) return answer(response, 404, STATUS(404, 'NotFound'));
      if (url.includes('watch=') && url.includes('/applications')) {
        isLost = true;
        // The last list is answered only now: the watch is lost before the cache is open.
        for (const each of waiting.splice(0)) each.end(LIST('SecretList'));
        const busy = { message: 'storage is (re)initializing', details: { retryAfterSeconds: 1 } };
        return answer(response, 429, STATUS(429, 'TooManyRequests', busy), { 'retry-after': '1' });
      }
      if (url.includes('watch=')) return stream(response);
      if (!url.includes('/secrets') || isLost) return answer(response, 200, LIST('List'));
      waiting.push(response.writeHead(200, { 'content-type': 'application/json' }));
    },
    () => {
      expect(isLost).toBe(true);
      return Promise.resolve();
    },
  );
});

it('loads a project that its watch has not delivered yet, and knows one that does not exist', async () => {
  const project = { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', spec: { sourceRepos: ['*'] } };
  const metadata = { name: 'shop', namespace: 'argocd', uid: 'u', resourceVersion: '7' };
  const reads: string[] = [];
  await withCache(
    ({ url = '' }, response) => {
      if (url.includes('watch=')) return stream(response);
      const [, name] = /\/appprojects\/([^?]+)/.exec(url) ?? [];
      if (name !== undefined) reads.push(name);
      if (name === 'shop') return answer(response, 200, JSON.stringify({ ...project, metadata }));
      if (name !== undefined || url.includes('argocd-cmd-params-cm'))
        return answer(response, 404, STATUS(404, 'NotFound'));
      return answer(response, 200, LIST('List'));
    },
    async (cache) => {
      expect(cache.project('shop')).toBeUndefined();
      for (const name of ['shop', 'shop', 'nobody']) await cache.loadProject(name);
      expect(cache.project('shop')?.name).toBe('shop');
      expect(cache.project('nobody')).toBeUndefined();
      expect(reads).toEqual(['shop', 'nobody']);
    },
  );
});
