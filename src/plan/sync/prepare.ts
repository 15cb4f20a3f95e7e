import { gvkOf } from '../../model/kubernetes/index.js';
import { applyOptionsOf } from './apply-options.js';
import { deletePoliciesOf } from './hook-rules.js';
import { isImmutable, withReasons, withRemedies } from './messages.js';
import type { SyncPlan, SyncStep } from './sync-plan.js';
import { kindName } from './order-tasks.js';
import { planEnd, isMultiStep, isPrune, isUntouched, planSteps, type SyncContext } from './sync-context.js';
import { isNamespace, isSameWave, objectOf, refOf, type Task } from './task.js';
import { pruneWithoutDelete } from './run-wave.js';

/** The server cannot be asked about the object before others are there. */
const SKIPPED = { status: 'Synced', hookPhase: 'Succeeded', message: 'skipped (dry run)' } as const;

/** What the project or the cluster does not know ends the operation before anything is applied. */
export function rejectInvalid(sync: SyncContext): SyncPlan | undefined {
  const { results } = sync;
  const problems: string[] = [];
  for (const task of sync.tasks) {
    const problem = findTaskViolation(sync, task);
    if (problem === undefined) continue;
    problems.push(problem);
    results.set(task, objectOf(task), { status: 'SyncFailed', message: problem });
  }
  if (problems.length === 0) return undefined;
  const different = [...new Set(problems)].sort();
  return planEnd(sync, 'Failed', `one or more synchronization tasks are not valid: ${different.join('; ')}`);
}

function findTaskViolation({ input }: SyncContext, task: Task): string | undefined {
  if (task.kind === 'coming' || (task.kind === 'unknown' && input.improvements.partialProgress)) return undefined;
  if (task.kind === 'served') return input.findViolation(objectOf(task));
  const { group, kind, namespace, name } = task.key;
  const other = input.servedInstead?.(objectOf(task));
  if (other) {
    return (
      `The Kubernetes API could not find version "${gvkOf(objectOf(task)).version}" of ${group}/${kind} for ` +
      `requested resource ${namespace}/${name}. Version "${other.version}" of ${other.group}/${kind} is ` +
      'installed on the destination cluster.'
    );
  }
  return (
    `The Kubernetes API could not find ${group}/${kind} for requested resource ${namespace}/${name}. Make ` +
    `sure the "${kind}" CRD is installed on the destination cluster.`
  );
}

/**
 * Before the first wave: the destination namespace is created, then the server is asked about every object. Any row but
 * that of the namespace proves that this was done, because nothing else is applied before.
 */
export function prepare(sync: SyncContext): SyncPlan | undefined {
  const { input, tasks, results } = sync;
  const refused = endRejected(sync);
  if (refused) return refused;
  const namespace = tasks.find((task) => task.target && !task.isHook && isNamespace(task, input.destinationNamespace));
  const isStarted = results
    .list()
    .some((row) => !(row.kind === 'Namespace' && row.group === '' && row.name === input.destinationNamespace));
  if (input.request.dryRun) return dryRun(sync);
  if (isStarted) return undefined;
  if (namespace && results.isFailed(namespace))
    return planEnd(
      sync,
      'Failed',
      withReasons('the namespace failed to apply', [results.of(namespace)?.message ?? '']),
    );
  if (namespace?.target && !namespace.live && results.isPending(namespace)) {
    return planSteps(sync, [
      [{ kind: 'apply', task: refOf(namespace), object: namespace.target, how: applyOptionsOf(input, namespace) }],
    ]);
  }
  if (input.state.isChecked) return undefined;
  const known = tasks.filter((task) => task.resource?.rejection !== undefined && needsCheck(sync, task));
  for (const task of known)
    results.set(task, objectOf(task), { status: 'SyncFailed', message: task.resource?.rejection ?? '' });
  const ended = endRejected(sync);
  if (ended) return ended;
  const steps = tasks
    .filter((task) => !known.includes(task) && task.resource?.isChecked !== true && needsCheck(sync, task))
    .map((task) => checkStep(sync, task));
  return steps.length > 0 ? planSteps(sync, [steps]) : undefined;
}

/**
 * Rows of refused checks are known by having no phase: nothing was done. One that counts ends the operation; the others
 * are forgotten.
 */
function endRejected(sync: SyncContext): SyncPlan | undefined {
  const { input, results } = sync;
  const refused = sync.tasks.filter((task) => results.of(task)?.status === 'SyncFailed' && results.isPending(task));
  const messages: string[] = [];
  for (const task of refused) {
    const message = results.of(task)?.message ?? '';
    if (!isRejection(sync, task, message)) {
      results.drop(task);
      if (input.request.dryRun) results.set(task, objectOf(task), SKIPPED);
      continue;
    }
    const told = input.improvements.immutableDryRun ? withRemedies(message) : message;
    messages.push(told);
    results.set(task, objectOf(task), { status: 'SyncFailed', hookPhase: 'Failed', message: told });
  }
  if (messages.length === 0) return undefined;
  const what = 'one or more objects failed to apply (dry run)';
  return planEnd(sync, 'Failed', input.improvements.immutableDryRun ? withReasons(what, messages) : what);
}

/**
 * Not where the object is to be recreated anyway, nor where it only misses what this very sync is about to create, nor
 * where a later step misses its namespace: an operator of an earlier one may make it.
 */
function isRejection({ input, tasks }: SyncContext, task: Task, message: string): boolean {
  if (isImmutable(message) && applyOptionsOf(input, task).force) return false;
  if (!/not found|was found/.test(message)) return true;
  const [first] = tasks;
  if (/^namespaces "[^"]*" not found$/.test(message) && first !== undefined && !isSameWave(first, task)) return false;
  return !tasks.some(
    (other) =>
      other !== task &&
      other.target &&
      !other.live &&
      other.key.name !== task.key.name &&
      message.includes(other.key.name),
  );
}

/**
 * The server can be asked about an object only where it could take it now: what its kind and namespace need must be
 * there.
 */
function needsCheck(sync: SyncContext, task: Task): boolean {
  const { input, results } = sync;
  const { target, live } = task;
  if (target === undefined || task.kind !== 'served' || !results.isPending(task) || isUntouched(sync, task))
    return false;
  if (
    applyOptionsOf(input, task).method === 'recreate' ||
    (task.isHook && live && deletePoliciesOf(target).includes('BeforeHookCreation'))
  )
    return false;
  // A new object has no field that cannot change, and with a single step nothing comes before the apply that would have
  // to be undone.
  if (input.improvements.immutableDryRun && live === undefined && !input.request.dryRun && !isMultiStep(sync))
    return false;
  return !sync.comingNamespaces.has(task.key.namespace) && !sync.changingKinds.has(kindName(target));
}

function checkStep({ input }: SyncContext, task: Task): SyncStep {
  return {
    kind: 'check',
    task: refOf(task),
    object: objectOf(task),
    ...(task.live ? { live: task.live } : {}),
    how: applyOptionsOf(input, task),
    isDryRun: input.request.dryRun,
  };
}

/** An operation that is a dry run is over when the server was asked about everything. */
function dryRun(sync: SyncContext): SyncPlan | undefined {
  const { tasks, results } = sync;
  for (const task of tasks) {
    if (!results.isPending(task)) continue;
    if (isPrune(task)) pruneWithoutDelete(sync, task);
    else if (!needsCheck(sync, task) && !isUntouched(sync, task)) results.set(task, objectOf(task), SKIPPED);
  }
  const steps = tasks
    .filter((task) => results.isPending(task) && needsCheck(sync, task))
    .map((task) => checkStep(sync, task));
  return steps.length > 0
    ? planSteps(sync, [steps])
    : planEnd(sync, 'Succeeded', 'successfully synced (no more tasks)');
}
