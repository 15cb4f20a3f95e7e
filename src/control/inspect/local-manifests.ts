import { Fault, hasManySources, writeJson, type KubeObject, type Tree } from '../../model/index.js';
import { RenderCache, renderSource } from '../../render/index.js';
import type { ReconcileContext } from '../delivery/reconcile-context.js';
import { openReconciliation } from '../delivery/reconciliation.js';
import { ReconcileState } from '../delivery/reconcile-state.js';
import { requireAdmitted } from './inspect-application.js';
import { renderTree } from '../manifests/render-manifests.js';

/** Files of somebody's own machine. */
export interface LocalFiles {
  readonly tree: Tree;
  /** The folder of the application in the tree. */
  readonly path: string;
}

/**
 * What an application would be if its repository held these files, as texts that a sync takes. The files are trusted:
 * they are rendered in this process.
 */
export async function renderLocalManifests(
  object: KubeObject,
  { tree, path }: LocalFiles,
  desk: ReconcileContext,
): Promise<string[]> {
  if (hasManySources(object))
    throw new Fault('USAGE', 'local files stand for one source, and the application has several', { where: '--local' });
  const { application, clusterCache, targetRules } = await openReconciliation(
    requireAdmitted(object, desk),
    new ReconcileState(),
    desk,
  );
  const [{ chart: _, ...source } = {}] = application.sources;
  const { kustomize, helm } = desk.controlPlane.settings;
  const manifests = await renderTree(
    { ...source, path: path === '' ? '.' : path },
    tree,
    {
      application: { name: application.name, namespace: application.namespace, project: application.project },
      destinationNamespace: targetRules.destinationNamespace,
      kubeVersion: clusterCache.kubeVersion,
      apiVersions: clusterCache.apiVersions,
      disabled: [...(kustomize.isEnabled ? [] : ['Kustomize' as const]), ...(helm.isEnabled ? [] : ['Helm' as const])],
    },
    { ...desk.renderer, cache: new RenderCache(), render: renderSource },
  );
  return manifests.map(({ object: each }) => writeJson(each));
}
