import { describe, expect, it } from 'vitest';
import { Clusters, IN_CLUSTER } from '../cache/clusters.js';
import { assignClusters, Shards, type ShardRules } from './shards.js';
import type { ClusterRecord } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ShardingAlgorithm } from '../../model/settings/index.js';

const fourDigits = (number: number): string => String(number).padStart(4, '0');

const cluster = (
  index: number,
  shard?: number,
): { readonly server: string; readonly uid: string; readonly shard: number | undefined } => ({
  server: `https://${index}`,
  uid: `8f1c${fourDigits(index)}-6f0b-4b5e-9a57-0c8b2a1d${fourDigits((index * 7919) % 10_000)}`,
  shard,
});
const FLEET = Array.from({ length: 600 }, (_, index) => cluster(index));
const ALGORITHMS: readonly ShardingAlgorithm[] = ['legacy', 'round-robin', 'consistent-hashing'];

describe('shards of clusters', () => {
  it.each([
    ['00000000-0000-0000-0000-000000000001', 0, 1, 5],
    ['b8e2ff0a-12de-44e9-a4c2-7f4f2b1d0a3c', 0, 1, 2],
    ['cluster-1', 1, 2, 0],
  ])('are those of Argo CD with legacy: %s', (uid, of2, of3, of7) => {
    expect(
      [2, 3, 7].map((count) => assignClusters([{ server: 's', uid, shard: undefined }], 'legacy', count).get('s')),
    ).toEqual([of2, of3, of7]);
  });

  it.each(ALGORITHMS)('are about equally large with %s', (algorithm) => {
    const places = [...assignClusters(FLEET, algorithm, 3).values()];
    for (const shard of [0, 1, 2])
      expect(Math.abs(places.filter((place) => place === shard).length - 200)).toBeLessThan(60);
    expect(places.every((place) => place >= 0 && place < 3)).toBe(true);
  });

  it.each(ALGORITHMS)(
    'are what a Secret says where there is such a shard, and the first for the cluster itself, with %s',
    (algorithm) => {
      const places = assignClusters(
        [cluster(1, 2), cluster(2, 9), { server: IN_CLUSTER, uid: '', shard: undefined }],
        algorithm,
        3,
      );
      expect([places.get('https://1'), places.get(IN_CLUSTER), (places.get('https://2') ?? 9) < 3]).toEqual([
        2,
        0,
        true,
      ]);
    },
  );

  it('move only to the new shard with consistent hashing', () => {
    const [before, after] = [
      assignClusters(FLEET, 'consistent-hashing', 3),
      assignClusters(FLEET, 'consistent-hashing', 4),
    ];
    const moved = [...before].filter(([server, place]) => after.get(server) !== place);
    expect(moved.every(([server]) => after.get(server) === 3)).toBe(true);
    expect(Math.abs(moved.length - 150)).toBeLessThan(50);
  });
});

describe('the applications of a shard', () => {
  const record = (index: number): ClusterRecord => ({
    ...cluster(index),
    shard: index % 3,
    secret: `c${index}`,
    name: `c${index}`,
    config: {},
    namespaces: [],
    clusterResources: false,
    project: '',
    skipReconcile: false,
  });
  const clusters = new Clusters({
    controlPlane: {} as never,
    isInClusterEnabled: () => true,
    records: () => [1, 2, 3, 4].map(record),
    connect: () => ({}) as never,
    openCache: () => Promise.reject(new Error('no cluster is opened')),
  });
  const application = (uid: string, destination: Readonly<Record<string, string>>): KubeObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { uid, name: 'a', namespace: 'argocd' },
    spec: { destination: { ...destination } },
  });
  const owners = (object: KubeObject, rules: ShardRules, count = 3): number[] =>
    Array.from({ length: count }, (_, index) => index).filter((index) =>
      new Shards({ index, count }, clusters, () => rules).owns(object),
    );
  const BY_CLUSTER: ShardRules = { algorithm: 'legacy', byApplication: false };

  it.each([
    [{ server: 'https://1' }, 1],
    [{ name: 'c2' }, 2],
    [{ server: 'https://3' }, 0],
    [{ server: IN_CLUSTER }, 0],
    [{ name: 'in-cluster' }, 0],
    [{ server: 'https://unknown' }, 0],
    [{}, 0],
  ])('are those of its clusters: %j', (destination, owner) => {
    expect(owners(application('u', destination), BY_CLUSTER)).toEqual([owner]);
  });

  it('are all if there is one shard', () => {
    expect(owners(application('u', { server: 'https://1' }), BY_CLUSTER, 1)).toEqual([0]);
  });

  it('may be a part of each cluster: every application has one shard, and every shard has some', () => {
    const all = Array.from({ length: 90 }, (_, index) =>
      owners(application(`uid-${index}`, { server: IN_CLUSTER }), { ...BY_CLUSTER, byApplication: true }),
    );
    expect(all.every((each) => each.length === 1)).toBe(true);
    for (const shard of [0, 1, 2]) expect(all.filter(([owner]) => owner === shard).length).toBeGreaterThan(15);
  });

  it('need only the clusters of their destinations', () => {
    const needed = (index: number, byApplication: boolean): string[] =>
      clusters
        .all()
        .filter((each) =>
          new Shards({ index, count: 3 }, clusters, () => ({ ...BY_CLUSTER, byApplication })).needs(each),
        )
        .map(({ name }) => name);
    expect([0, 1, 2].map((index) => needed(index, false))).toEqual([['in-cluster', 'c3'], ['c1', 'c4'], ['c2']]);
    expect(needed(2, true)).toHaveLength(5);
  });
});
