import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster, ResourceRef } from '../../src/cluster/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { textAt, type KubeObject } from '../../src/model/index.js';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { GitRepository } from './git-repository.js';
import { clusterOf, CRDS, startInProcess, type InProcess } from './in-process.js';

const missing = embeddedMissing();
const ref = (kind: string, plural: string, group = '', version = 'v1', namespaced = true): ResourceRef => ({ group, version, kind, plural, namespaced });
const [APPLICATIONS, PROJECTS, CONFIG_MAPS, NAMESPACES] = [ref('Application', 'applications', 'argoproj.io', 'v1alpha1'), ref('AppProject', 'appprojects', 'argoproj.io', 'v1alpha1'), ref('ConfigMap', 'configmaps'), ref('Namespace', 'namespaces', '', 'v1', false)];
/** What the administrator allows, and names that are almost so. */
const ALLOWED = ['argocd', 'team-a', 'open-1'];
const STRANGE = ['team-b', 'team-a-too', 'xteam-a', 'opened', 'default'];
const WITHIN = { timeout: 60_000, interval: 100 };

/** Nothing is divided among controllers here: of several one leads and the others wait, so each of them must know the limits. */
describe.skipIf(missing !== undefined).each([1, 2, 3])(`applications of other namespaces, with %i controllers${missing === undefined ? '' : ` (${missing})`}`, (count) => {
  let server: Awaited<ReturnType<typeof startEmbeddedServer>>;
  let cluster: Cluster;
  let repository: GitRepository;
  const controllers: InProcess[] = [];

  const application = (namespace: string, more: Partial<KubeObject> = {}): KubeObject => ({
    apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { namespace, name: 'web', finalizers: ['resources-finalizer.argocd.argoproj.io'], annotations: { 'argocd.argoproj.io/refresh': 'hard' } },
    spec: { project: 'default', source: { repoURL: repository.url, path: 'web', targetRevision: 'master' }, destination: { server: 'https://kubernetes.default.svc', namespace: `out-${namespace}` }, syncPolicy: { automated: {} } }, ...more,
  });
  const read = (namespace: string): Promise<KubeObject | undefined> => cluster.get(APPLICATIONS, { namespace, name: 'web' });
  const isDelivered = async (namespace: string): Promise<boolean> => await cluster.get(CONFIG_MAPS, { namespace: `out-${namespace}`, name: 'settings' }) !== undefined;

  beforeAll(async () => {
    server = await startEmbeddedServer('all');
    cluster = await clusterOf(server.kubeconfigPath);
    repository = await GitRepository.open(import.meta.dirname, [], (text) => text);
    await repository.write('web/all.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n');
    await repository.commit();
    for (const name of [...ALLOWED, ...STRANGE].flatMap((each) => [each, `out-${each}`])) if (name !== 'default') await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await installCrds(cluster, await readCrds(CRDS));
    await cluster.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-cmd-params-cm', namespace: 'argocd' }, data: { 'application.namespaces': 'team-a, open-?' } });
    await cluster.create(PROJECTS, { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name: 'default', namespace: 'argocd' }, spec: { sourceRepos: ['*'], sourceNamespaces: ['*'], destinations: [{ server: '*', namespace: '*' }], clusterResourceWhitelist: [{ group: '*', kind: '*' }] } });
    for (const namespace of STRANGE) await cluster.create(APPLICATIONS, application(namespace, namespace === 'team-b' ? { operation: { sync: { revision: 'master' } } } : {}));
    for (let index = 0; index < count; index++) controllers.push(await startInProcess({ kubeconfigPath: server.kubeconfigPath, namespace: 'argocd' }));
    for (const namespace of ALLOWED) await cluster.create(APPLICATIONS, application(namespace));
  });
  afterAll(async () => {
    for (const controller of controllers) await controller.stop();
    await cluster.close();
    await server.stop();
    await repository.close();
  });

  const untouched = async (): Promise<void> => {
    for (const namespace of STRANGE) {
      const object = await read(namespace);
      expect([namespace, object?.status, object?.metadata.generation, object?.metadata.annotations, await isDelivered(namespace)]).toEqual([namespace, undefined, 1, { 'argocd.argoproj.io/refresh': 'hard' }, false]);
      expect(object?.metadata.managedFields?.map(({ manager }) => manager)).toHaveLength(1);
    }
  };

  it('S28: those of allowed namespaces are delivered, others are not touched', async () => {
    for (const namespace of ALLOWED) await expect.poll(() => isDelivered(namespace), WITHIN).toBe(true);
    for (const namespace of ALLOWED) await expect.poll(async () => textAt(await read(namespace) ?? {}, 'status', 'sync', 'status'), WITHIN).toBe('Synced');
    await untouched();
  });

  it('S28: nor when another controller takes over, or when somebody asks for them', async () => {
    if (count > 1) await controllers.shift()?.stop();
    await cluster.patch(CONFIG_MAPS, { namespace: 'out-argocd', name: 'settings' }, { type: 'merge', body: { metadata: { annotations: { touched: 'yes' } } } });
    await cluster.patch(APPLICATIONS, { namespace: 'argocd', name: 'web' }, { type: 'merge', body: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } } });
    // Whoever leads now has looked.
    await expect.poll(async () => Object.keys((await read('argocd'))?.metadata.annotations ?? {}), WITHIN).not.toContain('argocd.argoproj.io/refresh');
    await untouched();
  });

  it('S28: one that is deleted keeps its finalizer, since nobody here may act on it', async () => {
    const [stray, own] = [await read('team-b'), await read('team-a')];
    await cluster.remove(APPLICATIONS, { namespace: 'team-b', name: 'web' }, { uid: stray?.metadata.uid ?? '' });
    await cluster.remove(APPLICATIONS, { namespace: 'team-a', name: 'web' }, { uid: own?.metadata.uid ?? '' });
    await expect.poll(() => read('team-a'), WITHIN).toBeUndefined();
    expect((await read('team-b'))?.metadata.finalizers).toEqual(['resources-finalizer.argocd.argoproj.io']);
    expect(await isDelivered('team-a')).toBe(false);
  });
});
