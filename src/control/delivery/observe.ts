import { aggregateHealth, type Assessment, type Assessor } from '../../health/index.js';
import {
  isHook,
  isSkipped,
  keyText,
  gvkOf,
  keyOf,
  type Application,
  type Health,
  type Improvements,
  type Key,
  type KubeObject,
  type SyncStatus,
} from '../../model/index.js';
import { kindText } from '../../cluster/index.js';
import type { DiffRules, Difference } from '../../diff/index.js';
import type { ClusterView } from './cluster-view.js';
import type { Comparer } from './comparer.js';
import type { Condition } from './condition.js';
import type { Facts } from './facts.js';
import type { Target } from './targets.js';
import { ownerOf, speaksOfItself, type Tracking } from './tracking.js';

/** One object of an application, seen from both sides. */
export interface ObservedResource {
  readonly key: Key;
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  readonly origin: string;
  readonly isHook: boolean;
  /** Empty where it is not compared: hooks, skipped objects, copies with another's tracking id. */
  readonly status: SyncStatus | '';
  readonly differences: readonly Difference[];
  readonly health?: Health;
  readonly requiresPruning: boolean;
  /** Marked with IgnoreExtraneous: it does not make the application OutOfSync. */
  readonly isExtraneous?: boolean;
  readonly isChecked: boolean;
  readonly refusal?: string;
}

export interface Observation {
  readonly resources: readonly ObservedResource[];
  readonly status: SyncStatus;
  readonly health: Health;
  readonly conditions: readonly Condition[];
  /** What it was compared with: other rules may give another verdict. */
  readonly rules: DiffRules;
}

export interface Lens {
  readonly application: Application;
  readonly instance: string;
  readonly view: ClusterView;
  readonly tracking: Tracking;
  readonly rules: DiffRules;
  readonly comparer: Comparer;
  readonly assess: (live: KubeObject) => Assessment | undefined;
  /** Why the project does not allow an object. */
  readonly objectionTo: (object: KubeObject) => string | undefined;
}

/** Milliseconds that the first list of a kind may take. */
const SETTLED_WITHIN = 10_000;
const COMPARE_OPTIONS = 'argocd.argoproj.io/compare-options';

/**
 * Pairs targets with live objects, compares and judges them. `before` saves the work on pairs that have not changed.
 */
export async function observe(targets: readonly Target[], lens: Lens, before?: Observation): Promise<Observation> {
  const known = new Map(
    (before?.rules === lens.rules ? before.resources : []).map((resource) => [
      nameOf(resource.key, resource.target),
      resource,
    ]),
  );
  const conditions: Condition[] = [];
  await lens.view.settle(new Map(targets.map(({ key }) => [kindText(key), key])).values(), SETTLED_WITHIN);
  const wanted = new Set<string>();
  const pairs = await Promise.all(
    targets.map(async (target) => {
      wanted.add(keyText(target.key));
      return observeTarget(target, lens, known.get(nameOf(target.key, target.object)), conditions);
    }),
  );
  const extras = lens.view
    .ownedBy(lens.instance)
    .flatMap((live) => (wanted.has(keyText(keyOf(live))) ? [] : (observeExtra(live, lens) ?? [])));
  const resources = [...pairs, ...extras];
  conditions.push(...doubtsAbout(resources, lens.view));
  for (const { health, key } of resources)
    if (isFailure(health))
      conditions.push({ type: 'ComparisonError', message: `health of ${keyText(key)}: ${health.message ?? ''}` });
  return {
    resources,
    status: syncStatusOf(resources),
    health: healthOf(resources, lens.application),
    conditions,
    rules: lens.rules,
  };
}

/** Of a kind that cannot be listed nobody knows which objects are too many: that is no Synced. */
function doubtsAbout(resources: readonly ObservedResource[], view: ClusterView): Condition[] {
  const kinds = new Map(resources.map(({ key }) => [kindText(key), key]));
  return [...kinds.values()].flatMap((kind) => {
    const doubt = view.doubtAbout(kind);
    return doubt === undefined ? [] : [{ type: 'ComparisonError' as const, message: doubt }];
  });
}

function nameOf(key: Key, target: KubeObject | undefined): string {
  return key.name === '' ? `${keyText(key)}${target?.metadata.generateName ?? ''}` : keyText(key);
}

function isFailure(health: Health | undefined): health is Assessment {
  return health !== undefined && 'failed' in health;
}

async function observeTarget(
  { key, object: target, origin }: Target,
  lens: Lens,
  known: ObservedResource | undefined,
  conditions: Condition[],
): Promise<ObservedResource> {
  const { view } = lens;
  const live = key.name === '' ? undefined : await view.read(key);
  const hook = isHook(target);
  const health = live === undefined ? undefined : lens.assess(live);
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
  if (live === undefined) return { ...base, status: 'OutOfSync', differences: [], isChecked: false };
  noteSharing(live, lens, conditions);
  if (lens.objectionTo(target) !== undefined) return { ...base, status: 'Unknown', differences: [], isChecked: false };
  if (known?.target === target && known.live === live && known.status !== '' && known.status !== 'Unknown')
    return { ...known, ...base };
  const { differences, isChecked, refusal } = await lens.comparer.compare(target, live, lens.rules, view);
  return {
    ...base,
    status: differences.length === 0 ? 'Synced' : 'OutOfSync',
    differences,
    isChecked,
    ...(refusal === undefined ? {} : { refusal }),
  };
}

function noteSharing(live: KubeObject, { application, instance, tracking }: Lens, conditions: Condition[]): void {
  const owner = ownerOf(live, tracking);
  if (owner === undefined || owner === instance || !speaksOfItself(live, tracking)) return;
  const { kind } = gvkOf(live);
  conditions.push({
    type: 'SharedResourceWarning',
    message:
      `${kind}/${live.metadata.name ?? ''} is part of applications ` +
      `${application.namespace}/${application.name} and ${owner.replaceAll('_', '/')}`,
  });
}

/** An object that says it is ours and that git does not have. What others made of our objects belongs to them. */
function observeExtra(
  live: KubeObject,
  { application, tracking, assess, objectionTo }: Lens,
): ObservedResource | undefined {
  if ((live.metadata.ownerReferences ?? []).length > 0 || objectionTo(live) !== undefined) return undefined;
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
  if (hook || !speaksOfItself(live, tracking) || isManagedNamespace(live, application))
    return { ...base, status: '', requiresPruning: false };
  const isIgnored = (live.metadata.annotations?.[COMPARE_OPTIONS] ?? '')
    .split(',')
    .some((option) => option.trim() === 'IgnoreExtraneous');
  return { ...base, status: 'OutOfSync', requiresPruning: true, isExtraneous: isIgnored };
}

/**
 * The destination of an application that looks after its namespace: it was never in git, and all its objects would go
 * with it.
 */
function isManagedNamespace(live: KubeObject, { destination, syncPolicy }: Application): boolean {
  return (
    live.kind === 'Namespace' &&
    live.apiVersion === 'v1' &&
    live.metadata.name === destination.namespace &&
    syncPolicy.managedNamespaceMetadata !== undefined
  );
}

/** What the project does not allow is Unknown for itself and says nothing about the rest. */
function syncStatusOf(resources: readonly ObservedResource[]): SyncStatus {
  return resources.some(({ status, isExtraneous }) => status === 'OutOfSync' && isExtraneous !== true)
    ? 'OutOfSync'
    : 'Synced';
}

/** What the cluster has of an application while nothing is known of what git wants. */
export function liveOnly({ view, instance, assess }: Pick<Lens, 'view' | 'instance' | 'assess'>): ObservedResource[] {
  return view
    .ownedBy(instance)
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

const MOST_NAMED = 3;

export function healthOf(resources: readonly ObservedResource[], application: Application): Health {
  const { status, deciding } = aggregateHealth(resources, application.object);
  if (status === 'Healthy' || status === 'Missing') return { status };
  const named = deciding
    .slice(0, MOST_NAMED)
    .map(
      ({ key, health }) =>
        `${key.kind}/${key.name}${health?.message === undefined || health.message === '' ? '' : `: ${health.message}`}`,
    );
  const more = deciding.length - named.length;
  return { status, message: `${named.join('; ')}${more > 0 ? ` and ${more} more` : ''}` };
}

/** The verdict on a live object with the related objects that its check asks for. */
export function assessIn(
  facts: Facts,
  assessor: Assessor,
  { applicationHealth }: Pick<Improvements, 'applicationHealth'>,
): (live: KubeObject) => Assessment | undefined {
  return (live) => {
    if (!applicationHealth && live.kind === 'Application' && live.apiVersion.startsWith('argoproj.io/'))
      return undefined;
    const found = assessor.wants(live).map((wanted) => [wanted.fact, facts.read(wanted, live)] as const);
    return assessor.assess(live, Object.fromEntries(found.filter((entry) => entry[1] !== undefined)));
  };
}
