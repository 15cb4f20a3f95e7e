import { expect, it } from 'vitest';
import { ApiError } from '../errors/api-error.js';
import { openMemoryCluster } from '../testing/memory-cluster.js';
import { RESOURCE_QUOTA } from '../controllers/resource-quota.js';
import { sub, text } from '../resources/fields.js';
import { CONFIG_MAPS, SERVICES } from '../../model/resources/index.js';

it('concurrent writes share a quota exactly', async () => {
  const cluster = await openMemoryCluster([RESOURCE_QUOTA]);
  await cluster.client.create(
    { group: '', plural: 'resourcequotas' },
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default' },
      spec: { hard: { configmaps: '3' } },
    },
  );
  await cluster.waitUntilQuiet();
  const names = Array.from({ length: 10 }, (_, index) => `c${index}`);
  const results = await Promise.allSettled(
    names.map((name) =>
      cluster.client.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'default' },
      }),
    ),
  );
  const rejections = results.flatMap((result) =>
    result.status === 'rejected' && result.reason instanceof ApiError ? [result.reason.message] : [],
  );
  expect(rejections).toHaveLength(7);
  expect(rejections[0]).toBe(
    'configmaps "c3" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=3, limited: ' +
      'configmaps=3',
  );
  await cluster.waitUntilQuiet();
  expect(sub(cluster.client.get({ group: '', plural: 'resourcequotas' }, 'default', 'q'), 'status.used')).toEqual({
    configmaps: '3',
  });
  await cluster.close();
});

it('concurrent Services get different addresses', async () => {
  const cluster = await openMemoryCluster([]);
  const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const created = await Promise.all(
    names.map((name) =>
      cluster.client.create(SERVICES, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, namespace: 'default' },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      }),
    ),
  );
  expect(new Set(created.map((service) => text(sub(service, 'spec'), 'clusterIP'))).size).toBe(20);
  await cluster.close();
});
