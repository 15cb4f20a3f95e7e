import { expect, it } from 'vitest';
import type { WireApplication, WireNode, WireResource } from '../http/wire';
import { findItem, idOf, waveColumns } from './resource-tree';

const application = (resources: readonly WireResource[]): WireApplication => ({
  metadata: { name: 'shop' },
  spec: { project: 'default', destination: {} },
  status: { resources },
});
const deployment: WireResource = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
  status: 'OutOfSync',
  health: { status: 'Degraded', message: 'no pods' },
  syncWave: 2,
};
const node = (
  kind: string,
  name: string,
  parent?: Pick<WireNode, 'group' | 'kind' | 'name' | 'namespace'>,
): WireNode => ({
  group: kind === 'Pod' ? '' : 'apps',
  version: 'v1',
  kind,
  namespace: 'shop',
  name,
  ...(parent ? { parentRefs: [parent] } : {}),
});

it('has columns by wave, unhealthy resources first, with owned objects below', () => {
  const columns = waveColumns(
    application([
      { kind: 'ConfigMap', name: 'a', namespace: 'shop', status: 'Synced' },
      { kind: 'Service', name: 'web', namespace: 'shop', status: 'Synced', health: { status: 'Healthy' } },
      deployment,
    ]),
    {
      nodes: [
        node('Deployment', 'web'),
        node('ReplicaSet', 'web-1', deployment),
        node('Pod', 'web-1-x', { group: 'apps', kind: 'ReplicaSet', namespace: 'shop', name: 'web-1' }),
      ],
    },
  );
  expect(columns.map(({ wave, count }) => [wave, count])).toEqual([
    [0, 2],
    [2, 1],
  ]);
  expect(columns[0]!.groups.map(({ kind }) => kind)).toEqual(['Service', 'ConfigMap']);
  const web = columns[1]!.groups[0]!.items[0]!;
  expect([web.health, web.sync, web.below]).toEqual(['Degraded', 'OutOfSync', 2]);
  expect(findItem(columns, '|Pod|shop|web-1-x')?.ref.name).toBe('web-1-x');
  expect(findItem(columns, 'nothing')).toBeUndefined();
});

it('finds an object by its children', () => {
  const tree = { nodes: [node('Deployment', 'web'), node('ReplicaSet', 'web-1', deployment)] };
  expect(
    waveColumns(application([deployment, { kind: 'ConfigMap', name: 'a' }]), tree, 'web-1').map(({ count }) => count),
  ).toEqual([1]);
});

it('detects owner cycles', () => {
  const [a, b] = [
    { group: 'apps', kind: 'ReplicaSet', namespace: 'shop', name: 'a' },
    { group: 'apps', kind: 'ReplicaSet', namespace: 'shop', name: 'b' },
  ];
  const columns = waveColumns(application([deployment]), {
    nodes: [node('Deployment', 'web', b), node('ReplicaSet', 'a', deployment), node('ReplicaSet', 'b', a)],
  });
  expect(columns[0]!.groups[0]!.items[0]!.below).toBe(2);
});

it('shows 500 objects of a kind as one group', () => {
  const many = Array.from(
    { length: 500 },
    (_, index): WireResource => ({ kind: 'ConfigMap', name: `c-${index}`, status: 'Synced' }),
  );
  const [column] = waveColumns(application(many), undefined);
  expect(column!.groups.map(({ kind, items }) => [kind, items.length])).toEqual([['ConfigMap', 500]]);
  expect(idOf(many[0]!)).toBe('|ConfigMap||c-0');
});
