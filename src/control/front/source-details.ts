import { Fault, projectOf, writeJson, type JsonObject, type KubeObject } from '../../model/index.js';
import { pathText } from '../../render/index.js';
import { admit } from '../delivery/admit.js';
import { imagesOf } from '../delivery/application-summary.js';
import type { Desk } from '../delivery/desk.js';
import { openPass } from '../delivery/pass.js';
import { ApplicationRecord } from '../delivery/record.js';
import { describeFirst, makeManifests } from '../make-manifests.js';
import { shownValue } from './values.js';

/** What can be set in a source, as Argo CD's page asks for it. `application` has this source and says where it goes. */
export async function sourceDetails(application: KubeObject, desk: Desk): Promise<JsonObject> {
  const admission = admit(application, desk.home, desk.clusters, desk.controlNamespace);
  if (admission.kind === 'refused')
    throw new Fault('VALUE_INVALID', admission.conditions.map(({ message }) => message).join('; '), {
      where: `Application ${application.metadata.name ?? ''}`,
    });
  const pass = await openPass(admission.admitted, new ApplicationRecord(), desk);
  const { name, namespace, sources } = pass.application;
  const request = {
    application: { name, namespace, project: projectOf(application) },
    sources,
    destinationNamespace: pass.targetRules.destinationNamespace,
    kubeVersion: pass.view.kubeVersion,
    apiVersions: pass.view.apiVersions,
  };
  const { type, helm } = await describeFirst(request, desk.workshop);
  if (helm !== undefined) {
    const parameters = helm.parameters
      .filter(({ removed }) => !removed)
      .map(({ path, value }) => {
        const shown = shownValue(path, value);
        return { name: pathText(path), value: typeof shown === 'string' ? shown : writeJson(shown) };
      });
    return { type, helm: { name, valueFiles: [...helm.valueFiles], values: helm.values, parameters } };
  }
  if (type === 'Kustomize')
    return {
      type,
      kustomize: {
        images: imagesOf((await makeManifests(request, desk.workshop)).manifests.map(({ object }) => object)),
      },
    };
  return type === 'Plugin' ? { type, plugin: {} } : { type, directory: {} };
}
