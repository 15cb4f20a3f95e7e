import { join } from 'node:path';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { SandboxMount } from './sandbox-mount.js';

/** How processes of pods reach the API. */
export interface ClusterAccess {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  /** A token for the account of a pod; an empty audience is the API's own. */
  token(pod: KubeObject, audience: string, seconds: number): string;
  /** The interpreter that somebody chose, and the folders that it lives in. */
  readonly python?: { readonly program: string; readonly folders: readonly string[] };
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const KUBECONFIG = '/var/run/secrets/argosy/kubeconfig';

/** What every container finds: the variables of a pod, and a kubeconfig where it has a token. */
export function clusterAccess({ url }: ClusterAccess): {
  variables: [string, string][];
  kubeconfig(
    mounts: readonly SandboxMount[],
    write: (name: string, content: string) => string,
    namespace: string,
  ): SandboxMount | undefined;
} {
  const { hostname, port } = new URL(url);
  return {
    variables: [
      ['KUBERNETES_SERVICE_HOST', hostname],
      ['KUBERNETES_SERVICE_PORT', port],
      ['KUBERNETES_SERVICE_PORT_HTTPS', port],
    ],
    kubeconfig(mounts, write, namespace) {
      if (!mounts.some(({ target }) => target === ACCOUNT)) return undefined;
      const file = write(
        'kubeconfig',
        [
          'apiVersion: v1',
          'kind: Config',
          'current-context: pod',
          'clusters:',
          '- name: argosy',
          '  cluster:',
          `    server: ${url}`,
          `    certificate-authority: ${join(ACCOUNT, 'ca.crt')}`,
          'contexts:',
          '- name: pod',
          '  context:',
          '    cluster: argosy',
          '    user: account',
          `    namespace: ${JSON.stringify(namespace)}`,
          'users:',
          '- name: account',
          '  user:',
          `    tokenFile: ${join(ACCOUNT, 'token')}`,
          '',
        ].join('\n'),
      );
      return { kind: 'read', source: file, target: KUBECONFIG };
    },
  };
}
