import { gvkOf } from '../model/index.js';
import { applyHow } from './apply-how.js';
import { deletePoliciesOf } from './hook-rules.js';
import { isImmutable, withReasons, withRemedies } from './messages.js';
import type { Move, Step } from './move.js';
import { kindName } from './order.js';
import { endMove, isMultiStep, isPrune, isUntouched, runMove, type Sync } from './sync.js';
import { isNamespace, isSameStep, objectOf, refOf, type Task } from './task.js';
import { pruneWithoutDelete } from './run-wave.js';

/** The server cannot be asked about the object before others are there. */
const SKIPPED = { status: 'Synced', hookPhase: 'Succeeded', message: 'skipped (dry run)' } as const;

/** What the project or the cluster does not know ends the operation before anything is applied. */
export function refuseInvalid(sync: Sync): Move | undefined {
  const { ledger } = sync;
  const problems: string[] = [];
  for (const task of sync.tasks) {
    const problem = problemOf(sync, task);
    if (problem === undefined) continue;
    problems.push(problem);
    ledger.set(task, objectOf(task), { status: 'SyncFailed', message: problem });
  }
  if (problems.length === 0) return undefined;
  const different = [...new Set(problems)].sort();
  return endMove(sync, 'Failed', `one or more synchronization tasks are not valid: ${different.join('; ')}`);
}

function problemOf({ input }: Sync, task: Task): string | undefined {
  if (task.kind === 'coming' || (task.kind === 'unknown' && input.improvements.partialProgress)) return undefined;
  if (task.kind === 'served') return input.objectionTo(objectOf(task));
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
export function prepare(sync: Sync): Move | undefined {
  const { input, tasks, ledger } = sync;
  const refused = endRefused(sync);
  if (refused) return refused;
  const namespace = tasks.find((task) => task.target && !task.isHook && isNamespace(task, input.destinationNamespace));
  const isStarted = ledger
    .list()
    .some((row) => !(row.kind === 'Namespace' && row.group === '' && row.name === input.destinationNamespace));
  if (input.request.dryRun) return dryRun(sync);
  if (isStarted) return undefined;
  if (namespace && ledger.isFailed(namespace))
    return endMove(sync, 'Failed', withReasons('the namespace failed to apply', [ledger.of(namespace)?.message ?? '']));
  if (namespace?.target && !namespace.live && ledger.isPending(namespace)) {
    return runMove(sync, [
      [{ kind: 'apply', task: refOf(namespace), object: namespace.target, how: applyHow(input, namespace) }],
    ]);
  }
  if (input.state.isChecked) return undefined;
  const known = tasks.filter((task) => task.resource?.refusal !== undefined && needsCheck(sync, task));
  for (const task of known)
    ledger.set(task, objectOf(task), { status: 'SyncFailed', message: task.resource?.refusal ?? '' });
  const ended = endRefused(sync);
  if (ended) return ended;
  const steps = tasks
    .filter((task) => !known.includes(task) && task.resource?.isChecked !== true && needsCheck(sync, task))
    .map((task) => checkStep(sync, task));
  return steps.length > 0 ? runMove(sync, [steps]) : undefined;
}

/**
 * Rows of refused checks are known by having no phase: nothing was done. One that counts ends the operation; the others
 * are forgotten.
 */
function endRefused(sync: Sync): Move | undefined {
  const { input, ledger } = sync;
  const refused = sync.tasks.filter((task) => ledger.of(task)?.status === 'SyncFailed' && ledger.isPending(task));
  const messages: string[] = [];
  for (const task of refused) {
    const message = ledger.of(task)?.message ?? '';
    if (!isRefusal(sync, task, message)) {
      ledger.drop(task);
      if (input.request.dryRun) ledger.set(task, objectOf(task), SKIPPED);
      continue;
    }
    const told = input.improvements.immutableDryRun ? withRemedies(message) : message;
    messages.push(told);
    ledger.set(task, objectOf(task), { status: 'SyncFailed', hookPhase: 'Failed', message: told });
  }
  if (messages.length === 0) return undefined;
  const what = 'one or more objects failed to apply (dry run)';
  return endMove(sync, 'Failed', input.improvements.immutableDryRun ? withReasons(what, messages) : what);
}

/**
 * Not where the object is to be recreated anyway, nor where it only misses what this very sync is about to create, nor
 * where a later step misses its namespace: an operator of an earlier one may make it.
 */
function isRefusal({ input, tasks }: Sync, task: Task, message: string): boolean {
  if (isImmutable(message) && applyHow(input, task).force) return false;
  if (!/not found|was found/.test(message)) return true;
  const [first] = tasks;
  if (/^namespaces "[^"]*" not found$/.test(message) && first !== undefined && !isSameStep(first, task)) return false;
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
function needsCheck(sync: Sync, task: Task): boolean {
  const { input, ledger } = sync;
  const { target, live } = task;
  if (target === undefined || task.kind !== 'served' || !ledger.isPending(task) || isUntouched(sync, task))
    return false;
  if (
    applyHow(input, task).by === 'recreate' ||
    (task.isHook && live && deletePoliciesOf(target).includes('BeforeHookCreation'))
  )
    return false;
  // A new object has no field that cannot change, and with a single step nothing comes before the apply that would have
  // to be undone.
  if (input.improvements.immutableDryRun && live === undefined && !input.request.dryRun && !isMultiStep(sync))
    return false;
  return !sync.comingNamespaces.has(task.key.namespace) && !sync.changingKinds.has(kindName(target));
}

function checkStep({ input }: Sync, task: Task): Step {
  return {
    kind: 'check',
    task: refOf(task),
    object: objectOf(task),
    ...(task.live ? { live: task.live } : {}),
    how: applyHow(input, task),
    isDryRun: input.request.dryRun,
  };
}

/** An operation that is a dry run is over when the server was asked about everything. */
function dryRun(sync: Sync): Move | undefined {
  const { tasks, ledger } = sync;
  for (const task of tasks) {
    if (!ledger.isPending(task)) continue;
    if (isPrune(task)) pruneWithoutDelete(sync, task);
    else if (!needsCheck(sync, task) && !isUntouched(sync, task)) ledger.set(task, objectOf(task), SKIPPED);
  }
  const steps = tasks
    .filter((task) => ledger.isPending(task) && needsCheck(sync, task))
    .map((task) => checkStep(sync, task));
  return steps.length > 0 ? runMove(sync, [steps]) : endMove(sync, 'Succeeded', 'successfully synced (no more tasks)');
}
