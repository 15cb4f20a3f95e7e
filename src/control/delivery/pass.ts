import { compileRules, OUR_MANAGERS, type DiffRules } from '../../diff/index.js';
import {
  exclusionOf,
  Fault,
  gvkOf,
  isObject,
  type Application,
  type JsonObject,
  type KubeObject,
} from '../../model/index.js';
import { findAnnotationProblems, findWaveProblems } from '../../plan/index.js';
import { RenderCache } from '../../render/index.js';
import { checkSignatures } from '../check-signatures.js';
import { exclusionAdvice } from '../exclusion-advice.js';
import { instanceName, objectionIn, type Admitted } from './admit.js';
import type { ClusterView } from './cluster-view.js';
import { circleConditions } from './circle.js';
import type { Condition } from './condition.js';
import type { Assess, Desk } from './desk.js';
import { Facts } from './facts.js';
import { assessIn, observe, type Lens, type Observation } from './observe.js';
import { givenManifests, makeTargets, madeKey, pinSources, type MakeTargets } from './make-targets.js';
import { permissionConditions } from './hook-permissions.js';
import { orphanConditions } from './orphans.js';
import type { ApplicationRecord, Made } from './record.js';
import { prepareTargets, type TargetRules, type Targets } from './targets.js';
import { trackingOf } from './tracking.js';

/** One look at one application: what it is, where it goes, and what is known of it from before. */
export interface Pass extends Admitted {
  readonly desk: Desk;
  readonly record: ApplicationRecord;
  readonly instance: string;
  readonly view: ClusterView;
  readonly rules: DiffRules;
  readonly assess: Assess;
  readonly objectionTo: (object: KubeObject) => string | undefined;
  readonly targetRules: TargetRules;
}

/** A cluster that nobody hears from is not judged by what was heard long ago. */
const SILENT_AFTER = 40_000;

export async function openPass(admitted: Admitted, record: ApplicationRecord, desk: Desk): Promise<Pass> {
  const { application, cluster } = admitted;
  const view = await desk.clusters.view(cluster);
  const silence = view.silence;
  if (silence !== undefined && silence > SILENT_AFTER)
    throw new Fault('CLUSTER_UNREACHABLE', `the cluster has not been heard from for ${Math.round(silence / 1000)} s`, {
      where: view.server,
    });
  const { settings } = desk.home;
  const instance = instanceName(application, desk.controlNamespace);
  record.facts = new Facts(view);
  const assess = assessIn(record.facts, desk.assessor(), desk.home.settings.improvements);
  return {
    ...admitted,
    desk,
    record,
    instance,
    view,
    assess,
    rules: rulesOf(application, record, desk),
    objectionTo: objectionIn(admitted, view),
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
function rulesOf(application: Application, record: ApplicationRecord, { home }: Desk): DiffRules {
  const { spec } = application.object;
  const from: readonly unknown[] = [
    home.settings,
    isObject(spec) ? spec.ignoreDifferences : undefined,
    application.object.metadata.annotations?.[MIGRATION_MANAGER],
  ];
  if (record.rules?.from.every((each, index) => each === from[index]) === true) return record.rules.rules;
  const manager = application.object.metadata.annotations?.[MIGRATION_MANAGER];
  const { ignoreDifferences, knownTypeFields, compareOptions, instanceLabelKey, trackingMethod } = home.settings;
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
export async function makeHead(pass: Pass): Promise<Made> {
  const { application, record, desk } = pass;
  const request = makeRequest(pass, application.sources);
  const known = record.head;
  if (
    known !== undefined &&
    record.refresh === undefined &&
    record.staleSince === undefined &&
    known.key === madeKey(request)
  )
    return known;
  const asked = record.refresh === undefined ? record.staleSince : Math.max(record.refresh.at, record.staleSince ?? 0);
  // Whoever looks again before the repository has answered must ask it too: what it said before the refresh does not
  // count any more.
  record.staleSince = asked;
  const workshop = record.refresh?.kind === 'hard' ? { ...desk.workshop, cache: new RenderCache() } : desk.workshop;
  const made = await makeTargets({
    ...request,
    workshop,
    ...(asked === undefined ? {} : { maxAge: Math.max(0, desk.clock.steady() - asked) }),
  });
  // What was asked for meanwhile is still to be done.
  if (record.staleSince === asked) record.staleSince = undefined;
  desk.metrics.count('argosy_comparisons_total', 'Times that manifests were made to be compared');
  // Before it is remembered: what is known counts as allowed.
  await refuseUnsigned(pass, application.sources, made);
  const isSame =
    known !== undefined &&
    known.key === made.key &&
    known.made.sources.every(({ revision }, index) => revision === made.made.sources[index]?.revision);
  record.head = isSame ? known : made;
  return record.head;
}

/**
 * The targets at the commits that an operation is pinned to. A new request may name branches, so what was made for an
 * earlier one does not count.
 */
export async function makePinned(
  pass: Pass,
  sources: readonly JsonObject[],
  revisions: readonly string[],
  isNew = false,
): Promise<Made> {
  const { record } = pass;
  const head = record.head;
  // A request without a commit means the newest, and a pass that begins one has just asked for it.
  const isNewest = revisions.every((revision) => revision === '');
  const isSame =
    head !== undefined &&
    head.made.sources.length === revisions.length &&
    head.made.sources.every(({ revision }, index) => revision === revisions[index]);
  if (head !== undefined && sources === pass.application.sources && (isNewest || isSame)) return head;
  const request = makeRequest(pass, pinSources(sources, revisions));
  if (!isNew && record.pinned?.key === madeKey(request)) return record.pinned;
  const made = await makeTargets({ ...request, ...(isNew ? { maxAge: 0 } : {}) });
  await refuseUnsigned(pass, sources, made);
  record.pinned = made;
  return made;
}

/** The targets of manifests that came with the request. */
export function makeGiven({ application, record, targetRules }: Pass, manifests: readonly string[]): Made {
  const key = JSON.stringify(manifests);
  if (record.pinned?.key === key) return record.pinned;
  const made = givenManifests(
    manifests,
    application.sources.map(() => ''),
  );
  record.pinned = { key, made, targets: prepareTargets(made.manifests, targetRules) };
  return record.pinned;
}

function makeRequest({ application, desk, view, targetRules }: Pass, sources: readonly JsonObject[]): MakeTargets {
  const { kustomize, helm } = desk.home.settings;
  const disabled = [
    ...(kustomize.isEnabled ? [] : ['Kustomize' as const]),
    ...(helm.isEnabled ? [] : ['Helm' as const]),
  ];
  return { application, sources, workshop: desk.workshop, view, rules: targetRules, disabled };
}

/** Commits of repositories whose project demands signatures are delivered only with a good one. */
async function refuseUnsigned(
  { application, project, desk }: Pass,
  sources: readonly JsonObject[],
  { made }: Made,
): Promise<void> {
  if (project.signaturePolicies.length === 0) return;
  for (const [index, { revision: commit }] of made.sources.entries()) {
    const { repoURL = '', chart = '', targetRevision = '', tagPrefix = '' } = sources[index] ?? {};
    if (typeof repoURL !== 'string' || repoURL.startsWith('oci://') || (typeof chart === 'string' && chart !== ''))
      continue;
    const objection = await checkSignatures(desk.workshop.sources, {
      policies: project.signaturePolicies,
      repoURL,
      project: application.project,
      commit,
      keys: desk.home.signingKeys,
      targetRevision: typeof targetRevision === 'string' ? targetRevision : '',
      tagPrefix: typeof tagPrefix === 'string' ? tagPrefix : '',
    });
    if (objection !== undefined) throw new Fault('SOURCE_REFUSED', objection, { where: repoURL });
  }
}

export async function look(pass: Pass, { targets }: Made, before: Observation | undefined): Promise<Observation> {
  const { application, instance, view, rules, assess, objectionTo, desk } = pass;
  const lens: Lens = {
    application,
    instance,
    view,
    tracking: trackingOf(desk.home.settings),
    rules,
    comparer: desk.comparer,
    assess,
    objectionTo,
  };
  const seen = await observe(targets.targets, lens, before);
  return {
    ...seen,
    conditions: [
      ...targets.conditions,
      ...seen.conditions,
      ...orphanConditions(pass),
      ...ruleConditions(rules),
      ...annotationConditions(targets),
      ...findWaveProblems(application.object).map((message) => ({ type: 'AnnotationWarning' as const, message })),
      ...circleConditions(application.object, desk.home, desk.controlNamespace),
      ...settingConditions(desk),
      ...permissionConditions(pass, targets),
    ],
  };
}

function annotationConditions({ targets }: Targets): Condition[] {
  return targets.flatMap(({ object, origin }) =>
    findAnnotationProblems(object).map((problem) => ({
      type: 'AnnotationWarning' as const,
      message: origin === '' ? problem : `${problem} (${origin})`,
    })),
  );
}

/** A setting that cannot be used counts for every application, so each of them says it. */
function settingConditions({ home }: Desk): Condition[] {
  return home.problems.map((problem) => ({ type: 'SettingsWarning', message: `a setting is not used: ${problem}` }));
}

/** Rules that cannot be read are left out; the application says which. */
function ruleConditions({ problems }: DiffRules): Condition[] {
  return problems.map(({ where, expression, message }) => ({
    type: 'IgnoreDifferencesWarning',
    message: `${where} is not used: ${expression}: ${message}`,
  }));
}
