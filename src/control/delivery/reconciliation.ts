import { compileRules, OUR_MANAGERS, type DiffRules } from '../../diff/index.js';
import { exclusionOf } from '../../model/settings/index.js';
import { Fault } from '../../model/faults/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject } from '../../model/json/index.js';
import type { Application } from '../../model/argo/index.js';
import { assessWith, exclusionAdvice, RelatedObjects, trackingOf, type TargetRules } from '../comparison/index.js';
import type { ClusterCache } from '../cache/index.js';
import { deliveryRights, type DeliveryRights } from './delivery-rights.js';
import { instanceName, violationIn, type Admitted } from './admission.js';
import type { Assess, ReconcileContext } from './reconcile-context.js';

/** Compiled diff rules, with the values that they were compiled from. */
export interface CompiledRules {
  readonly from: readonly unknown[];
  readonly rules: DiffRules;
}

/** An admitted application with the cluster that it goes to, and the rules for rendering and comparing it. */
export interface Reconciliation extends Admitted {
  readonly context: ReconcileContext;
  readonly instance: string;
  readonly clusterCache: ClusterCache;
  readonly rights: DeliveryRights;
  readonly compiledRules: CompiledRules;
  readonly rules: DiffRules;
  /** Other objects that health checks have read since. */
  readonly relatedObjects: RelatedObjects;
  readonly assess: Assess;
  readonly findViolation: (object: KubeObject) => string | undefined;
  readonly targetRules: TargetRules;
}

/** Milliseconds without any event from a cluster after which its cache is too old to compare with. */
const MAX_SILENCE = 40_000;

export const MIGRATION_MANAGER = 'argocd.argoproj.io/client-side-apply-migration-manager';

/** Opens the cache of the destination cluster. `known` saves compiling the diff rules again. */
export async function openReconciliation(
  admitted: Admitted,
  context: ReconcileContext,
  known?: CompiledRules,
): Promise<Reconciliation> {
  const { application, cluster } = admitted;
  const clusterCache = await context.clusters.cacheOf(cluster);
  const silence = clusterCache.disconnectedFor;
  if (silence !== undefined && silence > MAX_SILENCE)
    throw new Fault('CLUSTER_UNREACHABLE', `no contact with the cluster for ${Math.round(silence / 1000)} s`, {
      where: clusterCache.server,
    });
  const { settings } = context.controlPlane;
  const instance = instanceName(application, context.controlNamespace);
  const relatedObjects = new RelatedObjects(clusterCache);
  const compiledRules = compileDiffRules(application, context, known);
  return {
    ...admitted,
    context,
    instance,
    clusterCache,
    rights: deliveryRights(admitted, clusterCache, context),
    compiledRules,
    rules: compiledRules.rules,
    relatedObjects,
    assess: assessWith(relatedObjects, context.assessor(), settings.improvements),
    findViolation: violationIn(admitted, clusterCache),
    targetRules: {
      instance,
      destinationNamespace: application.destination.namespace,
      tracking: trackingOf(settings),
      kindOf: (object) => clusterCache.kindOf(object),
      exclusionOf: (object) => {
        const exclusion = exclusionOf(settings.resourceFilter, gvkOf(object), clusterCache.server);
        return exclusion === undefined ? undefined : exclusionAdvice(object, exclusion);
      },
    },
  };
}

/** Compiled again only if one of the values that they depend on has changed. */
function compileDiffRules(
  application: Application,
  { controlPlane }: ReconcileContext,
  known: CompiledRules | undefined,
): CompiledRules {
  const { spec, metadata } = application.object;
  const manager = metadata.annotations?.[MIGRATION_MANAGER];
  const from: readonly unknown[] = [
    controlPlane.settings,
    isObject(spec) ? spec.ignoreDifferences : undefined,
    manager,
  ];
  if (known?.from.every((each, index) => each === from[index]) === true) return known;
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
  return { from, rules };
}
