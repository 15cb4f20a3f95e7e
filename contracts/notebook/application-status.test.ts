import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApiServer, type ApiServer } from '../../src/apiserver/index.js';
import { systemClock, WatchCache, type Cluster } from '../../src/cluster/index.js';
import { ManualClock } from '../../src/cluster/testing/manual-clock.js';
import { installCrds, readCrds } from '../../src/control/controller/install-crds.js';
import { ApplicationAnnotator } from '../../src/control/notebook/application-annotator.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { connectCluster, CRDS } from '../harness/in-process-controller.js';
import { APPLICATIONS, NAMESPACES } from '../../src/model/resources/index.js';

const data = mkdtempSync(join(tmpdir(), 'argosy-application-status-'));
const clock = new ManualClock();
const reported: string[] = [];
const updates: string[] = [];
let server: ApiServer;
let cluster: Cluster;
let cache: WatchCache;
beforeAll(async () => {
  server = await startApiServer({ data, port: 0, controllers: false, log: NO_LOG });
  cluster = await connectCluster(server.kubeconfig);
  await installCrds(cluster, await readCrds(CRDS, ['application.yaml']));
  for (const name of ['argocd', 'openshift-gitops', 'ml'])
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const application = (namespace: string, name: string, destination: string): Promise<KubeObject> =>
    cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace, annotations: { 'argocd.argoproj.io/sync-wave': '5' } },
      spec: { project: 'default', destination: { namespace: destination, server: 'https://kubernetes.default.svc' } },
    });
  await application('openshift-gitops', 'fraud', 'ml');
  await application('argocd', 'churn', 'ml');
  await application('argocd', 'foreign', 'elsewhere');
  cache = new WatchCache(cluster, APPLICATIONS, { clock: systemClock, random: Math.random, report: () => undefined });
  cache.subscribe((change) => {
    if (change.type === 'updated') updates.push(change.object.metadata.name ?? '');
  });
  await cache.waitForSync();
}, 60_000);
afterAll(async () => {
  cache.close();
  await cluster.close();
  await server.close();
  rmSync(data, { recursive: true, force: true });
});

const job = (name: string, phase: string, metadata: object): KubeObject => ({
  apiVersion: 'mlops.mlops.dev/v1alpha1',
  kind: 'NotebookValidationJob',
  metadata: { name, namespace: 'ml', ...metadata },
  status: { phase },
});
const tracked = (name: string): object => ({
  annotations: { 'argocd.argoproj.io/tracking-id': `fraud:mlops.mlops.dev/NotebookValidationJob:ml/${name}` },
});
const annotationsOf = (namespace: string, name: string): Record<string, string> =>
  cache.get(namespace, name)?.metadata.annotations ?? {};

it('applications have the status of their own jobs in any namespace, the last one always', async () => {
  let jobs = [
    job('a', 'ValidationRunning', tracked('a')),
    job('b', 'ValidationRunning', tracked('b')),
    job('c', 'Building', { labels: { 'app.kubernetes.io/instance': 'churn' } }),
    job('d', 'Failed', { labels: { 'app.kubernetes.io/part-of': 'foreign' } }),
    job('e', 'Failed', { labels: { 'app.kubernetes.io/part-of': 'nobody' } }),
    job('f', 'Succeeded', {}),
  ];
  const teller = new ApplicationAnnotator({
    cluster,
    world: {
      clock,
      random: Math.random,
      report: (problem) => {
        reported.push(problem);
      },
    },
    namespaces: ['argocd', 'openshift-gitops'],
    jobs: () => jobs,
  });
  teller.open();
  const change = async (next: readonly KubeObject[], until: () => boolean): Promise<void> => {
    for (let times = 0; times < 20; times++) for (const each of [...jobs, ...next]) teller.changed(each);
    jobs = [...next];
    clock.advance(1000);
    for (
      const end = Date.now() + 10_000;
      !until();
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      })
    )
      if (Date.now() > end) throw new Error(JSON.stringify(cache.list().map(({ metadata }) => metadata.annotations)));
  };
  await change(
    [job('a', 'Succeeded', tracked('a')), job('b', 'Failed', tracked('b')), ...jobs.slice(2)],
    () => updates.length >= 2,
  );
  expect(annotationsOf('openshift-gitops', 'fraud')).toEqual({
    'argocd.argoproj.io/sync-wave': '5',
    'mlops.dev/notebook-summary': '1/2 succeeded (50.0% success rate)',
    'mlops.dev/notebook-status':
      '{"total":2,"succeeded":1,"failed":1,"running":0,"lastUpdate":"2026-01-01T00:00:01Z","failedJobs":["b"]}',
  });
  expect(annotationsOf('argocd', 'churn')).toMatchObject({
    'mlops.dev/notebook-summary': '0/1 succeeded (0.0% success rate)',
    'mlops.dev/notebook-status': expect.stringContaining('"running":1') as string,
  });
  await change(
    [job('a', 'Succeeded', tracked('a')), job('c', 'Succeeded', { labels: { 'app.kubernetes.io/instance': 'churn' } })],
    () =>
      annotationsOf('argocd', 'churn')['mlops.dev/notebook-summary'] === '1/1 succeeded (100.0% success rate)' &&
      annotationsOf('openshift-gitops', 'fraud')['mlops.dev/notebook-summary'] ===
        '1/1 succeeded (100.0% success rate)',
  );
  await teller.pause();
  expect(updates.sort()).toEqual(['churn', 'churn', 'fraud', 'fraud']);
  expect(annotationsOf('argocd', 'foreign')).toEqual({ 'argocd.argoproj.io/sync-wave': '5' });
  expect(reported).toEqual([]);
  await teller.close();
}, 30_000);
