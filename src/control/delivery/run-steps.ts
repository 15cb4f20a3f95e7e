import { Fault, gvkOf, HOOK_FINALIZER, keyOf, type Key, type KubeObject } from '../../model/index.js';
import { ClusterError, type ResourceKind } from '../../cluster/index.js';
import type { ApplyHow, Propagation, Step, StepOutcome } from '../../plan/index.js';
import type { ClusterView } from './cluster-view.js';
import type { SyncRequest } from './delivery-metrics.js';
import { takeOverFields } from './take-over-fields.js';

export interface StepRunner {
  readonly view: ClusterView;
  /** The application that writes: news of its own writes do not wake it. */
  readonly by: string;
  /** Of `argocd.argoproj.io/client-side-apply-migration-manager`. */
  readonly migrationManager?: string;
  /** Whether the live object is what an apply would make of it: the server need not be asked. */
  readonly isSame?: (key: Key) => boolean;
  readonly report: (warning: string) => void;
  /** Asked before every write: another process may lead by now. */
  readonly mayWrite: () => boolean;
  /** Told of what each step asked of the cluster. */
  readonly count: (request: SyncRequest) => void;
}

/** How long the removal before a new creation may take. */
const GONE_WITHIN = 60_000;
/** How long news of a change that has happened may take. */
const NEWS_WITHIN = 10_000;
/** How long a server may take to serve a kind after its definition. */
const SERVED_WITHIN = 5000;

/** Somebody changed the object since it was compared: nothing was done, and the comparison has to be made again. */
export class Outdated extends Error {}

/** Runs groups one after another, the steps of each together. A group that fails does not stop the next. */
export async function runGroups(groups: readonly (readonly Step[])[], runner: StepRunner): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  for (const group of groups) {
    // All of them end before anything is concluded: none may go on behind our back.
    for (const settled of await Promise.allSettled(group.map((step) => runStep(step, runner)))) {
      if (settled.status === 'rejected') throw settled.reason;
      outcomes.push(settled.value);
    }
  }
  return outcomes;
}

async function runStep(step: Step, runner: StepRunner): Promise<StepOutcome> {
  try {
    mustLead(runner);
    const message = await perform(step, runner);
    count(step, runner, step.kind === 'apply' && step.live === undefined ? 201 : 200);
    return { step, isDone: true, message };
  } catch (error) {
    if (error instanceof ClusterError) count(step, runner, error.status);
    if (error instanceof ClusterError && (error.isConflict || isOtherUid(error)))
      throw new Outdated(error.message, { cause: error });
    // No answer, or a server that is overloaded: the step may have happened. The next pass looks what is there.
    if (!(error instanceof Fault) || error.retry) throw error;
    return { step, isDone: false, message: error.message };
  }
}

function count(step: Step, { view, count: tell }: StepRunner, code: number): void {
  const object = step.kind === 'check' || step.kind === 'apply' ? step.object : step.live;
  tell({
    verb: verbOf(step),
    plural: view.kindOf(object)?.plural ?? '',
    namespace: object.metadata.namespace ?? '',
    code,
  });
}

function verbOf(step: Step): SyncRequest['verb'] {
  if (step.kind === 'prune' || step.kind === 'delete-hook') return 'Delete';
  if (step.kind === 'release-hook' || step.how.by === 'apply') return 'Patch';
  return step.how.by === 'replace' && step.live !== undefined ? 'Update' : 'Create';
}

function mustLead({ mayWrite }: StepRunner): void {
  if (!mayWrite()) throw new Outdated('this process does not lead any more');
}

function isOtherUid(error: ClusterError): boolean {
  return error.status === 422 && error.causes.some(({ field }) => field === 'metadata.uid');
}

function perform(step: Step, runner: StepRunner): Promise<string> {
  switch (step.kind) {
    case 'check':
      return check(step, runner);
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

/** A kind whose definition was applied a moment ago is served soon: that is worth waiting for. */
async function kindOf(object: KubeObject, { view }: StepRunner): Promise<ResourceKind> {
  const kind = view.kindOf(object) ?? (await view.awaitKind(object, SERVED_WITHIN));
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

async function check({ object, live, how }: Step & { kind: 'check' }, runner: StepRunner): Promise<string> {
  const kind = await kindOf(object, runner);
  const { cluster } = runner.view;
  const options = { dryRun: true, ...validation(how) };
  if (how.by === 'create') await cluster.create(kind, object, options);
  else if (how.by === 'replace' && live !== undefined) await cluster.update(kind, withVersion(object, live), options);
  else if (how.by === 'apply' && how.validate)
    await cluster.apply(kind, object, {
      ...options,
      force: true,
      ...(live?.metadata.uid === undefined ? {} : { uid: live.metadata.uid }),
    });
  else if (live === undefined) await cluster.create(kind, object, options);
  else if (how.by === 'apply') await cluster.update(kind, withVersion(object, live), options);
  return 'checked';
}

function validation({ validate }: ApplyHow): { fieldValidation: 'Strict' | 'Ignore' } {
  return { fieldValidation: validate ? 'Strict' : 'Ignore' };
}

function withVersion(object: KubeObject, live: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: live.metadata.resourceVersion ?? '' } };
}

async function apply(step: Step & { kind: 'apply' }, runner: StepRunner): Promise<string> {
  const { object, live, how } = step;
  const kind = await kindOf(object, runner);
  switch (how.by) {
    case 'create':
      return create(kind, object, how, runner);
    case 'replace':
      return live === undefined ? create(kind, object, how, runner) : replace(kind, object, live, how, runner);
    case 'recreate':
      return recreate(kind, step, runner);
    case 'apply':
      return runner.isSame?.(step.task.key) === true
        ? `${kubectlName(object)} unchanged`
        : applyServerSide(kind, step, runner);
    default:
      return how.by satisfies never;
  }
}

async function create(
  kind: ResourceKind,
  object: KubeObject,
  how: ApplyHow,
  { view, by }: StepRunner,
): Promise<string> {
  view.learn(await view.cluster.create(kind, object, validation(how)), by);
  return `${kubectlName(object)} created`;
}

async function replace(
  kind: ResourceKind,
  object: KubeObject,
  live: KubeObject,
  how: ApplyHow,
  { view, by }: StepRunner,
): Promise<string> {
  view.learn(await view.cluster.update(kind, withVersion(object, live), validation(how)), by);
  return `${kubectlName(object)} replaced`;
}

async function recreate(
  kind: ResourceKind,
  { object, live, how }: Step & { kind: 'apply' },
  runner: StepRunner,
): Promise<string> {
  const { view } = runner;
  if (live?.metadata.uid !== undefined) {
    await remove(live, 'Background', runner);
    if (!(await view.gone(keyOf(live), live.metadata.uid, GONE_WITHIN)))
      throw new Fault(
        'CLUSTER_REFUSED',
        `${kubectlName(live)} is still being deleted: ${(live.metadata.finalizers ?? []).join(', ') || 'its owner has not finished'}`,
      );
  }
  mustLead(runner);
  return create(kind, object, how, runner);
}

async function applyServerSide(
  kind: ResourceKind,
  step: Step & { kind: 'apply' },
  runner: StepRunner,
): Promise<string> {
  const { object, live, how } = step;
  const { view, by, migrationManager } = runner;
  const ours = live === undefined || !how.migrate ? live : await takeOver(kind, live, runner, migrationManager);
  const uid = ours?.metadata.uid;
  try {
    const applied = await view.cluster.apply(kind, object, {
      force: true,
      ...validation(how),
      ...(uid === undefined ? {} : { uid }),
    });
    view.learn(applied, by);
    return `${kubectlName(object)} ${said(ours, applied)}`;
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    if (how.force && error.status === 422 && !isOtherUid(error)) return recreate(kind, step, runner);
    // Fields that no schema has can only be sent the old way, where nobody asked for validation.
    if (!isRepeatedKey(error) && !(error.isUntyped && !how.validate)) throw error;
    runner.report(`${kubectlName(object)} is applied client-side: ${error.message}`);
    return ours === undefined ? create(kind, object, how, runner) : replace(kind, object, ours, how, runner);
  }
}

function said(before: KubeObject | undefined, after: KubeObject): string {
  if (before === undefined) return 'created';
  return before.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'configured';
}

/** Server-side apply cannot merge a list in which a key comes twice; older ways to apply could. */
function isRepeatedKey(error: ClusterError): boolean {
  return /duplicate entries for key/.test(error.message);
}

async function takeOver(
  kind: ResourceKind,
  live: KubeObject,
  { view, by }: StepRunner,
  migrationManager: string | undefined,
): Promise<KubeObject> {
  const patch = takeOverFields(live, migrationManager);
  if (patch === undefined) return live;
  const { namespace, name = '' } = live.metadata;
  const moved = await view.cluster.patch(kind, { namespace, name }, { type: 'json', body: patch });
  view.learn(moved, by);
  return moved;
}

/** With a version only the object as it was judged is removed; one that changed since is judged again. */
async function remove(
  live: KubeObject,
  propagation: Propagation,
  runner: StepRunner,
  resourceVersion?: string,
): Promise<void> {
  const { namespace, name = '', uid = '' } = live.metadata;
  const { view, by } = runner;
  const kind = await kindOf(live, runner);
  const became = await view.cluster.remove(
    kind,
    { namespace, name },
    { uid, propagation, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  );
  // What comes next depends on whether it is gone or only going, so that must be known here first.
  const left = became === 'gone' ? undefined : await view.cluster.get(kind, { namespace, name });
  if (left?.metadata.uid === uid) view.learn(left, by);
  else await view.gone(keyOf(live), uid, NEWS_WITHIN);
}

async function release(live: KubeObject, runner: StepRunner): Promise<void> {
  const { namespace, name = '', finalizers = [], resourceVersion = '' } = live.metadata;
  if (!finalizers.includes(HOOK_FINALIZER)) return;
  try {
    const { view, by } = runner;
    const metadata = { resourceVersion, finalizers: finalizers.filter((each) => each !== HOOK_FINALIZER) };
    view.learn(
      await view.cluster.patch(await kindOf(live, runner), { namespace, name }, { type: 'merge', body: { metadata } }),
      by,
    );
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isNotFound) throw error;
  }
}
