import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import type { ClusterConfig, Environment } from './cluster-config.js';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Whether this process runs in a pod that may talk to its API server. */
export function isInCluster(environment: Environment): boolean {
  return (environment['KUBERNETES_SERVICE_HOST'] ?? '') !== '' && (environment['KUBERNETES_SERVICE_PORT'] ?? '') !== '';
}

/** The API server of the cluster that this process runs in, as the pod's service account. */
export async function inClusterConfig(environment: Environment, directory = SERVICE_ACCOUNT): Promise<ClusterConfig> {
  if (!isInCluster(environment)) {
    throw new Fault(
      'KUBECONFIG_INVALID',
      'this process does not run in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set',
      { where: 'in-cluster' },
    );
  }
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? '';
  const tokenFile = join(directory, 'token');
  await mustRead(tokenFile);
  const namespace = (await mustRead(join(directory, 'namespace'))).trim();
  return {
    context: 'in-cluster',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: namespace === '' ? 'default' : namespace,
    authority: { kind: 'file', path: join(directory, 'ca.crt') },
    skipTlsVerify: false,
    user: { tokenFile },
  };
}

async function mustRead(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Fault(
      'KUBECONFIG_INVALID',
      "the pod's service account cannot be read: is automountServiceAccountToken off?",
      { where: path, cause: error },
    );
  }
}
