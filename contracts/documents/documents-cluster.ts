import { join } from 'node:path';
import { startArgosy } from '../web/argosy-up.js';
import type { ClusterName } from '../deliver/case.js';

const CONTROL_NAMESPACE = 'openshift-gitops';

/** An Argosy as somebody starts it for documents about OpenShift GitOps. */
export interface DocumentsCluster {
  readonly kubeconfig: string;
  /** Its data directory, from which commands know it. */
  readonly data: string;
  readonly url: string;
  readonly password: string;
  close(): Promise<void>;
}

export async function openDocumentsCluster(
  _name: ClusterName,
  { root, gitUrl }: { readonly root: string; readonly gitUrl: string },
): Promise<DocumentsCluster> {
  const argosy = await startArgosy([
    ...['--no-fleet', '--profile', 'openshift', '--namespace', CONTROL_NAMESPACE],
    ...['--process-network', new URL(gitUrl).host, '--allow-file-repos', root],
  ]);
  const data = join(argosy.folder, 'data');
  return {
    kubeconfig: join(data, 'kubeconfig'),
    data,
    url: argosy.url,
    password: argosy.password,
    close: argosy.close,
  };
}
