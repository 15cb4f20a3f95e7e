import { Fault } from '../../model/faults/index.js';
import { isObject, type JsonObject } from '../../model/json/index.js';
import { keyOf, type KubeObject } from '../../model/kubernetes/index.js';
import { readYaml } from '../../model/yaml/index.js';
import { RenderCache, type Manifest } from '../../render/index.js';
import { checkSignatures, renderManifests, type RenderedManifests, type Renderer } from '../manifests/index.js';
import { prepareTargets, type Targets } from '../comparison/index.js';
import type { Reconciliation } from './reconciliation.js';

/** Targets with the manifests that they come from. */
export interface RenderedTargets {
  /** Everything that the result depends on except the commits. */
  readonly key: string;
  readonly rendered: RenderedManifests;
  readonly targets: Targets;
}

export interface RenderHeadOptions {
  /** The last head; returned again if the commits are still the same. */
  readonly known?: RenderedTargets | undefined;
  /** Milliseconds that an answer of a repository may be old; as the settings say by default. */
  readonly maxAge?: number | undefined;
  /** Renders without the cache of manifests. */
  readonly isHard?: boolean;
}

/** What rendering the head depends on except the commits. */
export function headKey(reconciliation: Reconciliation): string {
  return renderKey(reconciliation, reconciliation.application.sources);
}

/** Renders the sources as the Application has them. */
export async function renderHead(
  reconciliation: Reconciliation,
  { known, maxAge, isHard = false }: RenderHeadOptions,
): Promise<RenderedTargets> {
  const { application, context } = reconciliation;
  const renderer = isHard ? { ...context.renderer, cache: new RenderCache() } : context.renderer;
  const head = await renderTargets(reconciliation, application.sources, renderer, maxAge);
  context.metrics.count('argosy_comparisons_total', 'Times that manifests were rendered to be compared.');
  await requireSignatures(reconciliation, application.sources, head);
  return known !== undefined && known.key === head.key && hasRevisions(known, revisionsOf(head)) ? known : head;
}

export interface RenderRevisionsOptions {
  /** Used instead if it is at these revisions. */
  readonly head?: RenderedTargets;
  /** The last result; used instead if it is the same request. */
  readonly known?: RenderedTargets | undefined;
  /** A new request may name branches: the repositories are asked now, and `known` does not count. */
  readonly isNew?: boolean;
}

/** Renders sources at given revisions, for an operation. An empty revision stays what the source says. */
export async function renderRevisions(
  reconciliation: Reconciliation,
  sources: readonly JsonObject[],
  revisions: readonly string[],
  { head, known, isNew = false }: RenderRevisionsOptions,
): Promise<RenderedTargets> {
  const { application, context } = reconciliation;
  // A request without a commit means the newest one, which the head has.
  const isHead =
    head !== undefined && (revisions.every((revision) => revision === '') || hasRevisions(head, revisions));
  if (isHead && sources === application.sources) return head;
  const pinned = pinSources(sources, revisions);
  if (!isNew && known !== undefined && known.key === renderKey(reconciliation, pinned)) return known;
  const targets = await renderTargets(reconciliation, pinned, context.renderer, isNew ? 0 : undefined);
  await requireSignatures(reconciliation, sources, targets);
  return targets;
}

/** The targets of manifests that came with a sync request. */
export function useGivenManifests(
  { application, targetRules }: Reconciliation,
  manifests: readonly string[],
  known?: RenderedTargets,
): RenderedTargets {
  const key = JSON.stringify(manifests);
  if (known?.key === key) return known;
  const rendered = parseGivenManifests(
    manifests,
    application.sources.map(() => ''),
  );
  return { key, rendered, targets: prepareTargets(rendered.manifests, targetRules) };
}

export function revisionsOf({ rendered }: RenderedTargets): string[] {
  return rendered.sources.map(({ revision }) => revision);
}

function hasRevisions({ rendered: { sources } }: RenderedTargets, revisions: readonly string[]): boolean {
  return sources.length === revisions.length && sources.every(({ revision }, index) => revision === revisions[index]);
}

function renderKey(reconciliation: Reconciliation, sources: readonly JsonObject[]): string {
  const {
    application,
    targetRules,
    clusterCache,
    context: { renderer },
  } = reconciliation;
  return JSON.stringify([
    sources,
    application.project,
    // What was read with credentials that are no longer there does not count.
    sources.map(({ repoURL }) =>
      typeof repoURL === 'string' ? renderer.sources.accessVersion({ url: repoURL, project: application.project }) : '',
    ),
    targetRules.destinationNamespace,
    targetRules.instance,
    targetRules.tracking,
    clusterCache.kindsVersion,
    disabledTools(reconciliation),
  ]);
}

/** Tools that the administrator switched off. */
function disabledTools({ context }: Reconciliation): ('Kustomize' | 'Helm')[] {
  const { kustomize, helm } = context.controlPlane.settings;
  return [...(kustomize.isEnabled ? [] : ['Kustomize' as const]), ...(helm.isEnabled ? [] : ['Helm' as const])];
}

async function renderTargets(
  reconciliation: Reconciliation,
  sources: readonly JsonObject[],
  renderer: Renderer,
  maxAge: number | undefined,
): Promise<RenderedTargets> {
  const { application, clusterCache, targetRules } = reconciliation;
  const rendered = await renderManifests(
    {
      application: { name: application.name, namespace: application.namespace, project: application.project },
      sources,
      disabled: disabledTools(reconciliation),
      destinationNamespace: targetRules.destinationNamespace,
      kubeVersion: clusterCache.kubeVersion,
      apiVersions: clusterCache.apiVersions,
      ...(maxAge === undefined ? {} : { maxAge }),
    },
    renderer,
  );
  return {
    key: renderKey(reconciliation, sources),
    rendered,
    targets: prepareTargets(rendered.manifests, targetRules),
  };
}

/** Commits of a repository whose project demands signatures need a valid one. */
async function requireSignatures(
  { application, project, context }: Reconciliation,
  sources: readonly JsonObject[],
  { rendered }: RenderedTargets,
): Promise<void> {
  if (project.signaturePolicies.length === 0) return;
  for (const [index, { revision: commit }] of rendered.sources.entries()) {
    const { repoURL = '', chart = '', targetRevision = '', tagPrefix = '' } = sources[index] ?? {};
    if (typeof repoURL !== 'string' || repoURL.startsWith('oci://') || (typeof chart === 'string' && chart !== ''))
      continue;
    const violation = await checkSignatures(context.renderer.sources, {
      policies: project.signaturePolicies,
      repoURL,
      project: application.project,
      commit,
      keys: context.controlPlane.signingKeys,
      targetRevision: typeof targetRevision === 'string' ? targetRevision : '',
      tagPrefix: typeof tagPrefix === 'string' ? tagPrefix : '',
    });
    if (violation !== undefined) throw new Fault('SOURCE_REFUSED', violation, { where: repoURL });
  }
}

/** The sources at the commits that an operation is pinned to. */
function pinSources(sources: readonly JsonObject[], revisions: readonly string[]): JsonObject[] {
  return sources.map((source, index) => {
    const revision = revisions[index] ?? '';
    return revision === '' ? source : { ...source, targetRevision: revision };
  });
}

function parseGivenManifests(texts: readonly string[], revisions: readonly string[]): RenderedManifests {
  const manifests = texts.flatMap((text, index): Manifest[] =>
    readYaml(text, { dialect: 'kubernetes' }).map(({ value }) => {
      if (
        !isObject(value) ||
        typeof value.apiVersion !== 'string' ||
        typeof value.kind !== 'string' ||
        !isObject(value.metadata)
      )
        throw new Fault('MANIFEST_INVALID', 'is not a Kubernetes object', {
          where: `operation.sync.manifests[${index}]`,
        });
      const object = value as KubeObject;
      return { object, origin: { file: `given ${keyOf(object).name}`, line: 1 } };
    }),
  );
  return {
    manifests,
    sources: revisions.map((revision) => ({ revision, type: undefined, warnings: [], isPinned: false })),
  };
}
