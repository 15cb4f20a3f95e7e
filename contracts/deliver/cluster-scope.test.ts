import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/cluster/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { textAt, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import {
  APPLICATIONS,
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
  CONFIG_MAPS,
  NAMESPACES,
  ROLES,
  ROLE_BINDINGS,
  SECRETS,
  SERVICE_ACCOUNTS,
  type ResourceRef,
} from '../../src/model/resources/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { AuditLog } from '../faults/audit-log.js';
import { GitRepository } from '../harness/git-repository.js';
import {
  connectCluster,
  CRDS,
  startInProcessController,
  type InProcessController,
} from '../harness/in-process-controller.js';
import { bothServers, createObject, type Server } from './both-servers.js';

const SERVERS = await bothServers();

const WITHIN = { timeout: 60_000, interval: 50 };
const ALL_RULES: JsonObject[] = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
const MAP = (name: string, namespace = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${namespace === '' ? '' : `, namespace: ${namespace}`}}\n` +
  'data: {a: b}\n';
const CLUSTER_ROLE = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: wide}\nrules: []\n';

describe.each(SERVERS)('clusters of which only some namespaces are managed, on %s', (_, { missing, open }) => {
  let server: Server;
  let cluster: Cluster;
  let repository: GitRepository;
  let controller: InProcessController;
  let audit: AuditLog | undefined;
  let address = '';
  const isThere = missing === undefined;

  const create = (ref: ResourceRef, namespace: string, name: string, content: JsonObject): Promise<KubeObject> =>
    createObject(cluster, ref, { namespace, name }, content);
  const read = (name: string): Promise<KubeObject | undefined> =>
    cluster.get(APPLICATIONS, { namespace: 'argocd', name });
  const status = async (name: string): Promise<string> => textAt((await read(name)) ?? {}, 'status', 'sync', 'status');
  const map = (namespace: string, name: string): Promise<KubeObject | undefined> =>
    cluster.get(CONFIG_MAPS, { namespace, name });

  /** Of the Secret `narrow`, the other fields stay. */
  const scope = (data: Readonly<Record<string, string>>): Promise<KubeObject> =>
    cluster.patch(SECRETS, { namespace: 'argocd', name: 'narrow' }, { type: 'merge', body: { stringData: data } });

  async function deliver(
    name: string,
    path: string,
    namespace: string,
    options: readonly string[] = [],
  ): Promise<void> {
    await cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: {
        namespace: 'argocd',
        name,
        finalizers: ['resources-finalizer.argocd.argoproj.io/background'],
      },
      spec: {
        project: 'default',
        source: { repoURL: repository.url, path, targetRevision: 'master' },
        destination: { name: 'narrow', namespace },
        syncPolicy: {
          automated: { prune: true, selfHeal: true },
          syncOptions: ['PrunePropagationPolicy=background', ...options],
        },
      },
    });
  }

  const removeApplication = async (name: string): Promise<void> => {
    await cluster.remove(APPLICATIONS, { namespace: 'argocd', name }, { uid: (await read(name))?.metadata.uid ?? '' });
    await expect.poll(() => read(name), WITHIN).toBeUndefined();
  };

  beforeAll(async () => {
    if (!isThere) return;
    server = await open();
    cluster = await connectCluster(server.kubeconfigPath);
    repository = await GitRepository.open(import.meta.dirname, [], (text) => text);
    await repository.write('plain/map.yaml', MAP('settings'));
    await repository.write('both/map.yaml', MAP('first', 'one') + '---\n' + MAP('second', 'two'));
    await repository.write('outside/map.yaml', MAP('inside') + '---\n' + MAP('stray', 'three'));
    await repository.write('wide/role.yaml', CLUSTER_ROLE);
    await repository.commit();
    await installCrds(cluster, await readCrds(CRDS));
    for (const name of ['argocd', 'one', 'two', 'three']) await create(NAMESPACES, '', name, {});
    await create(SERVICE_ACCOUNTS, 'argocd', 'tenant', {});
    const subjects = [{ kind: 'ServiceAccount', namespace: 'argocd', name: 'tenant' }];
    for (const namespace of ['one', 'two']) {
      await create(ROLES, namespace, 'all', { rules: ALL_RULES });
      await create(ROLE_BINDINGS, namespace, 'all', {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'all' },
        subjects,
      });
    }
    const token = textAt(
      await cluster.create(
        SERVICE_ACCOUNTS,
        {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: { namespace: 'argocd', name: 'tenant' },
          spec: { expirationSeconds: 3600 },
        },
        { subresource: 'token' },
      ),
      'status',
      'token',
    );
    const kubeconfig = readOneYaml(readFileSync(server.kubeconfigPath, 'utf8'), { dialect: 'kubernetes' });
    const [place] = (kubeconfig as { clusters: { cluster: JsonObject }[] }).clusters;
    address = String(place?.cluster.server);
    await cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        namespace: 'argocd',
        name: 'narrow',
        labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
      },
      stringData: {
        name: 'narrow',
        server: address,
        namespaces: 'one, two',
        config: JSON.stringify({
          bearerToken: token,
          tlsClientConfig: { caData: place?.cluster['certificate-authority-data'] ?? '' },
        }),
      },
    });
    if (server.auditPath !== undefined) audit = new AuditLog(server.auditPath);
    controller = await startInProcessController({ kubeconfigPath: server.kubeconfigPath, namespace: 'argocd' });
  });
  afterAll(async () => {
    if (!isThere) return;
    await controller.stop();
    await cluster.close();
    await server.stop();
    await repository.close();
  });

  describe.skipIf(!isThere)('the Secret', () => {
    it('lists and watches in its namespaces alone, and delivers, heals and prunes there', async () => {
      await deliver('both', 'both', 'one', ['CreateNamespace=true']);
      await expect.poll(() => status('both'), WITHIN).toBe('Synced');
      // Nobody but the watch of the second namespace says that this object has changed.
      const { metadata } = (await map('two', 'second')) as KubeObject;
      await cluster.patch(
        CONFIG_MAPS,
        { namespace: 'two', name: 'second' },
        { type: 'merge', body: { data: { a: 'changed' } } },
      );
      await expect.poll(async () => (await map('two', 'second'))?.data, WITHIN).toEqual({ a: 'b' });
      expect((await map('two', 'second'))?.metadata.uid).toBe(metadata.uid);
      // One outside of them that names the application is neither seen nor pruned.
      await cluster.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          namespace: 'three',
          name: 'copy',
          annotations: { 'argocd.argoproj.io/tracking-id': 'both:/ConfigMap:three/copy' },
        },
      });
      await cluster.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          namespace: 'one',
          name: 'copy',
          annotations: { 'argocd.argoproj.io/tracking-id': 'both:/ConfigMap:one/copy' },
        },
      });
      await expect.poll(() => map('one', 'copy'), WITHIN).toBeUndefined();
      expect(await map('three', 'copy')).toBeDefined();
      if (audit === undefined) return;
      const requests = audit.read().filter(({ user }) => user === 'system:serviceaccount:argocd:tenant');
      expect(requests.length).toBeGreaterThan(10);
      expect([...new Set(requests.map(({ namespace }) => namespace))].sort()).toEqual(['one', 'two']);
      expect(requests.filter(({ code }) => code === 403)).toEqual([]);
    });

    it.each([
      ['outside', 'outside', 'namespace "three" for ConfigMap "stray" is not managed'],
      ['elsewhere', 'plain', 'namespace "three" for ConfigMap "settings" is not managed'],
      ['wide', 'wide', 'cluster level ClusterRole "wide" can not be managed when in namespaced mode'],
    ])('refuses what it does not name: %s', async (name, path, message) => {
      await deliver(name, path, name === 'elsewhere' ? 'three' : 'one');
      await expect
        .poll(async () => JSON.stringify((await read(name))?.status ?? {}), WITHIN)
        .toContain(`Failed to load live state: ${message.replaceAll('"', '\\"')}`);
      expect([await status(name), (await read(name))?.operation]).toEqual(['Unknown', undefined]);
      expect(await map('one', 'inside')).toBeUndefined();
      await cluster.patch(
        APPLICATIONS,
        { namespace: 'argocd', name },
        { type: 'merge', body: { operation: { sync: { revision: 'master' } } } },
      );
      await expect
        .poll(async () => textAt((await read(name)) ?? {}, 'status', 'operationState', 'phase'), WITHIN)
        .toBe('Error');
      expect(await map('one', 'inside')).toBeUndefined();
      await removeApplication(name);
    });

    it('may be changed: with another namespace and rights its objects are delivered', async () => {
      await deliver('outside', 'outside', 'one');
      await expect.poll(() => status('outside'), WITHIN).toBe('Unknown');
      const subjects = [{ kind: 'ServiceAccount', namespace: 'argocd', name: 'tenant' }];
      await create(CLUSTER_ROLES, '', 'all', { rules: ALL_RULES });
      await create(CLUSTER_ROLE_BINDINGS, '', 'all', {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'all' },
        subjects,
      });
      await scope({ namespaces: 'one,two,three' });
      await expect.poll(() => status('outside'), WITHIN).toBe('Synced');
      expect(await map('three', 'stray')).toBeDefined();
    });

    it('with clusterResources manages objects without a namespace as well', async () => {
      // Rights alone do not widen it.
      await deliver('wide', 'wide', 'one');
      await expect.poll(() => status('wide'), WITHIN).toBe('Unknown');
      expect(await cluster.get(CLUSTER_ROLES, { name: 'wide' })).toBeUndefined();
      await scope({ clusterResources: 'true' });
      await expect.poll(() => status('wide'), WITHIN).toBe('Synced');
      expect(await cluster.get(CLUSTER_ROLES, { name: 'wide' })).toBeDefined();
      await removeApplication('wide');
      expect(await cluster.get(CLUSTER_ROLES, { name: 'wide' })).toBeUndefined();
    });
  });
});
