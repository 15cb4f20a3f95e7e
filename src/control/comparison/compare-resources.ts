import { aggregateHealth, type Assessment, type Assessor } from '../../health/index.js';
import { isHook, isSkipped, type Application, type Health, type SyncStatus } from '../../model/argo/index.js';
import { keyText, gvkOf, keyOf, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import type { Improvements } from '../../model/settings/index.js';
import { kindText } from '../../cluster/index.js';
import type { DiffRules, Difference } from '../../diff/index.js';
import type { ClusterCache } from '../cache/index.js';
import type { Comparer, DryRunRights } from './comparer.js';
import type { Condition } from './condition.js';
import type { RelatedObjects } from './related-objects.js';
import type { Target } from './targets.js';
import { ownerOf, isSelfReferenced, type Tracking } from './tracking.js';

/** One resource of an application: target, live object and how they compare. */
export interface ManagedResource {
  readonly key: Key;
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  readonly origin: string;
  readonly isHook: boolean;
  /** Empty if it is not compared: hooks, skipped objects, objects with the tracking id of another one. */
  readonly status: SyncStatus | '';
  readonly differences: readonly Difference[];
  readonly health?: Health;
  readonly requiresPruning: boolean;
  /** Marked with IgnoreExtraneous: it does not make the application OutOfSync. */
  readonly isExtraneous?: boolean;
  readonly isChecked: boolean;
  readonly rejection?: string;
}

export interface ComparedState {
  readonly resources: readonly ManagedResource[];
  readonly status: SyncStatus;
  readonly health: Health;
  readonly conditions: readonly Condition[];
  /** The rules it was compared with: other rules may give another result. */
  readonly rules: DiffRules;
}

export interface CompareContext {
  readonly application: Application;
  readonly instance: string;
  readonly clusterCache: ClusterCache;
  readonly tracking: Tracking;
  readonly rules: DiffRules;
  readonly comparer: Comparer;
  /** With whose rights a difference is confirmed; without them it is not. */
  readonly dryRunAs?: DryRunRights;
  readonly assess: (live: KubeObject) => Assessment | undefined;
  /** Why the project does not allow an object. */
  readonly findViolation: (object: KubeObject) => string | undefined;
}

/** Milliseconds that the first list of a kind may take. */
const CACHE_SYNC_TIMEOUT = 10_000;
const COMPARE_OPTIONS = 'argocd.argoproj.io/compare-options';

/** Pairs targets with live objects, compares them and assesses health. Unchanged pairs are taken from `before`. */
export async function compareResources(
  targets: readonly Target[],
  context: CompareContext,
  before?: ComparedState,
): Promise<ComparedState> {
  const known = new Map(
    (before?.rules === context.rules ? before.resources : []).map((resource) => [
      resourceName(resource.key, resource.target),
      resource,
    ]),
  );
  const conditions: Condition[] = [];
  await context.clusterCache.waitForSync(
    new Map(targets.map(({ key }) => [kindText(key), key])).values(),
    CACHE_SYNC_TIMEOUT,
  );
  const outside = targets.flatMap(({ key }) => context.clusterCache.findScopeViolation(key) ?? []);
  // As Argo CD says it: with one of them nothing is known of the rest, and nothing is synced.
  if (outside[0] !== undefined)
    conditions.push({ type: 'ComparisonError', message: `Failed to load live state: ${outside[0]}` });
  const wanted = new Set<string>();
  const pairs = await Promise.all(
    targets.map(async (target) => {
      wanted.add(keyText(target.key));
      return compareTarget(target, context, known.get(resourceName(target.key, target.object)), conditions);
    }),
  );
  const extras = context.clusterCache
    .ownedBy(context.instance)
    .flatMap((live) => (wanted.has(keyText(keyOf(live))) ? [] : (compareExtraneous(live, context) ?? [])));
  const resources = [...pairs, ...extras];
  conditions.push(...unreadableKindConditions(resources, context.clusterCache));
  for (const { health, key } of resources)
    if (isAssessmentFailure(health))
      conditions.push({ type: 'ComparisonError', message: `health of ${keyText(key)}: ${health.message ?? ''}` });
  return {
    resources,
    status: syncStatusOf(resources),
    health: healthOf(resources, context.application),
    conditions,
    rules: context.rules,
  };
}

/** If a kind cannot be listed, objects to prune may be missing: the application is not Synced then. */
function unreadableKindConditions(resources: readonly ManagedResource[], clusterCache: ClusterCache): Condition[] {
  const kinds = new Map(resources.map(({ key }) => [kindText(key), key]));
  return [...kinds.values()].flatMap((kind) => {
    const doubt = clusterCache.unreadableReason(kind);
    return doubt === undefined ? [] : [{ type: 'ComparisonError' as const, message: doubt }];
  });
}

function resourceName(key: Key, target: KubeObject | undefined): string {
  return key.name === '' ? `${keyText(key)}${target?.metadata.generateName ?? ''}` : keyText(key);
}

function isAssessmentFailure(health: Health | undefined): health is Assessment {
  return health !== undefined && 'failed' in health;
}

async function compareTarget(
  { key, object: target, origin }: Target,
  context: CompareContext,
  known: ManagedResource | undefined,
  conditions: Condition[],
): Promise<ManagedResource> {
  const { clusterCache, instance } = context;
  const hook = isHook(target);
  // What stands in a place that the project refuses may be somebody else's: nothing of it is shown.
  const isRefused = context.findViolation(target) !== undefined;
  const live = key.name === '' || isRefused ? undefined : await clusterCache.read(key);
  const health = live === undefined ? undefined : context.assess(live);
  const base = {
    key,
    target,
    origin,
    isHook: hook,
    requiresPruning: false,
    ...(live === undefined ? {} : { live }),
    ...(health === undefined ? {} : { health }),
  };
  if (hook || isSkipped(target)) return { ...base, status: '', differences: [], isChecked: false };
  if (isRefused && isTrackedAs(instance, clusterCache, clusterCache.get(key)))
    return { ...base, status: 'Unknown', differences: [], isChecked: false };
  if (live === undefined) return { ...base, status: 'OutOfSync', differences: [], isChecked: false };
  addSharedResourceWarning(live, context, conditions);
  if (known?.target === target && known.live === live && known.status !== '' && known.status !== 'Unknown')
    return { ...known, ...base };
  const { differences, isChecked, rejection } = await context.comparer.compare(
    target,
    live,
    context.rules,
    clusterCache,
    context.dryRunAs,
  );
  return {
    ...base,
    status: differences.length === 0 ? 'Synced' : 'OutOfSync',
    differences,
    isChecked,
    ...(rejection === undefined ? {} : { rejection }),
  };
}

function isTrackedAs(instance: string, clusterCache: ClusterCache, live: KubeObject | undefined): boolean {
  return live !== undefined && clusterCache.ownerOf(live) === instance;
}

function addSharedResourceWarning(
  live: KubeObject,
  { application, instance, tracking }: CompareContext,
  conditions: Condition[],
): void {
  const owner = ownerOf(live, tracking);
  if (owner === undefined || owner === instance || !isSelfReferenced(live, tracking)) return;
  const { kind } = gvkOf(live);
  conditions.push({
    type: 'SharedResourceWarning',
    message:
      `${kind}/${live.metadata.name ?? ''} is part of applications ` +
      `${application.namespace}/${application.name} and ${owner.replaceAll('_', '/')}`,
  });
}

/** An object that is tracked as ours and not in git. Objects with an owner reference belong to their owner. */
function compareExtraneous(
  live: KubeObject,
  { application, tracking, assess, findViolation }: CompareContext,
): ManagedResource | undefined {
  if ((live.metadata.ownerReferences ?? []).length > 0 || findViolation(live) !== undefined) return undefined;
  const hook = isHook(live);
  const health = assess(live);
  const base = {
    key: keyOf(live),
    live,
    origin: '',
    isHook: hook,
    differences: [],
    isChecked: false,
    ...(health === undefined ? {} : { health }),
  };
  if (hook || !isSelfReferenced(live, tracking) || isManagedNamespace(live, application))
    return { ...base, status: '', requiresPruning: false };
  const isIgnored = (live.metadata.annotations?.[COMPARE_OPTIONS] ?? '')
    .split(',')
    .some((option) => option.trim() === 'IgnoreExtraneous');
  return { ...base, status: 'OutOfSync', requiresPruning: true, isExtraneous: isIgnored };
}

/** The namespace that the application manages by `managedNamespaceMetadata`: it is not in git, and never pruned. */
function isManagedNamespace(live: KubeObject, { destination, syncPolicy }: Application): boolean {
  return (
    live.kind === 'Namespace' &&
    live.apiVersion === 'v1' &&
    live.metadata.name === destination.namespace &&
    syncPolicy.managedNamespaceMetadata !== undefined
  );
}

/** A resource that the project does not allow is Unknown itself and does not affect the application. */
function syncStatusOf(resources: readonly ManagedResource[]): SyncStatus {
  return resources.some(({ status, isExtraneous }) => status === 'OutOfSync' && isExtraneous !== true)
    ? 'OutOfSync'
    : 'Synced';
}

/**
 * The live objects that are an application's: tracked as its own, by an id that is the object's own, in a place that
 * its project allows. Whatever else a status, a label or an owner reference says, nothing more is opened, changed or
 * deleted in its name.
 */
export function ownedObjects({
  clusterCache,
  instance,
  tracking,
  findViolation,
}: Pick<CompareContext, 'clusterCache' | 'instance' | 'tracking' | 'findViolation'>): KubeObject[] {
  return clusterCache
    .ownedBy(instance)
    .filter((live) => isSelfReferenced(live, tracking) && findViolation(live) === undefined);
}

/** The live objects of an application, while there are no targets to compare with. */
export function liveResources({
  assess,
  ...scope
}: Pick<CompareContext, 'clusterCache' | 'instance' | 'assess' | 'tracking' | 'findViolation'>): ManagedResource[] {
  return ownedObjects(scope)
    .filter((live) => (live.metadata.ownerReferences ?? []).length === 0)
    .map((live) => {
      const health = assess(live);
      return {
        key: keyOf(live),
        live,
        origin: '',
        isHook: isHook(live),
        status: 'Unknown',
        differences: [],
        requiresPruning: false,
        isChecked: false,
        ...(health === undefined ? {} : { health }),
      };
    });
}

const MAX_NAMED = 3;

export function healthOf(resources: readonly ManagedResource[], application: Application): Health {
  const { status, deciding } = aggregateHealth(resources, application.object);
  if (status === 'Healthy' || status === 'Missing') return { status };
  const named = deciding
    .slice(0, MAX_NAMED)
    .map(
      ({ key, health }) =>
        `${key.kind}/${key.name}${health?.message === undefined || health.message === '' ? '' : `: ${health.message}`}`,
    );
  const more = deciding.length - named.length;
  return { status, message: `${named.join('; ')}${more > 0 ? ` and ${more} more` : ''}` };
}

/** Health of a live object, with the related objects that its check needs. */
export function assessWith(
  facts: RelatedObjects,
  assessor: Assessor,
  { applicationHealth }: Pick<Improvements, 'applicationHealth'>,
): (live: KubeObject) => Assessment | undefined {
  return (live) => {
    if (!applicationHealth && live.kind === 'Application' && live.apiVersion.startsWith('argoproj.io/'))
      return undefined;
    const found = assessor.requiredFacts(live).map((wanted) => [wanted.fact, facts.read(wanted, live)] as const);
    return assessor.assess(live, Object.fromEntries(found.filter((entry) => entry[1] !== undefined)));
  };
}
