import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { startScriptedServer, type ScriptedServer } from '../testing/scripted-server.js';
import { WatchCache } from './watch-cache.js';
import { CONFIG_MAPS } from '../../model/resources/index.js';

const map = (resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'a', uid: 'u1', resourceVersion },
});

let events: readonly object[] = [];
let rejections = 0;
let server: ScriptedServer;
beforeEach(async () => {
  rejections = 0;
  server = await startScriptedServer(({ path }) => {
    if (rejections-- > 0)
      return {
        status: 429,
        headers: { 'retry-after': '1' },
        body: { kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'storage is (re)initializing' },
      };
    if (!path.includes('watch=true')) return { body: { metadata: { resourceVersion: '5' }, items: [map('5')] } };
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    events = [];
    return lines === '' ? 'hang' : { headers: { 'content-type': 'application/json' }, body: lines };
  });
});
afterEach(() => server.close());

/** The cache after its first event. */
async function after(first: object): Promise<WatchCache> {
  events = [first];
  const cache = new WatchCache(server.connect(), CONFIG_MAPS, {
    clock: server.clock,
    random: () => 0.5,
    report: () => undefined,
  });
  await new Promise<void>((resolve) => {
    const stop = cache.subscribe((change) => {
      if (change.type === 'added') return;
      stop();
      resolve();
    });
  });
  return cache;
}

it('has the result of a write at once', async () => {
  const cache = await after({ type: 'MODIFIED', object: map('6') });
  cache.recordWrite(map('7'));
  expect(cache.get('shop', 'a')?.metadata.resourceVersion).toBe('7');
  cache.recordWrite(map('6'));
  expect(cache.get('shop', 'a')?.metadata.resourceVersion).toBe('7');
  cache.close();
});

it('does not restore a deleted object when the answer to an earlier write comes late', async () => {
  const cache = await after({ type: 'DELETED', object: map('7') });
  cache.recordWrite(map('6'));
  expect(cache.get('shop', 'a')).toBeUndefined();
  cache.close();
});

it('honours Retry-After, however often it comes', async () => {
  rejections = 10;
  const cache = new WatchCache(server.connect(), CONFIG_MAPS, {
    clock: server.clock,
    random: () => 0.5,
    report: () => undefined,
  });
  const isRead = (): boolean => cache.status.state === 'live';
  while (!isRead()) {
    await server.clock.until(() => isRead() || server.clock.pending().some((left) => left <= 10_000));
    if (!isRead()) server.clock.advance(1000);
  }
  expect(server.requests.length).toBeGreaterThan(10);
  expect(cache.status).toMatchObject({ state: 'live', objects: 1 });
  cache.close();
});
