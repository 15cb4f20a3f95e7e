import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { own, textAt } from '../../src/model/json/index.js';
import { CLUSTER_ROLE_BINDINGS, NAMESPACES, SECRETS, SERVICE_ACCOUNTS } from '../../src/model/resources/index.js';
import { startEmbeddedProcess } from '../embedded/embedded-server.js';
import type { ControlPlane } from '../real/control-plane.js';
import { CONTROL_NAMESPACE } from './application.js';
import { connectAsAdmin } from './lab-plane.js';

const ADMIN = 'lab-admin';

/** The embedded server with its controllers, scheduler and nodes, as a lab takes a control plane. */
export async function openEmbeddedPlane(): Promise<ControlPlane> {
  const server = await startEmbeddedProcess('all');
  const { dir, kubeconfigPath } = server;
  const certs = join(dir, 'certs');
  mkdirSync(certs);
  for (const end of ['crt', 'key']) copyFileSync(join(dir, `pki/server.${end}`), join(certs, `apiserver.${end}`));
  const cluster = await connectAsAdmin({ kubeconfigPath });
  try {
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CONTROL_NAMESPACE } });
    const metadata = { name: ADMIN, namespace: CONTROL_NAMESPACE };
    await cluster.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    await cluster.create(CLUSTER_ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: ADMIN },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    });
    await cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': ADMIN } },
      type: 'kubernetes.io/service-account-token',
    });
    const run = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8')) as { readonly api: string };
    let token = '';
    while (token === '') {
      const secret = await cluster.get(SECRETS, metadata);
      token = Buffer.from(textAt(secret === undefined ? undefined : own(secret, 'data'), 'token'), 'base64').toString();
      if (token === '') await delay(20);
    }
    return {
      url: run.api,
      caPem: readFileSync(join(dir, 'pki/ca.crt'), 'utf8'),
      adminToken: token,
      kubeconfigPath,
      dir,
      pids: { etcd: 0, apiserver: 0 },
      readyMs: 0,
      restart: () => Promise.reject(new Error('the embedded server of a lab is not restarted')),
      remember: () => Promise.reject(new Error('the embedded server of a lab belongs to one lab')),
      stop: () => server.stop(),
    };
  } finally {
    await cluster.close();
  }
}
