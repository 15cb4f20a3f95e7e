import { expect, it } from 'vitest';
import { ApiError } from '../errors/api-error.js';
import { openMemoryCluster } from '../testing/memory-cluster.js';
import { RESOURCE_QUOTA } from '../controllers/resource-quota.js';
import { sub, text } from '../resources/fields.js';

const CONFIG_MAPS = { group: '', plural: 'configmaps' };
const SERVICES = { group: '', plural: 'services' };

it('writes of the same moment share a quota exactly', async () => {
  const world = await openMemoryCluster([RESOURCE_QUOTA]);
  await world.client.create(
    { group: '', plural: 'resourcequotas' },
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default' },
      spec: { hard: { configmaps: '3' } },
    },
  );
  await world.waitUntilQuiet();
  const names = Array.from({ length: 10 }, (_, index) => `c${index}`);
  const results = await Promise.allSettled(
    names.map((name) =>
      world.client.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'default' },
      }),
    ),
  );
  const refusals = results.flatMap((result) =>
    result.status === 'rejected' && result.reason instanceof ApiError ? [result.reason.message] : [],
  );
  expect(refusals).toHaveLength(7);
  expect(refusals[0]).toBe(
    'configmaps "c3" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=3, limited: ' +
      'configmaps=3',
  );
  await world.waitUntilQuiet();
  expect(sub(world.client.get({ group: '', plural: 'resourcequotas' }, 'default', 'q'), 'status.used')).toEqual({
    configmaps: '3',
  });
  await world.close();
});

it('services of the same moment get different addresses', async () => {
  const world = await openMemoryCluster([]);
  const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const made = await Promise.all(
    names.map((name) =>
      world.client.create(SERVICES, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, namespace: 'default' },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      }),
    ),
  );
  expect(new Set(made.map((service) => text(sub(service, 'spec'), 'clusterIP'))).size).toBe(20);
  await world.close();
});
