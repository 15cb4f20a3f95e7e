import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/cluster/index.js';
import type { ResourceRef } from '../../src/model/resources/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { type JsonObject, textAt } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { GitRepository } from '../harness/git-repository.js';
import {
  connectCluster,
  CRDS,
  startInProcessController,
  type InProcessController,
} from '../harness/in-process-controller.js';

const missing = embeddedMissing();
const ref = (kind: string, plural: string, group = '', version = 'v1', namespaced = true): ResourceRef => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});
const [APPLICATIONS, PROJECTS, CONFIG_MAPS, SECRETS, DEPLOYMENTS, NAMESPACES] = [
  ref('Application', 'applications', 'argoproj.io', 'v1alpha1'),
  ref('AppProject', 'appprojects', 'argoproj.io', 'v1alpha1'),
  ref('ConfigMap', 'configmaps'),
  ref('Secret', 'secrets'),
  ref('Deployment', 'deployments', 'apps'),
  ref('Namespace', 'namespaces', '', 'v1', false),
];
const WITHIN = { timeout: 60_000, interval: 50 };
/** Nothing is ready in the first wave before somebody makes the Secret; the second wave is what must not come. */
const FILES = `apiVersion: apps/v1
kind: Deployment
metadata: {name: first}
spec:
  selector: {matchLabels: {app: first}}
  template:
    metadata: {labels: {app: first}}
    spec: {containers: [{name: main, image: 'busybox', envFrom: [{secretRef: {name: late}}]}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: second, annotations: {argocd.argoproj.io/sync-wave: "1"}}
`;

/** What an administrator takes from a project while a sync of it waits between two waves. */
const TAKEN: Readonly<Record<string, JsonObject>> = {
  'the namespace of the application': { sourceNamespaces: [] },
  'the destination': { destinations: [{ server: '*', namespace: 'elsewhere' }] },
  'the repository': { sourceRepos: ['https://git.example.com/*'] },
  'the kind': { namespaceResourceBlacklist: [{ group: '', kind: 'ConfigMap' }] },
};

describe.skipIf(missing !== undefined)(
  `a project that is edited while a sync waits${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let server: Awaited<ReturnType<typeof startEmbeddedServer>>;
    let cluster: Cluster;
    let repository: GitRepository;
    let controller: InProcessController;
    const create = (kind: ResourceRef, name: string, namespace: string, content: JsonObject): Promise<KubeObject> =>
      cluster.create(kind, {
        apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
        kind: kind.kind,
        metadata: { name, ...(namespace === '' ? {} : { namespace }) },
        ...content,
      });

    beforeAll(async () => {
      server = await startEmbeddedServer('all');
      cluster = await connectCluster(server.kubeconfigPath);
      repository = await GitRepository.open(import.meta.dirname, [], (text) => text);
      await repository.write('web/all.yaml', FILES);
      await repository.commit();
      await installCrds(cluster, await readCrds(CRDS));
      for (const name of ['argocd', 'team']) await create(NAMESPACES, name, '', {});
      await create(CONFIG_MAPS, 'argocd-cmd-params-cm', 'argocd', { data: { 'application.namespaces': 'team' } });
      controller = await startInProcessController({ kubeconfigPath: server.kubeconfigPath, namespace: 'argocd' });
    });
    afterAll(async () => {
      await controller.stop();
      await cluster.close();
      await server.stop();
      await repository.close();
    });

    it.each(Object.keys(TAKEN))('S26: nothing more is applied once it does not allow %s', async (what) => {
      const name = what.replaceAll(' ', '-');
      const application = (): Promise<KubeObject | undefined> => cluster.get(APPLICATIONS, { namespace: 'team', name });
      await create(NAMESPACES, name, '', {});
      await create(PROJECTS, name, 'argocd', {
        spec: { sourceRepos: ['*'], sourceNamespaces: ['team'], destinations: [{ server: '*', namespace: '*' }] },
      });
      await create(APPLICATIONS, name, 'team', {
        spec: {
          project: name,
          source: { repoURL: repository.url, path: 'web', targetRevision: 'master' },
          destination: { server: 'https://kubernetes.default.svc', namespace: name },
        },
        operation: { sync: { revision: 'master' } },
      });
      await expect.poll(() => cluster.get(DEPLOYMENTS, { namespace: name, name: 'first' }), WITHIN).toBeDefined();
      await expect
        .poll(async () => textAt((await application()) ?? {}, 'status', 'operationState', 'phase'), WITHIN)
        .toBe('Running');
      await cluster.patch(
        PROJECTS,
        { namespace: 'argocd', name },
        { type: 'merge', body: { spec: TAKEN[what] ?? {} } },
      );
      await create(SECRETS, 'late', name, {});
      // The first wave is through, and the controller has looked again since.
      const ready = async (): Promise<unknown> =>
        ((await cluster.get(DEPLOYMENTS, { namespace: name, name: 'first' }))?.status as JsonObject | undefined)
          ?.readyReplicas;
      await expect.poll(ready, WITHIN).toBe(1);
      await expect
        .poll(async () => JSON.stringify((await application())?.status ?? {}), WITHIN)
        .toMatch(/not permitted|do not match any of the allowed/);
      const before = await controller.metric('argosy_passes_total');
      await cluster.patch(
        APPLICATIONS,
        { namespace: 'team', name },
        { type: 'merge', body: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } } },
      );
      await controller.waitForReconciles(before + 1);
      expect(await cluster.get(CONFIG_MAPS, { namespace: name, name: 'second' })).toBeUndefined();
    });
  },
);
