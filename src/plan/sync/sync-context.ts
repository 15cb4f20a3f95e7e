import { blockWaveOf } from './gate.js';
import { isOwnHook } from './hook-rules.js';
import { SyncResults } from './sync-results.js';
import { listTasks, type TaskList } from './list-tasks.js';
import type { SyncPlan, Propagation, SyncStep, SyncInput, Wait } from './sync-plan.js';
import { comparePlaces, crdKind } from './order-tasks.js';
import { isNamespace, isSameWave, objectOf, type Task } from './task.js';

/** One look at an operation: what there is to do, and what was done. Lives for one move. */
export interface SyncContext extends TaskList {
  readonly input: SyncInput;
  readonly results: SyncResults;
  /** Namespaces that the sync is still to create. */
  readonly comingNamespaces: ReadonlySet<string>;
  /** Kinds whose CRD the sync creates or changes. */
  readonly changingKinds: ReadonlySet<string>;
}

export function newSyncContext(input: SyncInput): SyncContext {
  const ledger = new SyncResults(input.state.results);
  const list = listTasks(input);
  for (const task of list.tasks) {
    // Created by a process that died before it wrote that down: it counts, and is never created again.
    if (
      task.isHook &&
      task.live &&
      ledger.isPending(task) &&
      isOwnHook(task.live, input.state.operationId, task.phase)
    ) {
      ledger.set(task, objectOf(task), { status: 'Synced', hookPhase: 'Running', message: `${task.key.name} created` });
    }
  }
  const coming = list.tasks
    .filter((task) => task.target && !task.live && isNamespace(task, task.key.name))
    .map((task) => task.key.name);
  const changing = list.tasks.flatMap(({ target, resource }) =>
    target && resource?.isModified ? (crdKind(target) ?? []) : [],
  );
  return { ...list, input, results: ledger, comingNamespaces: new Set(coming), changingKinds: new Set(changing) };
}

/** What is still to be done when all goes well, in order. */
export function pendingTasks(sync: SyncContext): Task[] {
  return sync.tasks.filter(
    (task) =>
      task.phase !== 'SyncFail' && task.kind !== 'unknown' && sync.results.isPending(task) && !isUntouched(sync, task),
  );
}

/**
 * `ApplyOutOfSyncOnly=true`: what git and cluster agree on is left alone, unless they agree because of this very
 * operation.
 */
export function isUntouched({ input, results }: SyncContext, task: Task): boolean {
  if (!appliesDifferencesOnly(input) || task.isHook || results.of(task) !== undefined) return false;
  return task.target !== undefined && task.live !== undefined && task.resource?.isModified === false;
}

export function appliesDifferencesOnly({ syncOptions }: SyncInput): boolean {
  return syncOptions.includes('ApplyOutOfSyncOnly=true');
}

/** Whether the operation has more than one step, so that health holds the later ones. */
export function isMultiStep({ tasks }: SyncContext): boolean {
  const [first, last] = [tasks[0], tasks.at(-1)];
  return first !== undefined && last !== undefined && !isSameWave(first, last);
}

/** Everything was run, and the last step has no hooks: done at once, whatever becomes of the objects. */
export function isAllRun(sync: SyncContext): boolean {
  if (pendingTasks(sync).length > 0) return false;
  const done = sync.tasks.filter((task) => task.phase !== 'SyncFail' && !sync.results.isPending(task));
  const last = done.reduce<Task | undefined>(
    (latest, task) => (latest && comparePlaces(latest, task) >= 0 ? latest : task),
    undefined,
  );
  if (last === undefined) return false;
  const isFree = (task: Task): boolean =>
    (isSameWave(task, last) ? !task.isHook && blockWaveOf(task) === undefined : false) || !sync.results.isRunning(task);
  return (
    !done.some((task) => isSameWave(task, last) && task.isHook) &&
    done.every((task) => isFree(task) && !sync.results.isFailed(task))
  );
}

export function isPrune(task: Task): boolean {
  return task.target === undefined;
}

export function isDeleting(task: Task): boolean {
  return task.live?.metadata.deletionTimestamp !== undefined;
}

export function propagationOf({ syncOptions }: SyncInput): Propagation {
  if (syncOptions.includes('PrunePropagationPolicy=background')) return 'Background';
  if (syncOptions.includes('PrunePropagationPolicy=foreground')) return 'Foreground';
  return syncOptions.includes('PrunePropagationPolicy=orphan') ? 'Orphan' : 'Foreground';
}

/** Running, with steps to run now. */
export function planSteps(sync: SyncContext, groups: readonly (readonly SyncStep[])[]): SyncPlan {
  return {
    phase: 'Running',
    message: 'one or more tasks are running',
    results: sync.results.list(),
    groups: groups.filter((group) => group.length > 0),
    waitsFor: [],
  };
}

/** Running, with nothing to do but wait. */
export function planWait(sync: SyncContext, message: string, waitsFor: readonly Wait[], askAgainAt?: Date): SyncPlan {
  return {
    phase: 'Running',
    message,
    results: sync.results.list(),
    groups: [],
    waitsFor,
    ...(askAgainAt ? { requeueAt: askAgainAt } : {}),
  };
}

export function planEnd(sync: SyncContext, phase: 'Succeeded' | 'Failed' | 'Error', message: string): SyncPlan {
  return { phase, message, results: sync.results.list(), groups: [], waitsFor: [] };
}
