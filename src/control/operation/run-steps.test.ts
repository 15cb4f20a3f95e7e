import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import { systemClock } from '../../cluster/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { NAMESPACES } from '../../model/resources/index.js';
import type { SyncStep } from '../../plan/index.js';
import { ClusterCache } from '../cache/index.js';
import { runGroups } from './run-steps.js';

const NAMESPACE: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shared' } };
const TRACKING = { 'argocd.argoproj.io/tracking-id': 'owner:/Namespace:shared/shared' };

let lab: AppLab;
let cache: ClusterCache;
beforeAll(async () => {
  lab = await openAppLab();
  cache = await ClusterCache.open(
    {
      server: lab.cluster.server,
      cluster: lab.cluster,
      scope: { namespaces: [], clusterResources: true },
      world: { clock: systemClock, random: Math.random, report: () => undefined },
      isExcluded: () => false,
      ownerOf: () => undefined,
      onChange: () => undefined,
      onKinds: () => undefined,
    },
    60_000,
  );
});
afterAll(async () => {
  cache.close();
  await lab.close();
});

/** `CreateNamespace=true` of one application, planned before it knew that another has applied the namespace of git. */
it('a namespace that another application has applied meanwhile keeps its tracking id', async () => {
  await lab.cluster.apply(NAMESPACES, { ...NAMESPACE, metadata: { ...NAMESPACE.metadata, annotations: TRACKING } });
  const step: SyncStep = {
    kind: 'apply',
    task: {
      key: { group: '', kind: 'Namespace', namespace: '', name: 'shared' },
      phase: 'PreSync',
    } as SyncStep['task'],
    object: NAMESPACE,
    how: { method: 'apply', validate: true, migrate: true, force: false, createOnly: true },
  };
  const [outcome] = await runGroups([[step]], {
    clusterCache: cache,
    cluster: lab.cluster,
    writer: 'creator',
    report: () => undefined,
    mayWrite: () => true,
    onRequest: () => undefined,
  });
  expect(outcome).toMatchObject({ isDone: true, message: 'namespace/shared unchanged' });
  expect((await lab.cluster.get(NAMESPACES, { name: 'shared' }))?.metadata.annotations).toEqual(TRACKING);
});
