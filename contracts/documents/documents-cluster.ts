import { join } from 'node:path';
import type { ClusterName } from '../deliver/case.js';
import { startArgosy } from '../web/argosy-up.js';
import { CONTROL_NAMESPACE, type DocumentsCluster, type DocumentsPlace } from './documents-place.js';

/** The embedded cluster with all that plays on it, or a real control plane with the same beside it. */
export async function openDocumentsCluster(name: ClusterName, place: DocumentsPlace): Promise<DocumentsCluster> {
  return name === 'embedded' ? openEmbedded(place) : (await import('./real-documents.js')).openReal(place);
}

async function openEmbedded({ root, gitUrl }: DocumentsPlace): Promise<DocumentsCluster> {
  const argosy = await startArgosy([
    ...['--no-fleet', '--profile', 'openshift', '--namespace', CONTROL_NAMESPACE],
    ...['--process-network', new URL(gitUrl).host, '--allow-file-repos', root],
  ]);
  const data = join(argosy.folder, 'data');
  return {
    kubeconfig: join(data, 'kubeconfig'),
    data,
    url: argosy.url,
    environment: {},
    close: argosy.close,
  };
}
