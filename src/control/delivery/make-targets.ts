import {
  Fault,
  isObject,
  keyOf,
  readYaml,
  type Application,
  type JsonObject,
  type KubeObject,
} from '../../model/index.js';
import type { Manifest, SourceType } from '../../render/index.js';
import { makeManifests, type MadeManifests, type Workshop } from '../make-manifests.js';
import type { ClusterView } from './cluster-view.js';
import type { Made } from './record.js';
import { prepareTargets, type TargetRules } from './targets.js';

export interface MakeTargets {
  readonly application: Application;
  /** With the revisions that are wanted. */
  readonly sources: readonly JsonObject[];
  readonly workshop: Workshop;
  readonly view: ClusterView;
  readonly rules: TargetRules;
  /** Ways to render that the administrator switched off. */
  readonly disabled: readonly SourceType[];
  /** How old what the repository said may be, in milliseconds. */
  readonly maxAge?: number;
}

/** What the result depends on beside the commits. */
export function madeKey({ application, sources, view, rules, disabled }: Omit<MakeTargets, 'workshop'>): string {
  return JSON.stringify([
    sources,
    application.project,
    rules.destinationNamespace,
    rules.instance,
    rules.tracking,
    view.kindsVersion,
    disabled,
  ]);
}

export async function makeTargets(request: MakeTargets): Promise<Made> {
  const { application, sources, workshop, view, rules, maxAge } = request;
  const made = await makeManifests(
    {
      application: { name: application.name, namespace: application.namespace, project: application.project },
      sources,
      disabled: request.disabled,
      destinationNamespace: rules.destinationNamespace,
      kubeVersion: view.kubeVersion,
      apiVersions: view.apiVersions,
      ...(maxAge === undefined ? {} : { maxAge }),
    },
    workshop,
  );
  return { key: madeKey(request), made, targets: prepareTargets(made.manifests, rules) };
}

/** The sources with the commits that an operation is pinned to. */
export function pinSources(sources: readonly JsonObject[], revisions: readonly string[]): JsonObject[] {
  return sources.map((source, index) => {
    const revision = revisions[index] ?? '';
    return revision === '' ? source : { ...source, targetRevision: revision };
  });
}

/** Manifests that came with a sync request, instead of those of the sources. */
export function givenManifests(texts: readonly string[], revisions: readonly string[]): MadeManifests {
  const manifests = texts.flatMap((text, index): Manifest[] =>
    readYaml(text, { dialect: 'kubernetes' }).map(({ value }) => {
      if (
        !isObject(value) ||
        typeof value.apiVersion !== 'string' ||
        typeof value.kind !== 'string' ||
        !isObject(value.metadata)
      )
        throw new Fault('MANIFEST_INVALID', 'is no Kubernetes object', { where: `operation.sync.manifests[${index}]` });
      const object = value as KubeObject;
      return { object, origin: { file: `given ${keyOf(object).name}`, line: 1 } };
    }),
  );
  return {
    manifests,
    sources: revisions.map((revision) => ({ revision, type: undefined, warnings: [], isPinned: false })),
  };
}
