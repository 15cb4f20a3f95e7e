import { describe, expect, it } from 'vitest';
import { parseLabelSelector, type KubeObject } from '../../model/kubernetes/index.js';
import { entryOf, ObjectIndex, type Entry } from './object-index.js';

function pod(name: string, uid: string, resourceVersion: string, more: object = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'shop', uid, resourceVersion, ...more } };
}

const whole = (object: KubeObject): Entry => entryOf(object, object);
const owner = (uid: string): object => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid }],
});

describe('ObjectIndex', () => {
  it('reports added, updated and deleted, with the previous object', () => {
    const index = new ObjectIndex();
    const [one, two] = [pod('a', 'u1', '1'), pod('a', 'u1', '2')];
    expect(index.set(whole(one))).toEqual([{ type: 'added', object: one }]);
    expect(index.set(whole(pod('a', 'u1', '1')))).toEqual([]);
    expect(index.set(whole(two))).toEqual([{ type: 'updated', object: two, old: one }]);
    expect(index.delete(pod('a', 'u1', '3'))).toEqual([{ type: 'deleted', old: two }]);
    expect(index.delete(pod('a', 'u1', '3'))).toEqual([]);
    expect(index.size).toBe(0);
  });

  it('treats the same name with another uid as another object', () => {
    const index = new ObjectIndex();
    const [old, next] = [pod('a', 'u1', '1'), pod('a', 'u2', '2')];
    index.set(whole(old));
    expect(index.set(whole(next))).toEqual([
      { type: 'deleted', old },
      { type: 'added', object: next },
    ]);
    expect(index.delete(old)).toEqual([]);
    expect(index.byUid('u1')).toBeUndefined();
    expect(index.byUid('u2')).toBe(next);
  });

  it('holds exactly the list after replace, deletions reported first', () => {
    const index = new ObjectIndex();
    const [gone, kept, changed] = [pod('a', 'u1', '1'), pod('b', 'u2', '2'), pod('c', 'u3', '3')];
    for (const object of [gone, kept, changed]) index.set(whole(object));
    const [newer, fresh] = [pod('c', 'u3', '4'), pod('d', 'u4', '5')];
    expect(index.replace([kept, newer, fresh].map(whole))).toEqual([
      { type: 'deleted', old: gone },
      { type: 'updated', object: newer, old: changed },
      { type: 'added', object: fresh },
    ]);
    expect(index.list()).toEqual([kept, newer, fresh]);
    expect(index.replace([]).map(({ type }) => type)).toEqual(['deleted', 'deleted', 'deleted']);
    expect(index.list()).toEqual([]);
  });

  it('finds by owner, also when the owner changes or less of the object is kept', () => {
    const index = new ObjectIndex();
    const kept = pod('a', 'u1', '1');
    index.set(entryOf(pod('a', 'u1', '1', owner('rs-1')), kept));
    expect(index.ownedBy('rs-1')).toEqual([kept]);
    index.set(whole(pod('a', 'u1', '2', owner('rs-2'))));
    expect(index.ownedBy('rs-1')).toEqual([]);
    expect(index.ownedBy('rs-2')).toHaveLength(1);
    index.replace([]);
    expect(index.ownedBy('rs-2')).toEqual([]);
  });

  it('finds by namespace, name and labels, with any names', () => {
    const index = new ObjectIndex();
    index.set(whole(pod('__proto__', 'u1', '1', { labels: { app: 'x' } })));
    index.set(whole(pod('constructor', 'u2', '2', { namespace: 'toString' })));
    expect(index.get('shop', '__proto__')?.metadata.uid).toBe('u1');
    expect(index.get('shop', 'constructor')).toBeUndefined();
    expect(index.list({ namespace: 'toString' })).toHaveLength(1);
    expect(index.list({ namespace: 'hasOwnProperty' })).toEqual([]);
    expect(index.list({ selector: parseLabelSelector('app=x') })).toHaveLength(1);
  });
});
