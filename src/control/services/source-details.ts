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
export async function sourceDetails(application: KubeObject, desk: ReconcileContext): Promise<JsonObject> {
  const admission = admitApplication(application, desk);
  if (admission.kind === 'refused')
    throw new Fault('VALUE_INVALID', admission.conditions.map(({ message }) => message).join('; '), {
      where: `Application ${application.metadata.name ?? ''}`,
    });
  const pass = await openReconciliation(admission.admitted, desk);
  const { name, namespace, sources } = pass.application;
  const request = {
    application: { name, namespace, project: projectOf(application) },
    sources,
    destinationNamespace: pass.targetRules.destinationNamespace,
    kubeVersion: pass.clusterCache.kubeVersion,
    apiVersions: pass.clusterCache.apiVersions,
  };
  const { type, helm } = await describeFirstSource(request, desk.renderer);
  if (helm !== undefined) {
    const parameters = helm.parameters
      .filter(({ removed }) => !removed)
      .map(({ path, value }) => {
        const shown = maskValue(path, value);
        return { name: pathText(path), value: typeof shown === 'string' ? shown : writeJson(shown) };
      });
    return { type, helm: { name, valueFiles: [...helm.valueFiles], values: helm.values, parameters } };
  }
  if (type === 'Kustomize')
    return {
      type,
      kustomize: {
        images: imagesOf((await renderManifests(request, desk.renderer)).manifests.map(({ object }) => object)),
      },
    };
  return type === 'Plugin' ? { type, plugin: {} } : { type, directory: {} };
}
