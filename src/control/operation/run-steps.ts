import { Fault } from '../../model/faults/index.js';
import { gvkOf, keyOf, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { HOOK_FINALIZER } from '../../model/argo/index.js';
import { ClusterError, type Cluster, type ResourceKind } from '../../cluster/index.js';
import type { ApplyOptions, Propagation, SyncStep, StepOutcome } from '../../plan/index.js';
import type { ClusterCache } from '../cache/index.js';
import type { SyncApiRequest } from '../telemetry/index.js';
import { takeOverFields } from './take-over-fields.js';

export interface StepContext {
  readonly clusterCache: ClusterCache;
  /** The cluster with the rights of the application; the cache reads with those of the controller. */
  readonly cluster: Cluster;
  /** The application that writes: its own writes do not enqueue it. */
  readonly writer: string;
  /** Of `argocd.argoproj.io/client-side-apply-migration-manager`. */
  readonly migrationManager?: string;
  /** Whether an apply would change nothing: the server is not asked then. */
  readonly isUnchanged?: (key: Key) => boolean;
  readonly report: (warning: string) => void;
  /** Checked before every write: another process may have become the leader. */
  readonly mayWrite: () => boolean;
  /** Called with the request of each step, for metrics. */
  readonly onRequest: (request: SyncApiRequest) => void;
}

/** Milliseconds for the deletion before an object is recreated. */
const DELETE_TIMEOUT = 60_000;
/** Milliseconds until the watch reports a deletion that has happened. */
const WATCH_TIMEOUT = 10_000;
/** Milliseconds until a kind is served after its definition. */
const SERVE_TIMEOUT = 5000;

/** An object was changed since it was compared: nothing was done, and it has to be compared again. */
export class OutdatedError extends Error {}

/** Runs groups one after another, the steps of each together. A group that fails does not stop the next. */
export async function runGroups(groups: readonly (readonly SyncStep[])[], runner: StepContext): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  for (const group of groups) {
    // All steps end before an error is thrown: none may continue in the background.
    for (const settled of await Promise.allSettled(group.map((step) => runStep(step, runner)))) {
      if (settled.status === 'rejected') throw settled.reason;
      outcomes.push(settled.value);
    }
  }
  return outcomes;
}

async function runStep(step: SyncStep, runner: StepContext): Promise<StepOutcome> {
  try {
    requireLeadership(runner);
    requireScope(step, runner);
    const message = await perform(step, runner);
    reportRequest(step, runner, step.kind === 'apply' && step.live === undefined ? 201 : 200);
    return { step, isDone: true, message };
  } catch (error) {
    if (error instanceof ClusterError) reportRequest(step, runner, error.status);
    if (error instanceof ClusterError && (error.isConflict || isOtherUid(error)))
      throw new OutdatedError(error.message, { cause: error });
    // No answer, or an overloaded server: the step may have happened. The next reconcile finds out.
    if (!(error instanceof Fault) || error.retry) throw error;
    return { step, isDone: false, message: error.message };
  }
}

function reportRequest(step: SyncStep, { clusterCache, onRequest }: StepContext, code: number): void {
  const object = step.kind === 'check' || step.kind === 'apply' ? step.object : step.live;
  onRequest({
    verb: verbOf(step),
    plural: clusterCache.kindOf(object)?.plural ?? '',
    namespace: object.metadata.namespace ?? '',
    code,
  });
}

function verbOf(step: SyncStep): SyncApiRequest['verb'] {
  if (step.kind === 'prune' || step.kind === 'delete-hook') return 'Delete';
  if (step.kind === 'release-hook' || step.how.method === 'apply') return 'Patch';
  return step.how.method === 'replace' && step.live !== undefined ? 'Update' : 'Create';
}

function requireLeadership({ mayWrite }: StepContext): void {
  if (!mayWrite()) throw new OutdatedError('this process is no longer the leader');
}

/** Nothing outside of what the Secret of the cluster names is written, whatever was compared before. */
function requireScope(step: SyncStep, { clusterCache }: StepContext): void {
  const violation = clusterCache.findScopeViolation(keyOf('object' in step ? step.object : step.live));
  if (violation !== undefined) throw new Fault('OPERATION_REFUSED', violation);
}

function isOtherUid(error: ClusterError): boolean {
  return error.status === 422 && error.causes.some(({ field }) => field === 'metadata.uid');
}

function perform(step: SyncStep, runner: StepContext): Promise<string> {
  switch (step.kind) {
    case 'check':
      return dryRunApply(step, runner);
    case 'apply':
      return apply(step, runner);
    case 'prune':
      return remove(step.live, step.propagation, runner, step.live.metadata.resourceVersion).then(() => 'pruned');
    case 'delete-hook':
      return remove(step.live, step.propagation, runner).then(() => 'deleted');
    case 'release-hook':
      return release(step.live, runner).then(() => 'released');
    default:
      return step satisfies never;
  }
}

/** Waits for a kind whose definition was just applied. */
async function kindOf(object: KubeObject, { clusterCache }: StepContext): Promise<ResourceKind> {
  const kind = clusterCache.kindOf(object) ?? (await clusterCache.waitForKind(object, SERVE_TIMEOUT));
  if (kind === undefined) throw new Fault('KIND_UNKNOWN', unknownKind(object));
  return kind;
}

function unknownKind(object: KubeObject): string {
  const { group, version, kind } = gvkOf(object);
  const name = [object.metadata.namespace, object.metadata.name].filter((part) => part !== undefined).join('/');
  return (
    `The Kubernetes API could not find ${group}/${kind} version ${version} for requested resource ${name}. ` +
    `Make sure the "${kind}" CRD is installed on the destination cluster.`
  );
}

/** As kubectl names an object in what it prints: `deployment.apps/cart`. */
function kubectlName(object: KubeObject): string {
  const { group, kind } = gvkOf(object);
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${object.metadata.name ?? ''}`;
}

async function dryRunApply({ object, live, how }: SyncStep & { kind: 'check' }, runner: StepContext): Promise<string> {
  const kind = await kindOf(object, runner);
  const { cluster } = runner;
  const options = { dryRun: true, ...validation(how) };
  if (how.method === 'create') await cluster.create(kind, object, options);
  else if (how.method === 'replace' && live !== undefined)
    await cluster.update(kind, withVersion(object, live), options);
  else if (how.method === 'apply' && how.validate)
    await cluster.apply(kind, object, {
      ...options,
      force: true,
      ...(live?.metadata.uid === undefined ? {} : { uid: live.metadata.uid }),
    });
  else if (live === undefined) await cluster.create(kind, object, options);
  else if (how.method === 'apply') await cluster.update(kind, withVersion(object, live), options);
  return 'checked';
}

function validation({ validate }: ApplyOptions): { fieldValidation: 'Strict' | 'Ignore' } {
  return { fieldValidation: validate ? 'Strict' : 'Ignore' };
}

function withVersion(object: KubeObject, live: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: live.metadata.resourceVersion ?? '' } };
}

async function apply(step: SyncStep & { kind: 'apply' }, runner: StepContext): Promise<string> {
  const { object, live, how } = step;
  const kind = await kindOf(object, runner);
  if (how.createOnly === true)
    return live === undefined ? ensure(kind, object, how, runner) : `${kubectlName(object)} unchanged`;
  switch (how.method) {
    case 'create':
      return create(kind, object, how, runner);
    case 'replace':
      return live === undefined ? create(kind, object, how, runner) : replace(kind, object, live, how, runner);
    case 'recreate':
      return recreate(kind, step, runner);
    case 'apply':
      return runner.isUnchanged?.(step.task.key) === true
        ? `${kubectlName(object)} unchanged`
        : applyServerSide(kind, step, runner);
    default:
      return how.method satisfies never;
  }
}

async function create(
  kind: ResourceKind,
  object: KubeObject,
  how: ApplyOptions,
  { cluster, clusterCache, writer }: StepContext,
): Promise<string> {
  clusterCache.recordWrite(await cluster.create(kind, object, validation(how)), writer);
  return `${kubectlName(object)} created`;
}

/** The cache may not know yet what somebody else created a moment ago: the server does. */
async function ensure(kind: ResourceKind, object: KubeObject, how: ApplyOptions, runner: StepContext): Promise<string> {
  try {
    return await create(kind, object, how, runner);
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
    return `${kubectlName(object)} unchanged`;
  }
}

async function replace(
  kind: ResourceKind,
  object: KubeObject,
  live: KubeObject,
  how: ApplyOptions,
  { cluster, clusterCache, writer }: StepContext,
): Promise<string> {
  clusterCache.recordWrite(await cluster.update(kind, withVersion(object, live), validation(how)), writer);
  return `${kubectlName(object)} replaced`;
}

async function recreate(
  kind: ResourceKind,
  { object, live, how }: SyncStep & { kind: 'apply' },
  runner: StepContext,
): Promise<string> {
  const { clusterCache } = runner;
  if (live?.metadata.uid !== undefined) {
    await remove(live, 'Background', runner);
    if (!(await clusterCache.waitForDeletion(keyOf(live), live.metadata.uid, DELETE_TIMEOUT)))
      throw new Fault('CLUSTER_REFUSED', `${kubectlName(live)} is still being deleted: ${deletionBlocker(live)}`);
  }
  requireLeadership(runner);
  return create(kind, object, how, runner);
}

function deletionBlocker({ metadata: { finalizers = [] } }: KubeObject): string {
  return finalizers.join(', ') || 'its owner has not finished';
}

async function applyServerSide(
  kind: ResourceKind,
  step: SyncStep & { kind: 'apply' },
  runner: StepContext,
): Promise<string> {
  const { object, live, how } = step;
  const { cluster, clusterCache, writer, migrationManager } = runner;
  const ours = live === undefined || !how.migrate ? live : await takeOver(kind, live, runner, migrationManager);
  const uid = ours?.metadata.uid;
  try {
    const applied = await cluster.apply(kind, object, {
      force: true,
      ...validation(how),
      ...(uid === undefined ? {} : { uid }),
    });
    clusterCache.recordWrite(applied, writer);
    return `${kubectlName(object)} ${describeChange(ours, applied)}`;
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    if (how.force && error.status === 422 && !isOtherUid(error)) return recreate(kind, step, runner);
    // Unknown fields can only be sent client-side, and only without validation.
    if (!isRepeatedKey(error) && !(error.isSchemaMismatch && !how.validate)) throw error;
    runner.report(`${kubectlName(object)} is applied client-side: ${error.message}`);
    return ours === undefined ? create(kind, object, how, runner) : replace(kind, object, ours, how, runner);
  }
}

function describeChange(before: KubeObject | undefined, after: KubeObject): string {
  if (before === undefined) return 'created';
  return before.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'configured';
}

/** Server-side apply rejects a list with a repeated key; client-side apply does not. */
function isRepeatedKey(error: ClusterError): boolean {
  return /duplicate entries for key/.test(error.message);
}

async function takeOver(
  kind: ResourceKind,
  live: KubeObject,
  { cluster, clusterCache, writer }: StepContext,
  migrationManager: string | undefined,
): Promise<KubeObject> {
  const patch = takeOverFields(live, migrationManager);
  if (patch === undefined) return live;
  const { namespace, name = '' } = live.metadata;
  const moved = await cluster.patch(kind, { namespace, name }, { type: 'json', body: patch });
  clusterCache.recordWrite(moved, writer);
  return moved;
}

/** With a resourceVersion, an object that has changed since it was compared is not deleted. */
async function remove(
  live: KubeObject,
  propagation: Propagation,
  runner: StepContext,
  resourceVersion?: string,
): Promise<void> {
  const { namespace, name = '', uid = '' } = live.metadata;
  const { cluster, clusterCache, writer } = runner;
  const kind = await kindOf(live, runner);
  const became = await cluster.remove(
    kind,
    { namespace, name },
    { uid, propagation, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  );
  // The next plan depends on whether it is gone or terminating, so the cache must know first.
  const left = became === 'gone' ? undefined : await clusterCache.cluster.get(kind, { namespace, name });
  if (left?.metadata.uid === uid) clusterCache.recordWrite(left, writer);
  else await clusterCache.waitForDeletion(keyOf(live), uid, WATCH_TIMEOUT);
}

async function release(live: KubeObject, runner: StepContext): Promise<void> {
  const { namespace, name = '', finalizers = [], resourceVersion = '' } = live.metadata;
  if (!finalizers.includes(HOOK_FINALIZER)) return;
  try {
    const { cluster, clusterCache, writer } = runner;
    const metadata = { resourceVersion, finalizers: finalizers.filter((each) => each !== HOOK_FINALIZER) };
    clusterCache.recordWrite(
      await cluster.patch(await kindOf(live, runner), { namespace, name }, { type: 'merge', body: { metadata } }),
      writer,
    );
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isNotFound) throw error;
  }
}
