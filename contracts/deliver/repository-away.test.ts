import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock, WatchCache, type Cluster } from '../../src/cluster/index.js';
import { isObject } from '../../src/model/json/index.js';
import { startGitServer, type GitServer } from '../../world/doubles/index.js';
import { Connection } from '../apiserver/connection.js';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { TestRepository } from '../faults/repository.js';
import { Api } from './api.js';
import { Applications } from './applications.js';
import {
  connectCluster,
  startInProcessController,
  type InProcessController,
} from '../harness/in-process-controller.js';
import { APPLICATIONS } from '../../src/model/resources/index.js';

// A repository that is away for a moment changes nothing; one that stays away is told, and so is its return.
const absent = embeddedMissing();
const LONG = 60_000;
const NAMESPACE = 'repository-away';
const SETTINGS = {
  'argocd-cm': { 'timeout.reconciliation': '1s', 'timeout.reconciliation.jitter': '0s' },
  'argocd-cmd-params-cm': { 'controller.repo.error.grace.period.seconds': '3' },
};

describe.skipIf(absent !== undefined)('a repository that is away', () => {
  let api: Api;
  let cluster: Cluster;
  let controller: InProcessController;
  let server: GitServer;
  let folder: string;
  let applications: Applications;
  const closing: (() => Promise<void> | void)[] = [];

  beforeAll(async () => {
    const embedded = await startEmbeddedServer();
    cluster = await connectCluster(embedded.kubeconfigPath);
    const connection = new Connection(embedded.kubeconfigPath);
    folder = mkdtempSync(join(tmpdir(), 'argosy-away-'));
    closing.push(
      () => {
        rmSync(folder, { recursive: true, force: true });
      },
      () => embedded.stop(),
      () => connection.close(),
      () => cluster.close(),
      () => server.close(),
    );
    api = new Api(connection);
    applications = new Applications(api, NAMESPACE);
    new TestRepository(join(folder, 'repository.git')).commit({
      'app/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n',
    });
    server = await startGitServer({ folder, users: [], isPublic: true });
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }, '');
    for (const [name, data] of Object.entries(SETTINGS))
      await api.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }, NAMESPACE);
    controller = await startInProcessController({ kubeconfigPath: embedded.kubeconfigPath, namespace: NAMESPACE });
    closing.push(() => controller.stop());
    await applications.create('app', {
      source: { repoURL: `${server.url}/repository.git`, path: 'app' },
      destination: { server: 'https://kubernetes.default.svc', namespace: NAMESPACE },
      syncPolicy: { automated: {} },
    });
    await applications.until('app', { sync: 'Synced', phase: 'Succeeded' }, NAMESPACE);
  }, LONG);
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  }, LONG);

  it(
    'leaves the status as it was for a while, then makes it Unknown, and Synced again when it is back',
    async () => {
      const { url } = server;
      await server.close();
      const before = await controller.metric('argosy_passes_total');
      await controller.waitForReconciles(before + 1);
      expect((await applications.get('app'))?.status).toMatchObject({ sync: { status: 'Synced' } });
      await applications.until(
        'app',
        { sync: 'Unknown', conditions: { ComparisonError: 'repository.git' }, objects: { 'ConfigMap/own': {} } },
        NAMESPACE,
      );
      server = await startGitServer({ folder, users: [], isPublic: true, port: Number(new URL(url).port) });
      await applications.until('app', { sync: 'Synced', conditions: {} }, NAMESPACE);
    },
    LONG,
  );

  it(
    'stays told after a refresh, however often the application is looked at meanwhile',
    async () => {
      const { url } = server;
      await api.patch(
        { kind: 'ConfigMap', namespace: NAMESPACE, name: 'argocd-cm' },
        { data: { 'timeout.reconciliation': '0s' } },
      );
      await server.close();
      const told: string[] = [];
      const cache = new WatchCache(cluster, APPLICATIONS, {
        clock: systemClock,
        random: Math.random,
        report: () => undefined,
      });
      closing.push(() => {
        cache.close();
      });
      await cache.waitForSync();
      cache.subscribe((change) => {
        if (change.type === 'updated' && isObject(change.object.status) && isObject(change.object.status.sync))
          told.push(String(change.object.status.sync.status));
      });
      await applications.refresh('app');
      for (const label of ['once', 'twice']) {
        const before = await controller.metric('argosy_passes_total');
        await api.patch(
          { kind: 'ConfigMap', namespace: NAMESPACE, name: 'own' },
          { metadata: { labels: { [label]: 'true' } } },
        );
        await controller.waitForReconciles(before + 1);
      }
      await applications.until(
        'app',
        { sync: 'Unknown', conditions: { ComparisonError: 'repository.git' } },
        NAMESPACE,
      );
      expect(told.slice(told.indexOf('Unknown')).filter((sync) => sync !== 'Unknown')).toEqual([]);
      server = await startGitServer({ folder, users: [], isPublic: true, port: Number(new URL(url).port) });
      await applications.refresh('app');
      await applications.until('app', { sync: 'Synced', conditions: {} }, NAMESPACE);
    },
    LONG,
  );
});
