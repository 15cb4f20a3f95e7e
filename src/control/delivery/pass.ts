import { compileRules, OUR_MANAGERS, type DiffRules } from '../../diff/index.js';
import { exclusionOf, Fault, gvkOf, type Application, type JsonObject, type KubeObject } from '../../model/index.js';
import { RenderCache } from '../../render/index.js';
import { exclusionAdvice } from '../exclusion-advice.js';
import { instanceName, objectionIn, type Admitted } from './admit.js';
import type { ClusterView } from './cluster-view.js';
import type { Condition } from './condition.js';
import type { Assess, Desk } from './desk.js';
import { assessIn, observe, type Lens, type Observation } from './observe.js';
import { makeTargets, madeKey, pinSources, type MakeTargets } from './make-targets.js';
import { orphanConditions } from './orphans.js';
import type { ApplicationRecord, Made } from './record.js';
import type { TargetRules } from './targets.js';
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
  if (silence !== undefined && silence > SILENT_AFTER) throw new Fault('CLUSTER_UNREACHABLE', `the cluster has not been heard from for ${Math.round(silence / 1000)} s`, { where: view.server });
  const { settings } = desk.home;
  const instance = instanceName(application, desk.controlNamespace);
  const assess = assessIn(view, desk.assessor());
  return {
    ...admitted, desk, record, instance, view, assess,
    rules: rulesOf(application, record, desk),
    objectionTo: objectionIn(admitted, view),
    targetRules: {
      instance, destinationNamespace: application.destination.namespace, tracking: trackingOf(settings), kindOf: (object) => view.kindOf(object),
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
  const from: readonly unknown[] = [home.settings, typeof spec === 'object' && spec !== null && 'ignoreDifferences' in spec ? spec.ignoreDifferences : undefined, application.object.metadata.annotations?.[MIGRATION_MANAGER]];
  if (record.rules?.from.every((each, index) => each === from[index]) === true) return record.rules.rules;
  const manager = application.object.metadata.annotations?.[MIGRATION_MANAGER];
  const { ignoreDifferences, knownTypeFields, compareOptions, instanceLabelKey, trackingMethod } = home.settings;
  const rules = compileRules({
    ignoreDifferences: application.ignoreDifferences, systemIgnoreDifferences: ignoreDifferences, knownTypeFields, instanceLabelKey, trackingMethod,
    ignoreAggregatedRoles: compareOptions.ignoreAggregatedRoles, ignoreResourceStatusField: compareOptions.ignoreResourceStatusField,
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
  if (known !== undefined && record.refresh === undefined && record.staleSince === undefined && known.key === madeKey(request)) return known;
  const asked = record.refresh?.at ?? record.staleSince;
  const workshop = record.refresh?.kind === 'hard' ? { ...desk.workshop, cache: new RenderCache() } : desk.workshop;
  const made = await makeTargets({ ...request, workshop, ...(asked === undefined ? {} : { maxAge: Math.max(0, desk.clock.steady() - asked) }) });
  // What was asked for meanwhile is still to be done.
  if (record.staleSince === asked) record.staleSince = undefined;
  desk.metrics.count('argosy_comparisons_total', 'Times that manifests were made to be compared');
  if (known !== undefined && known.key === made.key && known.made.sources.every(({ revision }, index) => revision === made.made.sources[index]?.revision)) record.head = known;
  else record.head = made;
  await checkSignatures(pass, record.head);
  return record.head;
}

/** The targets at the commits that an operation is pinned to. */
export async function makePinned(pass: Pass, sources: readonly JsonObject[], revisions: readonly string[]): Promise<Made> {
  const { record } = pass;
  const head = record.head;
  const isHead = head !== undefined && sources === pass.application.sources && head.made.sources.length === revisions.length && head.made.sources.every(({ revision }, index) => revision === revisions[index]);
  if (isHead) return head;
  const request = makeRequest(pass, pinSources(sources, revisions));
  if (record.pinned?.key === madeKey(request)) return record.pinned;
  record.pinned = await makeTargets(request);
  await checkSignatures(pass, record.pinned);
  return record.pinned;
}

function makeRequest({ application, desk, view, targetRules }: Pass, sources: readonly JsonObject[]): MakeTargets {
  return { application, sources, workshop: desk.workshop, view, rules: targetRules };
}

async function checkSignatures({ application, desk }: Pass, { made }: Made): Promise<void> {
  for (const [index, { revision }] of made.sources.entries()) {
    const repoURL = application.sources[index]?.repoURL;
    const objection = typeof repoURL === 'string' ? await desk.signatureObjection(application, repoURL, revision) : undefined;
    if (objection !== undefined) throw new Fault('SOURCE_REFUSED', objection, { where: typeof repoURL === 'string' ? repoURL : '' });
  }
}

export async function look(pass: Pass, { targets }: Made, before: Observation | undefined): Promise<Observation> {
  const { application, instance, view, rules, assess, objectionTo, desk } = pass;
  const lens: Lens = { application, instance, view, tracking: trackingOf(desk.home.settings), rules, comparer: desk.comparer, assess, objectionTo };
  const seen = await observe(targets.targets, lens, before);
  return { ...seen, conditions: [...targets.conditions, ...seen.conditions, ...orphanConditions(pass), ...ruleConditions(rules)] };
}

/** Rules that cannot be read are left out; the application says which. */
function ruleConditions({ problems }: DiffRules): Condition[] {
  return problems.map(({ where, expression, message }) => ({ type: 'SettingsWarning', message: `${where} is not used: ${expression}: ${message}` }));
}
