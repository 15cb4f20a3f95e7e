import { Fault } from '../../model/faults/index.js';
import { isObject, type JsonObject } from '../../model/json/index.js';
import { keyOf, type KubeObject } from '../../model/kubernetes/index.js';
import { readYaml } from '../../model/yaml/index.js';
import type { Application } from '../../model/argo/index.js';
import type { Manifest, SourceType } from '../../render/index.js';
import { renderManifests, type RenderedManifests, type Renderer } from '../manifests/index.js';
import type { ClusterCache } from '../cache/index.js';
import type { RenderedTargets } from './reconcile-state.js';
import { prepareTargets, type TargetRules } from '../comparison/index.js';

export interface RenderTargetsRequest {
  readonly application: Application;
  /** With the revisions that are wanted. */
  readonly sources: readonly JsonObject[];
  readonly renderer: Renderer;
  readonly clusterCache: ClusterCache;
  readonly rules: TargetRules;
  /** Ways to render that the administrator switched off. */
  readonly disabled: readonly SourceType[];
  /** How old what the repository said may be, in milliseconds. */
  readonly maxAge?: number;
}

/** What the result depends on beside the commits. */
export function renderKey({
  application,
  sources,
  clusterCache,
  rules,
  disabled,
}: Omit<RenderTargetsRequest, 'renderer'>): string {
  return JSON.stringify([
    sources,
    application.project,
    rules.destinationNamespace,
    rules.instance,
    rules.tracking,
    clusterCache.kindsVersion,
    disabled,
  ]);
}

export async function renderTargets(request: RenderTargetsRequest): Promise<RenderedTargets> {
  const { application, sources, renderer, clusterCache, rules, maxAge } = request;
  const made = await renderManifests(
    {
      application: { name: application.name, namespace: application.namespace, project: application.project },
      sources,
      disabled: request.disabled,
      destinationNamespace: rules.destinationNamespace,
      kubeVersion: clusterCache.kubeVersion,
      apiVersions: clusterCache.apiVersions,
      ...(maxAge === undefined ? {} : { maxAge }),
    },
    renderer,
  );
  return { key: renderKey(request), rendered: made, targets: prepareTargets(made.manifests, rules) };
}

/** The sources with the commits that an operation is pinned to. */
export function pinSources(sources: readonly JsonObject[], revisions: readonly string[]): JsonObject[] {
  return sources.map((source, index) => {
    const revision = revisions[index] ?? '';
    return revision === '' ? source : { ...source, targetRevision: revision };
  });
}

/** Manifests that came with a sync request, instead of those of the sources. */
export function parseGivenManifests(texts: readonly string[], revisions: readonly string[]): RenderedManifests {
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
