import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKubeconfig, type PemSource } from '../../src/cluster/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import {
  APPLICATION_SETS,
  APPLICATIONS,
  APP_PROJECTS,
  CONFIG_MAPS,
  NAMESPACES,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '../../src/model/resources/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import type { HttpResponse } from '../harness/send-request.js';
import { AccessLab } from './access-lab.js';

const missing = embeddedMissing();
const TENANTS = ['shop', 'bank'];
const SERVER = 'https://kubernetes.default.svc';
const CANARY = 'bank-canary';

/** Two tenants, each with all rights of its own project and namespace. */
describe.skipIf(missing !== undefined)(`a tenant${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  let shop = '';
  const send = (method: string, path: string, body?: JsonObject): Promise<HttpResponse> =>
    lab.request(path, { method, token: shop, ...(body === undefined ? {} : { body }) });
  const configMap = (namespace: string, name: string, owner = ''): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace,
      name,
      ...(owner === ''
        ? {}
        : { annotations: { 'argocd.argoproj.io/tracking-id': `${owner}:/ConfigMap:${namespace}/${name}` } }),
    },
    data: { text: owner === 'shop-app' ? 'mine' : CANARY },
  });
  const at = (namespace: string, name: string): string =>
    `/api/v1/applications/shop-app/resource?kind=ConfigMap&version=v1&namespace=${namespace}&resourceName=${name}`;
  const application = (tenant: string): KubeObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: `${tenant}-app`, namespace: 'argocd' },
    spec: {
      project: tenant,
      source: { repoURL: 'https://git.example.com/a', path: 'a' },
      destination: { server: SERVER, namespace: tenant },
    },
  });
  const applicationSet = (project: string): JsonObject => ({
    metadata: { name: 'apps' },
    spec: {
      generators: [{ list: { elements: [] } }],
      template: { metadata: { name: 'x' }, spec: application(project).spec as JsonObject },
    },
  });

  beforeAll(async () => {
    lab = await AccessLab.open();
    for (const tenant of TENANTS) {
      await lab.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: tenant } });
      await lab.cluster.create(APP_PROJECTS, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'AppProject',
        metadata: { name: tenant, namespace: 'argocd' },
        spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: tenant }] },
      });
      await lab.cluster.create(APPLICATIONS, application(tenant));
    }
    const mine = await lab.cluster.create(CONFIG_MAPS, configMap('shop', 'mine', 'shop-app'));
    await lab.cluster.create(CONFIG_MAPS, configMap('shop', 'untracked'));
    await lab.cluster.create(CONFIG_MAPS, configMap('shop', 'of-another', 'shop-other'));
    await lab.cluster.create(CONFIG_MAPS, configMap('bank', 'ledger', 'bank-app'));
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: mine.metadata.uid ?? '' }];
    for (const namespace of ['bank', 'shop'])
      await lab.cluster.create(CONFIG_MAPS, {
        ...configMap(namespace, 'child'),
        metadata: { namespace, name: 'child', ownerReferences },
      });
    await lab.cluster.create(CONFIG_MAPS, {
      ...configMap('shop', 'copy'),
      metadata: { namespace: 'shop', name: 'copy', annotations: mine.metadata.annotations ?? {} },
    });
    shop =
      (
        await lab.people(
          ['shop'],
          ['applications', 'applicationsets', 'clusters', 'repositories', 'logs', 'exec'].map(
            (resource) => `p, shop, ${resource}, *, shop/*, allow`,
          ),
        )
      ).get('shop') ?? '';
  });
  afterAll(async () => {
    await lab.close();
  });

  describe('who writes the status of an own application', () => {
    const listed = [
      ['shop', 'mine'],
      ['shop', 'untracked'],
      ['shop', 'copy'],
      ['bank', 'child'],
      ['shop', 'of-another'],
      ['bank', 'ledger'],
      ['bank', 'absent'],
      ['argocd', 'argocd-rbac-cm'],
    ] as const;
    beforeAll(async () => {
      const resources = [
        ...listed.map(([namespace, name]) => ({ version: 'v1', kind: 'ConfigMap', namespace, name })),
        { group: 'rbac.authorization.k8s.io', version: 'v9', kind: 'ClusterRole', name: 'cluster-admin' },
      ];
      await lab.cluster.patch(
        APPLICATIONS,
        { namespace: 'argocd', name: 'shop-app' },
        { type: 'merge', body: { status: { resources } } },
      );
      await lab.until('the tree has its objects', async () => (await send('GET', at('shop', 'mine'))).status === 200);
    });

    it('opens what is tracked as its own; of other entries it sees names that the project allows', async () => {
      const { status, body, text } = await send('GET', '/api/v1/applications/shop-app/resource-tree');
      expect(status).toBe(200);
      const nodes = (body.nodes as JsonObject[]).map(({ namespace, name, uid }) => [
        namespace,
        name,
        uid !== undefined,
      ]);
      expect(nodes.sort()).toEqual([
        ['shop', 'child', true],
        ['shop', 'copy', false],
        ['shop', 'mine', true],
        ['shop', 'of-another', false],
        ['shop', 'untracked', false],
      ]);
      expect(text).not.toMatch(/ledger|absent|argocd-rbac-cm|cluster-admin/);
    });

    it.each(listed.slice(1))('reads, changes and deletes nothing of %s/%s', async (namespace, name) => {
      const before = await lab.cluster.get(CONFIG_MAPS, { namespace, name });
      const read = await send('GET', at(namespace, name));
      expect([read.status >= 400, read.text.includes(CANARY)]).toEqual([true, false]);
      const patch = { patch: '{"data":{"policy.csv":"g, shop, role:admin"}}' };
      const patched = await send('POST', `${at(namespace, name)}&patchType=application/merge-patch%2Bjson`, patch);
      expect(patched.status).toBeGreaterThanOrEqual(400);
      expect((await send('DELETE', at(namespace, name))).status).toBeGreaterThanOrEqual(400);
      expect(await lab.cluster.get(CONFIG_MAPS, { namespace, name })).toEqual(before);
    });

    it('is refused the same for an object that exists as for one that does not', async () => {
      const answers = await Promise.all(
        ['ledger', 'absent'].map(async (name) => {
          const { status, text } = await send('GET', at('bank', name));
          return [status, text.replaceAll(name, 'NAME')];
        }),
      );
      expect(answers[0]).toEqual(answers[1]);
    });
  });

  it('learns nothing of objects of others from causes, whatever an own application lists', async () => {
    const application = { namespace: 'argocd', name: 'shop-app' };
    const pod = (namespace: string, name: string, secret: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name },
      spec: {
        nodeName: 'node-1',
        containers: [{ name: 'main', image: 'busybox', envFrom: [{ secretRef: { name: secret } }] }],
      },
    });
    const bad = { version: 'v1', kind: 'Pod', health: { status: 'Degraded' }, status: 'Synced' };
    for (const [namespace, name, secret] of [
      ['bank', 'teller-canary', 'vault-canary'],
      ['shop', 'till', 'absent-key'],
    ] as const) {
      await lab.cluster.create(SERVICE_ACCOUNTS, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace, name: 'default' },
      });
      await lab.cluster.create(PODS, pod(namespace, name, secret));
      const waiting = {
        reason: 'CreateContainerConfigError',
        message: `secret "${secret}" not found`,
      };
      await lab.cluster.patch(
        PODS,
        { namespace, name },
        {
          type: 'merge',
          body: {
            status: {
              phase: 'Pending',
              containerStatuses: [
                { name: 'main', image: 'busybox', imageID: '', ready: false, restartCount: 0, state: { waiting } },
              ],
            },
          },
        },
        { subresource: 'status' },
      );
    }
    const body = {
      status: {
        health: { status: 'Degraded' },
        sync: { status: 'Synced' },
        resources: [
          { ...bad, namespace: 'bank', name: 'teller-canary' },
          { ...bad, namespace: 'shop', name: 'till' },
        ],
      },
    };
    await lab.cluster.patch(APPLICATIONS, application, { type: 'merge', body });
    const admin = await lab.token();
    const explain = (token: string): Promise<HttpResponse> =>
      lab.request('/api/v1/applications/shop-app/explain', { token });
    let seen = '';
    await lab.until('the causes are found', async () => {
      seen = (await explain(admin)).text;
      return seen.includes('vault-canary') && seen.includes('absent-key');
    });
    for (const path of ['/api/v1/applications/shop-app/explain', '/api/v1/fleet']) {
      const { status, text } = await send('GET', path);
      expect([status, text.includes('absent-key')]).toEqual([200, true]);
      expect(text).not.toMatch(/vault-canary|teller-canary|bank/);
    }
    expect((await explain(shop)).body.reasons).toContainEqual(
      '1 cause lies in objects that you may not see: ask somebody who may get all applications',
    );
  });

  it('does not replace the ApplicationSet of another project by upsert', async () => {
    await lab.cluster.create(APPLICATION_SETS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      ...applicationSet('bank'),
      metadata: { name: 'apps', namespace: 'argocd' },
    });
    const { status } = await send('POST', '/api/v1/applicationsets?upsert=true', applicationSet('shop'));
    expect(status).toBe(403);
    expect(await lab.cluster.get(APPLICATION_SETS, { namespace: 'argocd', name: 'apps' })).toMatchObject({
      spec: { template: { spec: { project: 'bank' } } },
    });
  });

  it('does not take over the cluster of another project, or of all, by upsert', async () => {
    const found = await loadKubeconfig({ path: lab.kubeconfig, environment: {}, defaultPath: lab.kubeconfig });
    const pem = (source: PemSource | undefined): string =>
      Buffer.from(source?.kind === 'text' ? source.pem : '').toString('base64');
    const config = {
      tlsClientConfig: {
        caData: pem(found.authority),
        certData: pem(found.user.certificate),
        keyData: pem(found.user.key),
      },
    };
    const admin = await lab.token();
    for (const project of ['', 'bank']) {
      const given = { server: found.server, name: 'prod', config, project };
      const made = await lab.request('/api/v1/clusters?upsert=true', { method: 'POST', token: admin, body: given });
      expect(made.status).toBe(200);
      const at_ = `/api/v1/clusters/${encodeURIComponent(found.server)}`;
      await lab.until(
        'the cluster is known',
        async () => ((await lab.request(at_, { token: admin })).body.project ?? '') === project,
      );
      for (const query of ['?upsert=true', ''])
        expect(
          (await send('POST', `/api/v1/clusters${query}`, { ...given, name: 'mine', project: 'shop' })).status,
        ).toBe(403);
    }
    const { items } = await lab.cluster.list(SECRETS, {
      namespace: 'argocd',
      labelSelector: 'argocd.argoproj.io/secret-type=cluster',
    });
    expect(items.map(({ data }) => Buffer.from(String((data as JsonObject).name), 'base64').toString())).toEqual([
      'prod',
    ]);
  });
});
