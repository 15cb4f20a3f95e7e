import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { installCrds, readCrds } from '../../src/control/index.js';
import { Connection } from '../apiserver/connection.js';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { Api } from './api.js';
import { Applications } from './applications.js';
import { GitRepository } from '../harness/git-repository.js';
import { connectCluster, CRDS, startInProcessController } from '../harness/in-process-controller.js';

/** Name, type and labels as Argo CD 3.5 publishes them: dashboards ask for exactly these. */
const PUBLISHED: readonly (readonly [name: string, type: string, labels: string])[] = [
  [
    'argocd_app_info',
    'gauge',
    'namespace,name,project,autosync_enabled,repo,dest_server,dest_namespace,sync_status,health_status,operation',
  ],
  ['argocd_app_sync_total', 'counter', 'namespace,name,project,dest_server,phase,dry_run'],
  ['argocd_app_sync_duration_seconds_total', 'counter', 'namespace,name,project,dest_server'],
  [
    'argocd_app_k8s_request_total',
    'counter',
    'namespace,name,project,server,response_code,verb,resource_kind,resource_namespace,dry_run',
  ],
  ['argocd_app_reconcile', 'histogram', 'namespace,dest_server'],
  ['argocd_cluster_info', 'gauge', 'server,k8s_version,name'],
  ['argocd_cluster_connection_status', 'gauge', 'server,k8s_version'],
  ['argocd_cluster_api_resources', 'gauge', 'server'],
  ['argocd_cluster_api_resource_objects', 'gauge', 'server'],
  ['argocd_cluster_cache_age_seconds', 'gauge', 'server'],
  ['argocd_cluster_events_total', 'counter', 'server,group,kind'],
  ['argocd_git_request_total', 'counter', 'repo,request_type'],
  ['argocd_git_request_duration_seconds', 'histogram', 'repo,request_type'],
];
const absent = embeddedMissing();
const SERVER = 'https://kubernetes.default.svc';
const LONG = 60_000;

describe.skipIf(absent !== undefined)('the numbers of a controller that has delivered', () => {
  let text = '';
  let close: () => Promise<void>;
  let stopServer: () => Promise<void>;
  let ready: () => Promise<string>;

  beforeAll(async () => {
    const server = await startEmbeddedServer();
    const connection = new Connection(server.kubeconfigPath);
    const api = new Api(connection);
    const cluster = await connectCluster(server.kubeconfigPath);
    await installCrds(cluster, await readCrds(CRDS));
    await cluster.close();
    const repository = await GitRepository.open('/nonexistent', [], (each) => each);
    await repository.write('app/map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n');
    await repository.commit();
    for (const name of ['argocd', 'shop'])
      await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, '');
    const applications = new Applications(api, 'argocd');
    const source = { repoURL: repository.url, path: 'app' };
    await applications.create('shop', {
      sources: [source],
      destination: { name: 'in-cluster', namespace: 'shop' },
      syncPolicy: { automated: {} },
    });
    await applications.create('waiting', {
      source: { ...source, repoURL: 'https://person:canary@127.0.0.1:1/x.git' },
      destination: { server: SERVER, namespace: 'shop' },
      syncPolicy: { automated: { enabled: false } },
    });
    const controller = await startInProcessController({ kubeconfigPath: server.kubeconfigPath, namespace: 'argocd' });
    stopServer = () => server.stop();
    ready = () => controller.ready();
    close = async () => {
      await controller.stop();
      await connection.close();
      await server.stop();
      await repository.close();
    };
    await applications.until('shop', { sync: 'Synced', phase: 'Succeeded' }, 'shop');
    text = await controller.metrics();
  }, LONG);
  afterAll(() => close(), LONG);

  it.each(PUBLISHED)('have %s as a %s of %s', (name, type, labels) => {
    expect(text).toContain(`# TYPE ${name} ${type}\n`);
    const series =
      text.split('\n').find((line) => line.startsWith(`${type === 'histogram' ? `${name}_count` : name}{`)) ?? '';
    expect(labelsOf(series)).toBe(labels);
  });

  it('say what is true', () => {
    const shop = 'namespace="argocd",name="shop",project="default"';
    expect(text).toMatch(
      new RegExp(
        `argocd_app_info\\{${shop},autosync_enabled="true",repo="file:[^"]+",dest_server="${SERVER}` +
          '",dest_namespace="shop",sync_status="Synced",health_status="Healthy",operation=""\\} 1',
      ),
    );
    expect(text).toContain(
      `argocd_app_sync_total{${shop},dest_server="${SERVER}",phase="Succeeded",dry_run="false"} 1\n`,
    );
    expect(text).toContain(
      `argocd_app_k8s_request_total{${shop},server="${SERVER}` +
        '",response_code="201",verb="Patch",resource_kind="configmaps",resource_namespace="shop",dry_run="false"} 1\n',
    );
    expect(text).toMatch(
      /argocd_cluster_connection_status\{server="https:\/\/kubernetes.default.svc",k8s_version="1\.34[^"]*"\} 1\n/,
    );
    expect(text).toMatch(/argocd_app_info\{[^}]*name="waiting"[^}]*autosync_enabled="false"[^}]*\} 1/);
  });

  it('have no password of an address', () => {
    expect(text).not.toContain('canary');
  });

  it(
    'are those of a controller that is ready, and is not once the API server is away',
    async () => {
      expect(await ready()).toBe('200 ok');
      await stopServer();
      await vi.waitFor(async () => {
        expect(await ready()).toBe('503 not ready: the Kubernetes API server cannot be reached\n');
      }, LONG);
    },
    LONG,
  );
});

function labelsOf(series: string): string {
  return [...series.matchAll(/([a-z0-9_]+)="/g)].map(([, name]) => name).join();
}
