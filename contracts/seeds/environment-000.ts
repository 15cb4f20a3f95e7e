import { join } from 'node:path';
import { installCrds, readCrds } from '../../src/control/index.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { startEmbeddedServer } from '../embedded/embedded-server.js';
import type { ShellEnvironment } from './shell-environment.js';
import { NAMESPACES, type ResourceRef } from '../../src/model/resources/index.js';

const GITEAS: ResourceRef = { group: 'pfe.rhpds.com', version: 'v1', kind: 'Gitea', plural: 'gitea', namespaced: true };
const ID = { namespace: 'gitea', name: 'gitea-with-admin' };

/** A Gitea that knows its own password. */
export async function openEnvironment(): Promise<ShellEnvironment> {
  const server = await startEmbeddedServer();
  const cluster = await connectCluster(server.kubeconfigPath);
  await installCrds(cluster, await readCrds(join(import.meta.dirname, '../../world/controllers/gitea'), ['crds.yaml']));
  for (const name of ['gitea', 'platform'])
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await cluster.create(GITEAS, {
    apiVersion: 'pfe.rhpds.com/v1',
    kind: 'Gitea',
    metadata: ID,
    spec: { giteaAdminUser: 'admin' },
  });
  await cluster.patch(
    GITEAS,
    ID,
    { type: 'merge', body: { status: { adminPassword: 'open-sesame' } } },
    { subresource: 'status' },
  );
  return {
    kubeconfig: server.kubeconfigPath,
    close: async () => {
      await cluster.close();
      await server.stop();
    },
  };
}
