import { assessTask, HOOK_DEADLINE_ANNOTATION, reportsReasons, WAIT_TIMEOUT_ANNOTATION } from './gate.js';
import {
  deletePoliciesOf,
  hasHookFinalizer,
  mayBeOwnHook,
  OPERATION_ANNOTATION,
  type DeletePolicy,
} from './hook-rules.js';
import { waitingFor, withReasons, withRemedies } from './messages.js';
import type { SyncPlan, SyncStep } from './sync-plan.js';
import { annotationOf } from './options.js';
import {
  planEnd,
  isAllRun,
  isDeleting,
  isPrune,
  propagationOf,
  planSteps,
  planWait,
  type SyncContext,
} from './sync-context.js';
import { objectOf, refOf, type Task } from './task.js';
import { onePerObject, runWave } from './run-wave.js';

/** Where something failed: clean up, run the SyncFail hooks, then end. */
export function fail(sync: SyncContext): SyncPlan | undefined {
  const { tasks, results } = sync;
  const failed = tasks.filter((task) => task.phase !== 'SyncFail' && results.isFailed(task));
  if (failed.length === 0) return undefined;
  if (sync.input.improvements.immutableDryRun) {
    for (const task of failed)
      results.set(task, objectOf(task), { message: withRemedies(results.of(task)?.message ?? '') });
  }
  const handlers = tasks.filter((task) => task.phase === 'SyncFail' && task.kind !== 'unknown');
  const pending = handlers.filter((task) => results.isPending(task));
  if (pending.length > 0)
    return (
      cleanUp(
        sync,
        'HookFailed',
        tasks.filter((task) => !handlers.includes(task) || pending.includes(task)),
      ) ?? runWave(sync, pending)
    );
  return (
    cleanUp(sync, 'HookFailed', tasks) ??
    releaseRunning(sync) ??
    planEnd(sync, 'Failed', failureMessage(sync, failed, handlers))
  );
}

function failureMessage(
  { input, tasks, results }: SyncContext,
  failed: readonly Task[],
  handlers: readonly Task[],
): string {
  const messagesOf = (some: readonly Task[]): string[] =>
    some.flatMap((task) => {
      const row = results.of(task);
      if (row === undefined) return [];
      if (row.status === 'SyncFailed') return [row.message];
      if (reportsReasons(input, [task])) return [`${task.key.kind}/${task.key.name}: ${row.message}`];
      return isOverdue(row.message) || row.message.includes(WAIT_TIMEOUT_ANNOTATION) ? [row.message] : [];
    });
  const places = new Set(failed.map(({ phase, wave }) => `${phase}/${wave}`));
  const wasRun = (task: Task): boolean =>
    !isPrune(task) &&
    places.has(`${task.phase}/${task.wave}`) &&
    (results.of(task)?.status === 'Synced' || results.of(task)?.hookPhase === 'Error');
  const what =
    handlers.length > 0 || tasks.some(wasRun)
      ? 'one or more synchronization tasks completed unsuccessfully'
      : 'one or more objects failed to apply';
  const handled = messagesOf(handlers);
  return [
    withReasons(what, messagesOf(failed)),
    ...(handled.length > 0 ? [withReasons('one or more SyncFail hooks failed', handled)] : []),
  ].join('\n');
}

/** Where nothing is left to do: clean up, then end. */
export function succeed(sync: SyncContext): SyncPlan {
  const missing = sync.tasks.filter(
    (task) => task.kind === 'unknown' && task.phase !== 'SyncFail' && sync.results.isPending(task),
  );
  if (missing.length > 0) return waitForKinds(sync, missing);
  const message = isAllRun(sync) ? 'successfully synced (all tasks run)' : 'successfully synced (no more tasks)';
  return cleanUp(sync, 'HookSucceeded', sync.tasks) ?? planEnd(sync, 'Succeeded', message);
}

/** All the rest is done; these are applied when the cluster serves their kind. */
function waitForKinds(sync: SyncContext, tasks: readonly Task[]): SyncPlan {
  const kinds = [...new Set(tasks.map(({ key, version }) => `${key.kind} of ${key.group}/${version}`))];
  const [first] = tasks;
  const more = tasks.length > 1 ? ` and ${tasks.length - 1} more resources` : '';
  const message =
    `waiting for the kind of ${first ? `${first.key.group}/${first.key.kind}/${first.key.name}` : ''}${more}: ` +
    `the cluster does not serve ${kinds.join(', ')}`;
  return planWait(
    sync,
    message,
    tasks.map(({ key, version }) => ({
      why: 'unknown-kind',
      key,
      message: `the cluster does not serve ${key.kind} of ${key.group}/${version}; everything else was applied`,
    })),
  );
}

/** Completed hooks lose the finalizer; those whose policy names how the sync ended are deleted. */
function cleanUp(sync: SyncContext, policy: DeletePolicy, tasks: readonly Task[]): SyncPlan | undefined {
  const { input, results } = sync;
  const hooks = tasks.filter(
    (task) => task.isHook && task.live && !results.isRunning(task) && results.of(task)?.hookPhase !== 'Error',
  );
  const released = hooks.filter((task) => results.isCompleted(task) && holdsFinalizer(sync, task));
  const propagation = propagationOf(input);
  const isDoomed = (task: Task): boolean =>
    !isDeleting(task) &&
    !isOfOtherPhase(sync, task) &&
    (deletePoliciesOf(objectOf(task)).includes(policy) || isOverdue(results.of(task)?.message ?? ''));
  const doomed = hooks
    .filter(isDoomed)
    .flatMap((task): SyncStep[] =>
      task.live ? [{ kind: 'delete-hook', task: refOf(task), live: task.live, propagation }] : [],
    );
  const release = releaseSteps([
    ...released,
    ...hooks.filter((task) => isDoomed(task) && task.live && hasHookFinalizer(task.live)),
  ]);
  return release.length + doomed.length > 0 ? planSteps(sync, [release, onePerObject(doomed)]) : undefined;
}

/** A hook whose own deadline has passed is deleted: it must not begin its work after the sync has failed. */
function isOverdue(message: string): boolean {
  return message.startsWith('not completed within ') && message.includes(`(${HOOK_DEADLINE_ANNOTATION})`);
}

/** The same object serves two phases, and it is the other's turn to decide. */
function isOfOtherPhase({ input }: SyncContext, { live, phase }: Task): boolean {
  const { operationId } = input.state;
  return (
    live !== undefined &&
    annotationOf(live, OPERATION_ANNOTATION) === operationId &&
    !mayBeOwnHook(live, operationId, phase)
  );
}

function holdsFinalizer({ input }: SyncContext, task: Task): boolean {
  return (
    task.live !== undefined &&
    hasHookFinalizer(task.live) &&
    mayBeOwnHook(task.live, input.state.operationId, task.phase)
  );
}

function releaseSteps(tasks: readonly Task[]): SyncStep[] {
  return onePerObject(
    tasks.flatMap((task): SyncStep[] =>
      task.live ? [{ kind: 'release-hook', task: refOf(task), live: task.live }] : [],
    ),
  );
}

/** Takes the finalizer off completed hooks between two waves. */
export function releaseCompleted(sync: SyncContext): SyncPlan | undefined {
  const over = sync.tasks.filter(
    (task) =>
      task.isHook &&
      sync.results.isCompleted(task) &&
      sync.results.of(task)?.hookPhase !== 'Error' &&
      holdsFinalizer(sync, task),
  );
  return over.length > 0 ? planSteps(sync, [releaseSteps(over)]) : undefined;
}

/** A sync that failed early does not wait for its hooks, and does not hold them either. */
function releaseRunning(sync: SyncContext): SyncPlan | undefined {
  const held = sync.tasks.filter((task) => task.isHook && sync.results.isRunning(task) && holdsFinalizer(sync, task));
  return held.length > 0 ? planSteps(sync, [releaseSteps(held)]) : undefined;
}

const TERMINATED = 'Terminated';

/** Someone ended the operation: running hooks are deleted, what was applied stays. */
export function terminate(sync: SyncContext): SyncPlan {
  const { input, results } = sync;
  const hooks = sync.tasks.filter((task) => task.isHook);
  for (const task of hooks.filter((each) => results.isRunning(each))) {
    const verdict = task.live ? assessTask(input, task, task.live) : undefined;
    const isOver = verdict !== undefined && verdict.phase !== 'Running';
    results.set(
      task,
      objectOf(task),
      isOver ? { hookPhase: verdict.phase, message: verdict.message } : { hookPhase: 'Failed', message: TERMINATED },
    );
  }
  const isStopped = (task: Task): boolean => results.of(task)?.message === TERMINATED;
  const ours = hooks.filter(
    (task) =>
      task.live &&
      results.isCompleted(task) &&
      results.of(task)?.hookPhase !== 'Error' &&
      mayBeOwnHook(task.live, input.state.operationId, task.phase),
  );
  const propagation = propagationOf(input);
  const doomed = ours.filter((task) => !isDeleting(task) && isStopped(task));
  const steps = doomed.flatMap((task): SyncStep[] =>
    task.live ? [{ kind: 'delete-hook', task: refOf(task), live: task.live, propagation }] : [],
  );
  const release = releaseSteps(ours.filter((task) => holdsFinalizer(sync, task)));
  if (release.length + steps.length === 0) {
    const hasErrors = hooks.some((task) => results.of(task)?.hookPhase === 'Error');
    return hasErrors
      ? planEnd(sync, 'Error', 'Operation termination had errors')
      : planEnd(sync, 'Failed', 'Operation terminated');
  }
  const message = waitingFor(ours, 'deletion');
  if (results.list() !== input.state.results)
    return { ...planWait(sync, message, [], input.now), phase: 'Terminating' };
  return { ...planSteps(sync, [release, onePerObject(steps)]), phase: 'Terminating', message };
}
