import { Fault } from '../../model/faults/index.js';
import { hasManySources } from '../../model/argo/index.js';
import { writeJson } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Tree } from '../../model/formats/index.js';
import { RenderCache, renderSource } from '../../render/index.js';
import { type ReconcileContext, openReconciliation } from '../delivery/index.js';
import { requireAdmitted } from './inspect-application.js';
import { renderTree } from '../manifests/index.js';

/** Files of somebody's own machine. */
export interface LocalFiles {
  readonly tree: Tree;
  /** The folder of the application in the tree; that of its source by default. */
  readonly path?: string;
  /** Of somebody else: they are rendered where a render can be stopped, not in this process. */
  readonly isForeign?: boolean;
}

/** What an application would be if its repository held these files, as texts that a sync takes. */
export async function renderLocalManifests(
  object: KubeObject,
  { tree, path, isForeign = false }: LocalFiles,
  context: ReconcileContext,
): Promise<string[]> {
  if (hasManySources(object))
    throw new Fault('USAGE', 'local files replace one source, but the application has several', { where: '--local' });
  const { application, clusterCache, targetRules } = await openReconciliation(
    requireAdmitted(object, context),
    context,
  );
  const [{ chart: _, ...source } = {}] = application.sources;
  const { kustomize, helm } = context.controlPlane.settings;
  const manifests = await renderTree(
    path === undefined ? source : { ...source, path: path === '' ? '.' : path },
    tree,
    {
      application: { name: application.name, namespace: application.namespace, project: application.project },
      destinationNamespace: targetRules.destinationNamespace,
      kubeVersion: clusterCache.kubeVersion,
      apiVersions: clusterCache.apiVersions,
      disabled: [...(kustomize.isEnabled ? [] : ['Kustomize' as const]), ...(helm.isEnabled ? [] : ['Helm' as const])],
    },
    { ...context.renderer, cache: new RenderCache(), ...(isForeign ? {} : { render: renderSource }) },
  );
  return manifests.map(({ object: each }) => writeJson(each));
}
