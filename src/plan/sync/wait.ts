import { formatDuration, formatTime, instantOf } from '../../model/formats/index.js';
import { awaitedSince, blockWaveOf, deadlineOf, assessTask, reportsReasons, type TaskState } from './gate.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { hasHookFinalizer, mayBeOwnHook } from './hook-rules.js';
import { waitingFor } from './messages.js';
import type { SyncInput, SyncPlan, Wait } from './sync-plan.js';
import { comparePlaces } from './order-tasks.js';
import {
  isAllRun,
  isDeleting,
  isMultiStep,
  isPrune,
  newSyncContext,
  pendingTasks,
  planWait,
  type SyncContext,
} from './sync-context.js';
import { isSameWave, objectOf, type Task } from './task.js';

/** Argo CD looks at health only after the delay, because a controller needs time to react to a wave. */
export function waitForDelay(sync: SyncContext): SyncPlan | undefined {
  const { input, results } = sync;
  const { waveAppliedAt } = input.state;
  const next = pendingTasks(sync)[0];
  if (input.improvements.noWaveDelay || waveAppliedAt === undefined || next === undefined) return undefined;
  const isWithinWave = sync.tasks.some((task) => isSameWave(task, next) && !results.isPending(task));
  const end = new Date(waveAppliedAt.getTime() + input.waveDelay);
  if (isWithinWave || input.now >= end || sync.tasks.some((task) => results.isFailed(task))) return undefined;
  const running = sync.tasks.filter((task) => results.isRunning(task));
  const message =
    `the next wave starts ${formatDuration(BigInt(input.waveDelay) * 1_000_000n)} after the last one ` +
    '(controller.sync.wave.delay.seconds)';
  return planWait(
    sync,
    waitingFor(running, 'progress'),
    running.map(({ key }) => ({ why: 'wave-delay', key, message })),
    end,
  );
}

/** Writes down how far the running tasks are, and waits for those that hold the rest. */
export function waitForProgress(sync: SyncContext): SyncPlan | undefined {
  if (isAllRun(sync)) return undefined;
  const words = assessRunning(sync);
  if (isAllRun(sync)) return undefined;
  const holding = holdingTasks(sync);
  for (const task of holding.filter(({ live }) => live === undefined)) {
    const { group, kind, name } = task.key;
    sync.results.set(task, objectOf(task), {
      status: 'SyncFailed',
      hookPhase: 'Error',
      message: `Resource ${group}/${kind}/${name} is missing, it might have been deleted`,
    });
  }
  const present = holding.filter(({ live }) => live !== undefined);
  if (present.length === 0) return waitForDeletion(sync);
  const deadlines = [...present.flatMap((task) => deadlineOf(sync.input, task)?.at ?? []), ...lookAgainAt(sync)].sort(
    (a, b) => a.getTime() - b.getTime(),
  );
  const waits = present.map(
    (task): Wait => ({ why: task.isHook ? 'hook' : 'health', key: task.key, message: words.get(task) ?? '' }),
  );
  const message = `${waitingFor(present, 'progress')}${waitedSince(sync, present)}${hookReasonText(sync, present)}`;
  return planWait(sync, message, waits, deadlines[0]);
}

function lookAgainAt({ input: { hookLookAt } }: SyncContext): Date[] {
  return hookLookAt === undefined ? [] : [hookLookAt];
}

/** `: <why the first hook with a known reason waits>. <what ends it>`. */
function hookReasonText({ input }: SyncContext, present: readonly Task[]): string {
  if (!reportsReasons(input, present)) return '';
  const [reason] = present.flatMap((task) => (task.isHook ? (input.hookReason?.(task.key) ?? []) : []));
  return reason === undefined ? '' : `: ${reason.message}. ${reason.remedy}`;
}

const MAX_NAMED = 5;

/**
 * ` since 2026-01-01T00:00:00Z (wave 4 waits for NotebookValidationJob/train)`: since when, and which gates hold what
 * is next.
 */
function waitedSince(sync: SyncContext, present: readonly Task[]): string {
  if (!reportsReasons(sync.input, present)) return '';
  const since = Math.min(...present.map((task) => awaitedSince(sync.input, task).getTime()));
  const gates = present.filter((task) => blockWaveOf(task) !== undefined).map(({ key }) => `${key.kind}/${key.name}`);
  const what = nextStep(pendingTasks(sync)[0]);
  const named = gates.length > MAX_NAMED ? [...gates.slice(0, MAX_NAMED), `${gates.length - MAX_NAMED} more`] : gates;
  return (
    ` since ${formatTime(instantOf(since))}` + (gates.length === 0 ? '' : ` (${what} waits for ${named.join(', ')})`)
  );
}

function nextStep(next: Task | undefined): string {
  if (next === undefined) return 'the end of the sync';
  return next.phase === 'Sync' ? `wave ${next.wave}` : `the phase ${next.phase}`;
}

/**
 * The words of those that are still running. A step that was cut short is run to its end before anything in it is
 * judged.
 */
function assessRunning(sync: SyncContext): Map<Task, string> {
  const { input, tasks, results } = sync;
  const words = new Map<Task, string>();
  const next = pendingTasks(sync)[0];
  for (const task of tasks) {
    if (!results.isRunning(task) || !task.live || (next && isSameWave(next, task))) continue;
    const verdict = withReason(input, task, assessTask(input, task, task.live));
    const ended = verdict.phase === 'Running' ? endOf(sync, task, verdict.message) : undefined;
    if (ended !== undefined) {
      results.set(task, objectOf(task), { hookPhase: 'Failed', message: ended });
      continue;
    }
    if (verdict.phase === 'Running') words.set(task, verdict.message);
    // Non-hooks keep the words of their apply until there is a verdict.
    const isMute = verdict.phase === 'Failed' && verdict.message === '' && reportsReasons(input, [task]);
    if (verdict.phase !== 'Running' || task.isHook)
      results.set(task, objectOf(task), {
        hookPhase: verdict.phase,
        message: isMute ? 'it is Degraded' : verdict.message,
      });
  }
  return words;
}

/** What holds a hook says more than its health. */
function withReason(input: SyncInput, task: Task, verdict: TaskState): TaskState {
  const reason =
    task.isHook && verdict.phase === 'Running' && reportsReasons(input, [task])
      ? input.hookReason?.(task.key)
      : undefined;
  return reason === undefined ? verdict : { ...verdict, message: reason.message };
}

/** Why a task that still runs is not awaited any longer: somebody deleted the hook, or its time is over. */
function endOf({ input }: SyncContext, task: Task, message: string): string | undefined {
  const why = message === '' ? '' : `: ${message}`;
  if (task.isHook && isDeleting(task)) return `the hook was deleted before it completed`;
  const deadline = deadlineOf(input, task);
  if (deadline === undefined || input.now < deadline.at) return undefined;
  const waited = formatDuration(BigInt(deadline.timeout) * 1_000_000n);
  return `${task.isHook ? 'not completed' : 'not healthy'} within ${waited} (${deadline.annotation})${why}`;
}

/** The running hooks that hold the sync, as they are in the cluster: what keeps them is to be found out. */
export function awaitedHooks(input: SyncInput): KubeObject[] {
  if (input.request.dryRun || input.state.isTerminating) return [];
  if (!input.state.results.some(({ hookType, hookPhase }) => hookType !== undefined && hookPhase === 'Running'))
    return [];
  const { tasks, results } = newSyncContext(input);
  return tasks.flatMap((task) =>
    task.isHook &&
    task.live !== undefined &&
    results.isRunning(task) &&
    assessTask(input, task, task.live).phase === 'Running'
      ? [task.live]
      : [],
  );
}

/** Which running tasks keep the rest from going on. */
function holdingTasks(sync: SyncContext): Task[] {
  const { tasks, results } = sync;
  const next = pendingTasks(sync)[0];
  const running = tasks.filter((task) => results.isRunning(task));
  const isHandlingFailure =
    tasks.some((task) => task.phase === 'SyncFail' && results.isPending(task)) &&
    running.some((task) => task.phase === 'SyncFail');
  if (tasks.some((task) => blockWaveOf(task) !== undefined && results.isFailed(task)))
    return isHandlingFailure ? [] : running.filter((task) => task.phase === 'SyncFail');
  const isMany = isMultiStep(sync);
  return running.filter((task) => {
    if (task.phase === 'SyncFail') return !isHandlingFailure;
    // The rest of its own step (or an earlier one) does not wait for it: it may be what it waits for.
    if (next && comparePlaces(task, next) >= 0) return false;
    const blocked = blockWaveOf(task);
    if (blocked !== undefined) return !(next?.phase === task.phase && next.wave < blocked);
    return isMany || task.isHook;
  });
}

/** The next step waits until what was pruned before it is gone. */
function waitForDeletion(sync: SyncContext): SyncPlan | undefined {
  const next = pendingTasks(sync)[0];
  const leaving = sync.tasks.filter(
    (task) =>
      isPrune(task) &&
      isDeleting(task) &&
      sync.results.of(task)?.status === 'Pruned' &&
      !(next && isSameWave(next, task)),
  );
  if (leaving.length === 0) return undefined;
  return planWait(
    sync,
    waitingFor(leaving, 'deletion'),
    leaving.map((task) => ({ why: 'deletion', key: task.key, message: whyLeaving(task) })),
  );
}

function whyLeaving({ live }: Task): string {
  const finalizers = live?.metadata.finalizers ?? [];
  return finalizers.length === 0 ? 'it is being deleted' : `its deletion waits for ${finalizers.join(', ')}`;
}

/** A hook that is over may only lose its finalizer once its end is written down: after that it can vanish. */
export function waitForRecord(sync: SyncContext): SyncPlan | undefined {
  const { input, results } = sync;
  const before = new Set(
    input.state.results
      .filter((row) => row.hookPhase !== 'Running')
      .map(({ syncPhase, kind, namespace, name }) => `${syncPhase}/${kind}/${namespace}/${name}`),
  );
  const isNew = (task: Task): boolean =>
    task.isHook &&
    results.isCompleted(task) &&
    task.live !== undefined &&
    hasHookFinalizer(task.live) &&
    mayBeOwnHook(task.live, input.state.operationId, task.phase) &&
    !before.has(`${task.phase}/${task.key.kind}/${task.key.namespace}/${task.key.name}`);
  return sync.tasks.some(isNew) ? planWait(sync, 'one or more tasks are running', [], input.now) : undefined;
}
