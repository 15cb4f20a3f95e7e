import { Fault, hasManySources, writeJson, type KubeObject, type Tree } from '../model/index.js';
import { RenderCache, renderSource } from '../render/index.js';
import type { Desk } from './delivery/desk.js';
import { openPass } from './delivery/pass.js';
import { ApplicationRecord } from './delivery/record.js';
import { admitted } from './inspect.js';
import { makeFromTree } from './make-manifests.js';

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
export async function localManifests(object: KubeObject, { tree, path }: LocalFiles, desk: Desk): Promise<string[]> {
  if (hasManySources(object))
    throw new Fault('USAGE', 'local files stand for one source, and the application has several', { where: '--local' });
  const { application, view, targetRules } = await openPass(admitted(object, desk), new ApplicationRecord(), desk);
  const [{ chart: _, ...source } = {}] = application.sources;
  const { kustomize, helm } = desk.home.settings;
  const manifests = await makeFromTree(
    { ...source, path: path === '' ? '.' : path },
    tree,
    {
      application: { name: application.name, namespace: application.namespace, project: application.project },
      destinationNamespace: targetRules.destinationNamespace,
      kubeVersion: view.kubeVersion,
      apiVersions: view.apiVersions,
      disabled: [...(kustomize.isEnabled ? [] : ['Kustomize' as const]), ...(helm.isEnabled ? [] : ['Helm' as const])],
    },
    { ...desk.workshop, cache: new RenderCache(), render: renderSource },
  );
  return manifests.map(({ object: each }) => writeJson(each));
}
