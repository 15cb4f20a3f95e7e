import { Fault } from '../../model/faults/index.js';
import { projectOf } from '../../model/argo/index.js';
import { writeJson, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { pathText } from '../../render/index.js';
import { admitApplication, type ReconcileContext, openReconciliation } from '../delivery/index.js';
import { imagesOf } from '../status/index.js';
import { describeFirstSource, renderManifests } from '../manifests/index.js';
import { maskValue } from './values.js';

/** What can be set in a source, as Argo CD's page asks for it. `application` has this source and says where it goes. */
export async function sourceDetails(application: KubeObject, context: ReconcileContext): Promise<JsonObject> {
  const admission = admitApplication(application, context);
  if (admission.kind === 'refused')
    throw new Fault('VALUE_INVALID', admission.conditions.map(({ message }) => message).join('; '), {
      where: `Application ${application.metadata.name ?? ''}`,
    });
  const reconciliation = await openReconciliation(admission.admitted, context);
  const { name, namespace, sources } = reconciliation.application;
  const request = {
    application: { name, namespace, project: projectOf(application) },
    sources,
    destinationNamespace: reconciliation.targetRules.destinationNamespace,
    kubeVersion: reconciliation.clusterCache.kubeVersion,
    apiVersions: reconciliation.clusterCache.apiVersions,
  };
  const { type, helm } = await describeFirstSource(request, context.renderer);
  if (helm !== undefined) {
    const parameters = helm.parameters
      .filter(({ removed }) => !removed)
      .map(({ path, value }) => {
        const masked = maskValue(path, value);
        return { name: pathText(path), value: typeof masked === 'string' ? masked : writeJson(masked) };
      });
    return { type, helm: { name, valueFiles: [...helm.valueFiles], values: helm.values, parameters } };
  }
  if (type === 'Kustomize')
    return {
      type,
      kustomize: {
        images: imagesOf((await renderManifests(request, context.renderer)).manifests.map(({ object }) => object)),
      },
    };
  return type === 'Plugin' ? { type, plugin: {} } : { type, directory: {} };
}
