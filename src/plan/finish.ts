import { judge, saysWhy, WAIT_TIMEOUT_ANNOTATION } from './gate.js';
import {
  deletePoliciesOf,
  hasHookFinalizer,
  mayBeOwnHook,
  OPERATION_ANNOTATION,
  type DeletePolicy,
} from './hook-rules.js';
import { waitingFor, withReasons, withRemedies } from './messages.js';
import type { Move, Step } from './move.js';
import { annotationOf } from './options.js';
import { endMove, isAllRun, isDeleting, isPrune, propagationOf, runMove, waitMove, type Sync } from './sync.js';
import { objectOf, refOf, type Task } from './task.js';
import { onePerObject, runWave } from './run-wave.js';

/** Where something failed: clean up, run the SyncFail hooks, then end. */
export function fail(sync: Sync): Move | undefined {
  const { tasks, ledger } = sync;
  const failed = tasks.filter((task) => task.phase !== 'SyncFail' && ledger.isFailed(task));
  if (failed.length === 0) return undefined;
  if (sync.input.improvements.immutableDryRun) {
    for (const task of failed)
      ledger.set(task, objectOf(task), { message: withRemedies(ledger.of(task)?.message ?? '') });
  }
  const handlers = tasks.filter((task) => task.phase === 'SyncFail' && task.kind !== 'unknown');
  const pending = handlers.filter((task) => ledger.isPending(task));
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
    endMove(sync, 'Failed', failureMessage(sync, failed, handlers))
  );
}

function failureMessage({ input, tasks, ledger }: Sync, failed: readonly Task[], handlers: readonly Task[]): string {
  const messagesOf = (some: readonly Task[]): string[] =>
    some.flatMap((task) => {
      const row = ledger.of(task);
      if (row === undefined) return [];
      if (row.status === 'SyncFailed') return [row.message];
      if (saysWhy(input, [task])) return [`${task.key.kind}/${task.key.name}: ${row.message}`];
      return row.message.includes(WAIT_TIMEOUT_ANNOTATION) ? [row.message] : [];
    });
  const places = new Set(failed.map(({ phase, wave }) => `${phase}/${wave}`));
  const wasRun = (task: Task): boolean =>
    !isPrune(task) &&
    places.has(`${task.phase}/${task.wave}`) &&
    (ledger.of(task)?.status === 'Synced' || ledger.of(task)?.hookPhase === 'Error');
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
export function succeed(sync: Sync): Move {
  const missing = sync.tasks.filter(
    (task) => task.kind === 'unknown' && task.phase !== 'SyncFail' && sync.ledger.isPending(task),
  );
  if (missing.length > 0) return waitForKinds(sync, missing);
  const message = isAllRun(sync) ? 'successfully synced (all tasks run)' : 'successfully synced (no more tasks)';
  return cleanUp(sync, 'HookSucceeded', sync.tasks) ?? endMove(sync, 'Succeeded', message);
}

/** All the rest is done; these are applied when the cluster serves their kind. */
function waitForKinds(sync: Sync, tasks: readonly Task[]): Move {
  const kinds = [...new Set(tasks.map(({ key, version }) => `${key.kind} of ${key.group}/${version}`))];
  const [first] = tasks;
  const more = tasks.length > 1 ? ` and ${tasks.length - 1} more resources` : '';
  const message =
    `waiting for the kind of ${first ? `${first.key.group}/${first.key.kind}/${first.key.name}` : ''}${more}: ` +
    `the cluster does not serve ${kinds.join(', ')}`;
  return waitMove(
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
function cleanUp(sync: Sync, policy: DeletePolicy, tasks: readonly Task[]): Move | undefined {
  const { input, ledger } = sync;
  const hooks = tasks.filter(
    (task) => task.isHook && task.live && !ledger.isRunning(task) && ledger.of(task)?.hookPhase !== 'Error',
  );
  const released = hooks.filter((task) => ledger.isCompleted(task) && holdsFinalizer(sync, task));
  const propagation = propagationOf(input);
  const isDoomed = (task: Task): boolean =>
    !isDeleting(task) && deletePoliciesOf(objectOf(task)).includes(policy) && !isOfOtherPhase(sync, task);
  const doomed = hooks
    .filter(isDoomed)
    .flatMap((task): Step[] =>
      task.live ? [{ kind: 'delete-hook', task: refOf(task), live: task.live, propagation }] : [],
    );
  const release = releaseSteps([
    ...released,
    ...hooks.filter((task) => isDoomed(task) && task.live && hasHookFinalizer(task.live)),
  ]);
  return release.length + doomed.length > 0 ? runMove(sync, [release, onePerObject(doomed)]) : undefined;
}

/** The same object serves two phases, and it is the other's turn to decide. */
function isOfOtherPhase({ input }: Sync, { live, phase }: Task): boolean {
  const { operationId } = input.state;
  return (
    live !== undefined &&
    annotationOf(live, OPERATION_ANNOTATION) === operationId &&
    !mayBeOwnHook(live, operationId, phase)
  );
}

function holdsFinalizer({ input }: Sync, task: Task): boolean {
  return (
    task.live !== undefined &&
    hasHookFinalizer(task.live) &&
    mayBeOwnHook(task.live, input.state.operationId, task.phase)
  );
}

function releaseSteps(tasks: readonly Task[]): Step[] {
  return onePerObject(
    tasks.flatMap((task): Step[] => (task.live ? [{ kind: 'release-hook', task: refOf(task), live: task.live }] : [])),
  );
}

/** Takes the finalizer off completed hooks between two waves. */
export function releaseCompleted(sync: Sync): Move | undefined {
  const over = sync.tasks.filter(
    (task) =>
      task.isHook &&
      sync.ledger.isCompleted(task) &&
      sync.ledger.of(task)?.hookPhase !== 'Error' &&
      holdsFinalizer(sync, task),
  );
  return over.length > 0 ? runMove(sync, [releaseSteps(over)]) : undefined;
}

/** A sync that failed early does not wait for its hooks, and does not hold them either. */
function releaseRunning(sync: Sync): Move | undefined {
  const held = sync.tasks.filter((task) => task.isHook && sync.ledger.isRunning(task) && holdsFinalizer(sync, task));
  return held.length > 0 ? runMove(sync, [releaseSteps(held)]) : undefined;
}

const TERMINATED = 'Terminated';

/** Someone ended the operation: running hooks are deleted, what was applied stays. */
export function terminate(sync: Sync): Move {
  const { input, ledger } = sync;
  const hooks = sync.tasks.filter((task) => task.isHook);
  for (const task of hooks.filter((each) => ledger.isRunning(each))) {
    const verdict = task.live ? judge(input, task, task.live) : undefined;
    const isOver = verdict !== undefined && verdict.phase !== 'Running';
    ledger.set(
      task,
      objectOf(task),
      isOver ? { hookPhase: verdict.phase, message: verdict.message } : { hookPhase: 'Failed', message: TERMINATED },
    );
  }
  const isStopped = (task: Task): boolean => ledger.of(task)?.message === TERMINATED;
  const ours = hooks.filter(
    (task) =>
      task.live &&
      ledger.isCompleted(task) &&
      ledger.of(task)?.hookPhase !== 'Error' &&
      mayBeOwnHook(task.live, input.state.operationId, task.phase),
  );
  const propagation = propagationOf(input);
  const doomed = ours.filter((task) => !isDeleting(task) && isStopped(task));
  const steps = doomed.flatMap((task): Step[] =>
    task.live ? [{ kind: 'delete-hook', task: refOf(task), live: task.live, propagation }] : [],
  );
  const release = releaseSteps(ours.filter((task) => holdsFinalizer(sync, task)));
  if (release.length + steps.length === 0) {
    const hasErrors = hooks.some((task) => ledger.of(task)?.hookPhase === 'Error');
    return hasErrors
      ? endMove(sync, 'Error', 'Operation termination had errors')
      : endMove(sync, 'Failed', 'Operation terminated');
  }
  const message = waitingFor(ours, 'deletion');
  if (ledger.list() !== input.state.results) return { ...waitMove(sync, message, [], input.now), phase: 'Terminating' };
  return { ...runMove(sync, [release, onePerObject(steps)]), phase: 'Terminating', message };
}
