import { compileRules, OUR_MANAGERS, type DiffRules } from '../../diff/index.js';
import { exclusionOf } from '../../model/settings/index.js';
import { Fault } from '../../model/faults/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject, type JsonObject } from '../../model/json/index.js';
import type { Application } from '../../model/argo/index.js';
import { findAnnotationErrors, findApplicationAnnotationErrors } from '../../plan/index.js';
import { RenderCache } from '../../render/index.js';
import { checkSignatures } from '../manifests/index.js';
import {
  exclusionAdvice,
  dependencyCycleConditions,
  type Condition,
  RelatedObjects,
  assessWith,
  compareResources,
  type CompareContext,
  type ComparedState,
  prepareTargets,
  type TargetRules,
  type Targets,
  trackingOf,
} from '../comparison/index.js';
import { instanceName, violationIn, type Admitted } from './admission.js';
import type { ClusterCache } from '../cache/index.js';
import type { Assess, ReconcileContext } from './reconcile-context.js';
import {
  parseGivenManifests,
  renderTargets,
  renderKey,
  pinSources,
  type RenderTargetsRequest,
} from './render-targets.js';
import { hookPermissionConditions } from './hook-permissions.js';
import { orphanConditions } from './orphans.js';
import { ReconcileState, type RenderedTargets } from './reconcile-state.js';

/** One look at one application: what it is, where it goes, and what is known of it from before. */
export interface Reconciliation extends Admitted {
  readonly context: ReconcileContext;
  readonly reconcileState: ReconcileState;
  readonly instance: string;
  readonly clusterCache: ClusterCache;
  readonly rules: DiffRules;
  readonly assess: Assess;
  readonly findViolation: (object: KubeObject) => string | undefined;
  readonly targetRules: TargetRules;
}

/** A cluster that nobody hears from is not judged by what was heard long ago. */
const MAX_SILENCE = 40_000;

export async function openReconciliation(
  admitted: Admitted,
  desk: ReconcileContext,
  record = new ReconcileState(),
): Promise<Reconciliation> {
  const { application, cluster } = admitted;
  const view = await desk.clusters.cacheOf(cluster);
  const silence = view.disconnectedFor;
  if (silence !== undefined && silence > MAX_SILENCE)
    throw new Fault('CLUSTER_UNREACHABLE', `the cluster has not been heard from for ${Math.round(silence / 1000)} s`, {
      where: view.server,
    });
  const { settings } = desk.controlPlane;
  const instance = instanceName(application, desk.controlNamespace);
  record.relatedObjects = new RelatedObjects(view);
  const assess = assessWith(record.relatedObjects, desk.assessor(), desk.controlPlane.settings.improvements);
  return {
    ...admitted,
    context: desk,
    reconcileState: record,
    instance,
    clusterCache: view,
    assess,
    rules: diffRulesOf(application, record, desk),
    findViolation: violationIn(admitted, view),
    targetRules: {
      instance,
      destinationNamespace: application.destination.namespace,
      tracking: trackingOf(settings),
      kindOf: (object) => view.kindOf(object),
      exclusionOf: (object) => {
        const exclusion = exclusionOf(settings.resourceFilter, gvkOf(object), view.server);
        return exclusion === undefined ? undefined : exclusionAdvice(object, exclusion);
      },
    },
  };
}

/** Compiled once for as long as nothing about them changes. */
function diffRulesOf(application: Application, record: ReconcileState, { controlPlane }: ReconcileContext): DiffRules {
  const { spec } = application.object;
  const from: readonly unknown[] = [
    controlPlane.settings,
    isObject(spec) ? spec.ignoreDifferences : undefined,
    application.object.metadata.annotations?.[MIGRATION_MANAGER],
  ];
  if (record.rules?.from.every((each, index) => each === from[index]) === true) return record.rules.rules;
  const manager = application.object.metadata.annotations?.[MIGRATION_MANAGER];
  const { ignoreDifferences, knownTypeFields, compareOptions, instanceLabelKey, trackingMethod } =
    controlPlane.settings;
  const rules = compileRules({
    ignoreDifferences: application.ignoreDifferences,
    systemIgnoreDifferences: ignoreDifferences,
    knownTypeFields,
    instanceLabelKey,
    trackingMethod,
    ignoreAggregatedRoles: compareOptions.ignoreAggregatedRoles,
    ignoreResourceStatusField: compareOptions.ignoreResourceStatusField,
    ...(manager === undefined ? {} : { managers: [...OUR_MANAGERS, manager] }),
  });
  record.rules = { from, rules };
  return rules;
}

export const MIGRATION_MANAGER = 'argocd.argoproj.io/client-side-apply-migration-manager';

/** The targets of the sources as the Application has them, from the newest commits or from the last ones that count. */
export async function renderHead(pass: Reconciliation): Promise<RenderedTargets> {
  const { application, reconcileState, context } = pass;
  const request = renderRequest(pass, application.sources);
  const known = reconcileState.head;
  if (
    known !== undefined &&
    reconcileState.refresh === undefined &&
    reconcileState.staleSince === undefined &&
    known.key === renderKey(request)
  )
    return known;
  const asked =
    reconcileState.refresh === undefined
      ? reconcileState.staleSince
      : Math.max(reconcileState.refresh.at, reconcileState.staleSince ?? 0);
  // Whoever looks again before the repository has answered must ask it too: what it said before the refresh does not
  // count any more.
  reconcileState.staleSince = asked;
  const workshop =
    reconcileState.refresh?.kind === 'hard' ? { ...context.renderer, cache: new RenderCache() } : context.renderer;
  const made = await renderTargets({
    ...request,
    renderer: workshop,
    ...(asked === undefined ? {} : { maxAge: Math.max(0, context.clock.steady() - asked) }),
  });
  // What was asked for meanwhile is still to be done.
  if (reconcileState.staleSince === asked) reconcileState.staleSince = undefined;
  context.metrics.count('argosy_comparisons_total', 'Times that manifests were made to be compared');
  // Before it is remembered: what is known counts as allowed.
  await requireSignatures(pass, application.sources, made);
  const isSame =
    known !== undefined &&
    known.key === made.key &&
    known.rendered.sources.every(({ revision }, index) => revision === made.rendered.sources[index]?.revision);
  reconcileState.head = isSame ? known : made;
  return reconcileState.head;
}

/**
 * The targets at the commits that an operation is pinned to. A new request may name branches, so what was made for an
 * earlier one does not count.
 */
export async function renderPinned(
  pass: Reconciliation,
  sources: readonly JsonObject[],
  revisions: readonly string[],
  isNew = false,
): Promise<RenderedTargets> {
  const { reconcileState } = pass;
  const head = reconcileState.head;
  // A request without a commit means the newest, and a pass that begins one has just asked for it.
  const isNewest = revisions.every((revision) => revision === '');
  const isSame =
    head !== undefined &&
    head.rendered.sources.length === revisions.length &&
    head.rendered.sources.every(({ revision }, index) => revision === revisions[index]);
  if (head !== undefined && sources === pass.application.sources && (isNewest || isSame)) return head;
  const request = renderRequest(pass, pinSources(sources, revisions));
  if (!isNew && reconcileState.pinned?.key === renderKey(request)) return reconcileState.pinned;
  const made = await renderTargets({ ...request, ...(isNew ? { maxAge: 0 } : {}) });
  await requireSignatures(pass, sources, made);
  reconcileState.pinned = made;
  return made;
}

/** The targets of manifests that came with the request. */
export function useGivenManifests(
  { application, reconcileState, targetRules }: Reconciliation,
  manifests: readonly string[],
): RenderedTargets {
  const key = JSON.stringify(manifests);
  if (reconcileState.pinned?.key === key) return reconcileState.pinned;
  const made = parseGivenManifests(
    manifests,
    application.sources.map(() => ''),
  );
  reconcileState.pinned = { key, rendered: made, targets: prepareTargets(made.manifests, targetRules) };
  return reconcileState.pinned;
}

function renderRequest(
  { application, context, clusterCache, targetRules }: Reconciliation,
  sources: readonly JsonObject[],
): RenderTargetsRequest {
  const { kustomize, helm } = context.controlPlane.settings;
  const disabled = [
    ...(kustomize.isEnabled ? [] : ['Kustomize' as const]),
    ...(helm.isEnabled ? [] : ['Helm' as const]),
  ];
  return { application, sources, renderer: context.renderer, clusterCache, rules: targetRules, disabled };
}

/** Commits of repositories whose project demands signatures are delivered only with a good one. */
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
    const objection = await checkSignatures(context.renderer.sources, {
      policies: project.signaturePolicies,
      repoURL,
      project: application.project,
      commit,
      keys: context.controlPlane.signingKeys,
      targetRevision: typeof targetRevision === 'string' ? targetRevision : '',
      tagPrefix: typeof tagPrefix === 'string' ? tagPrefix : '',
    });
    if (objection !== undefined) throw new Fault('SOURCE_REFUSED', objection, { where: repoURL });
  }
}

export async function compare(
  pass: Reconciliation,
  { targets }: RenderedTargets,
  before: ComparedState | undefined,
): Promise<ComparedState> {
  const { application, instance, clusterCache, rules, assess, findViolation, context } = pass;
  const lens: CompareContext = {
    application,
    instance,
    clusterCache,
    tracking: trackingOf(context.controlPlane.settings),
    rules,
    comparer: context.comparer,
    assess,
    findViolation,
  };
  const seen = await compareResources(targets.targets, lens, before);
  return {
    ...seen,
    conditions: [
      ...targets.conditions,
      ...seen.conditions,
      ...orphanConditions(pass),
      ...ruleConditions(rules),
      ...annotationConditions(targets),
      ...findApplicationAnnotationErrors(application.object).map((message) => ({
        type: 'AnnotationWarning' as const,
        message,
      })),
      ...dependencyCycleConditions(application.object, context.controlPlane, context.controlNamespace),
      ...settingConditions(context),
      ...hookPermissionConditions(pass, targets),
    ],
  };
}

function annotationConditions({ targets }: Targets): Condition[] {
  return targets.flatMap(({ object, origin }) =>
    findAnnotationErrors(object).map((problem) => ({
      type: 'AnnotationWarning' as const,
      message: origin === '' ? problem : `${problem} (${origin})`,
    })),
  );
}

/** A setting that cannot be used counts for every application, so each of them says it. */
function settingConditions({ controlPlane }: ReconcileContext): Condition[] {
  return controlPlane.problems.map((problem) => ({
    type: 'SettingsWarning',
    message: `a setting is not used: ${problem}`,
  }));
}

/** Rules that cannot be read are left out; the application says which. */
function ruleConditions({ problems }: DiffRules): Condition[] {
  return problems.map(({ where, expression, message }) => ({
    type: 'IgnoreDifferencesWarning',
    message: `${where} is not used: ${expression}: ${message}`,
  }));
}
