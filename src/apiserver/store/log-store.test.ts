import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { openMemoryStore, openStore } from './open-store.js';
import { RevisionCompacted, StaleWrite, type Store, type StoreEvent } from './store.js';
import { SIMULATED_DIRECTORY as directory, SimulatedDisk } from './testing/simulated-disk.js';

const KEY = '/registry/configmaps/shop/cart';
const object = (text = ''): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'cart' },
  data: { text },
});
const put = (store: Store, key: string, text = ''): ReturnType<Store['write']> =>
  store.write(key, store.head(key), () => object(text));
const short = (event: StoreEvent): string => `${event.revision} ${event.type} ${event.current.key}`;

describe.each<[string, () => Promise<Store>]>([
  ['in memory', () => Promise.resolve(openMemoryStore({ history: { events: 5, bytes: 1 << 20 } }))],
  ['on disk', () => openStore({ directory, disk: new SimulatedDisk(), history: { events: 5, bytes: 1 << 20 } })],
])('a store %s', (_, open) => {
  it('begins at revision 1 and counts every write, deletions too', async () => {
    const store = await open();
    expect(store.revision).toBe(1);
    const first = await put(store, KEY);
    expect(first.revision).toBe(2);
    await store.remove(KEY, first, () => first.object);
    expect(store.revision).toBe(3);
    expect(store.get(KEY)).toBeUndefined();
    await store.close();
  });

  it('sets metadata.resourceVersion in the body and leaves the object that was built alone', async () => {
    const store = await open();
    const built = object('x');
    const stored = await store.write(KEY, undefined, () => built);
    expect(stored.object.metadata.resourceVersion).toBe('2');
    expect(JSON.parse(stored.body)).toEqual(stored.object);
    expect(built.metadata.resourceVersion).toBeUndefined();
    await store.close();
  });

  it('shows a write to readers only when it is durable, to writers at once', async () => {
    const store = await open();
    const writing = put(store, KEY, 'a');
    expect(store.get(KEY)).toBeUndefined();
    expect(store.count('/')).toBe(0);
    expect(store.head(KEY)?.revision).toBe(2);
    await writing;
    expect(store.get(KEY)).toBe(store.head(KEY));
    await store.close();
  });

  it('rejects a stale write without using a revision', async () => {
    const store = await open();
    const first = await put(store, KEY, 'a');
    const second = put(store, KEY, 'b');
    await expect(store.write(KEY, first, () => object('c'))).rejects.toThrow(StaleWrite);
    await expect(store.write(KEY, undefined, () => object('c'))).rejects.toThrow(StaleWrite);
    await expect(store.remove(KEY, first, () => object('c'))).rejects.toThrow(StaleWrite);
    await expect(
      store.write(KEY, await second, () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect((await put(store, KEY, 'd')).revision).toBe(4);
    await store.close();
  });

  it('lets exactly one of many concurrent writers win', async () => {
    const store = await open();
    let lost = 0;
    const writer = async (): Promise<void> => {
      for (let done = 0; done < 20; ) {
        const seen = store.head(KEY);
        await Promise.resolve();
        try {
          await store.write(KEY, seen, () =>
            object(String(Number((seen?.object['data'] as { text?: string } | undefined)?.text ?? '0') + 1)),
          );
          done++;
        } catch (error) {
          if (!(error instanceof StaleWrite)) throw error;
          lost++;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, writer));
    expect(store.get(KEY)?.object['data']).toEqual({ text: '160' });
    expect(lost).toBeGreaterThan(0);
    await store.close();
  });

  it('recreates what is being deleted', async () => {
    const store = await open();
    const first = await put(store, KEY);
    const removed = store.remove(KEY, first, () => first.object);
    expect(store.head(KEY)).toBeUndefined();
    const again = store.write(KEY, undefined, () => object('new'));
    expect((await removed).revision).toBe(3);
    expect((await again).revision).toBe(4);
    expect(store.get(KEY)?.revision).toBe(4);
    await store.close();
  });

  it('replays and follows in order without gap or duplicate, even when a listener watches or writes', async () => {
    const store = await open();
    await put(store, '/registry/pods/a/1');
    await put(store, '/registry/pods/b/1');
    const seen: string[] = [];
    const inner: string[] = [];
    let opened = false;
    store.watch('/registry/pods/', 2, (event) => {
      seen.push(short(event));
      if (opened) return;
      opened = true;
      store.watch('/registry/pods/', 1, (other) => inner.push(short(other)));
    });
    await Promise.all([
      put(store, '/registry/pods/a/1'),
      put(store, '/registry/secrets/a/1'),
      put(store, '/registry/pods/a/2'),
    ]);
    const pods = store.get('/registry/pods/b/1')!;
    await store.remove(pods.key, pods, () => pods.object);
    const tail = [
      '3 ADDED /registry/pods/b/1',
      '4 MODIFIED /registry/pods/a/1',
      '6 ADDED /registry/pods/a/2',
      '7 DELETED /registry/pods/b/1',
    ];
    expect(seen).toEqual(tail);
    expect(inner).toEqual(['2 ADDED /registry/pods/a/1', ...tail]);
    await store.close();
  });

  it('sends events to watchers of a namespace, of a kind and of everything, and none to closed ones', async () => {
    const store = await open();
    const counts = { one: 0, kind: 0, all: 0, closed: 0 };
    store.watch('/registry/pods/a/', 1, () => counts.one++);
    store.watch('/registry/pods/', 1, () => counts.kind++);
    store.watch('/registry/', 1, () => counts.all++);
    store.watch('/', 1, () => counts.closed++).close();
    await Promise.all(
      ['/registry/pods/a/1', '/registry/pods/ab/1', '/registry/podsx/a/1'].map((key) => put(store, key)),
    );
    expect(counts).toEqual({ one: 1, kind: 2, all: 3, closed: 0 });
    await store.close();
  });

  it('carries the previous state, and the last one of what was deleted with the revision of the deletion', async () => {
    const store = await open();
    const events: StoreEvent[] = [];
    store.watch('/', 1, (event) => events.push(event));
    const first = await put(store, KEY, 'a');
    const second = await put(store, KEY, 'b');
    await store.remove(KEY, second, () => second.object);
    expect(events.map((event) => event.previous)).toEqual([undefined, first, second]);
    expect(events[2]?.current.object.metadata.resourceVersion).toBe('4');
    expect(second.object.metadata.resourceVersion).toBe('3');
    await store.close();
  });

  it('compacts old events and reports it', async () => {
    const store = await open();
    for (let index = 0; index < 9; index++) await put(store, KEY);
    expect(store.revision).toBe(10);
    expect(store.compacted).toBe(5);
    expect(() => store.watch('/', 4, () => undefined)).toThrow(new RevisionCompacted(4, 5));
    const seen: number[] = [];
    store.watch('/', 5, (event) => seen.push(event.revision));
    expect(seen).toEqual([6, 7, 8, 9, 10]);
    await store.close();
  });

  it('notifies of each new durable revision', async () => {
    const store = await open();
    const seen: number[] = [];
    const subscription = store.onRevision((revision) => seen.push(revision));
    await Promise.all([put(store, '/a/a/a'), put(store, '/a/a/b')]);
    subscription.close();
    await put(store, '/a/a/c');
    expect(seen).toEqual([3]);
    await store.close();
  });

  it('finishes accepted writes on close and rejects later ones', async () => {
    const store = await open();
    const writing = put(store, KEY);
    const closing = store.close();
    await expect(put(store, KEY)).rejects.toMatchObject({ code: 'STORE_WRITE', message: 'the store is closed' });
    await closing;
    expect((await writing).revision).toBe(2);
  });

  it('keeps odd text and odd keys, and rejects keys that it could not return', async () => {
    const store = await open();
    const odd = JSON.parse('{"__proto__":{"a":1},"constructor":"x","big":1}') as KubeObject;
    const built: KubeObject = { ...object('é😀\u0000\ud800'), odd, big: 9007199254740993n };
    const stored = await store.write(KEY, undefined, () => built);
    expect(stored.body).toContain('"__proto__":{"a":1}');
    expect(stored.body).toContain('9007199254740993');
    for (const key of ['x', '/a\0', '/\ud800', `/${'k'.repeat(30_000)}`]) {
      await expect(put(store, key)).rejects.toMatchObject({ code: 'VALUE_INVALID' });
    }
    await store.close();
  });
});
