import { applyOptionsOf } from './apply-options.js';
import { deletePoliciesOf, hasHookFinalizer } from './hook-rules.js';
import { waitingFor } from './messages.js';
import type { SyncPlan, SyncStep } from './sync-plan.js';
import { optionValue } from './options.js';
import {
  appliesDifferencesOnly,
  isDeleting,
  isPrune,
  propagationOf,
  planSteps,
  planWait,
  type SyncContext,
} from './sync-context.js';
import { objectOf, refOf, type Task } from './task.js';

/**
 * One step of the sync: prune, clear hooks of the past away, apply. Each of them is a move, because it must succeed
 * before the next.
 */
export function runWave(sync: SyncContext, tasks: readonly Task[]): SyncPlan {
  return prune(sync, tasks) ?? clearHooks(sync, tasks) ?? apply(sync, tasks);
}

function prune(sync: SyncContext, tasks: readonly Task[]): SyncPlan | undefined {
  const doomed = tasks.filter(isPrune);
  const unconfirmed = doomed.filter((task) => needsConfirmation(sync, task));
  if (unconfirmed.length > 0) {
    const message =
      'the object is pruned when the annotation argocd.argoproj.io/deletion-approved of the Application has ' +
      'a time after the start of the operation';
    return planWait(
      sync,
      waitingFor(unconfirmed, 'confirmation'),
      unconfirmed.map(({ key }) => ({ why: 'prune-confirmation', key, message })),
    );
  }
  const propagation = propagationOf(sync.input);
  const steps = doomed.flatMap((task): SyncStep[] => {
    if (pruneWithoutDelete(sync, task) || !task.live) return [];
    return [{ kind: 'prune', task: refOf(task), live: task.live, propagation }];
  });
  return steps.length > 0 ? planSteps(sync, [steps]) : undefined;
}

/** Where nothing is pruned (or pruned already) nobody is asked. */
function needsConfirmation({ input }: SyncContext, task: Task): boolean {
  const approved = input.deletionApprovedAt;
  const isConfirmed = approved !== undefined && approved.getTime() >= input.state.startedAt.getTime();
  return (
    input.request.prune &&
    !isConfirmed &&
    !isDeleting(task) &&
    optionValue(task.live, input.syncOptions, 'Prune') === 'confirm'
  );
}

/** Writes down the prunes that need no call; false for one that does. */
export function pruneWithoutDelete({ input, results }: SyncContext, task: Task): boolean {
  const keep = (message: string): boolean => {
    results.set(task, objectOf(task), { status: 'PruneSkipped', hookPhase: 'Succeeded', message });
    return true;
  };
  if (!input.request.prune) return keep('ignored (requires pruning)');
  if (optionValue(task.live, input.syncOptions, 'Prune') === 'false') return keep('ignored (no prune)');
  if (!input.request.dryRun && !isDeleting(task)) return false;
  results.set(task, objectOf(task), {
    status: 'Pruned',
    hookPhase: 'Succeeded',
    message: input.request.dryRun ? 'pruned (dry run)' : 'pruned',
  });
  return true;
}

/** Hooks of earlier syncs lose their finalizer; those that the next one replaces are deleted and waited for. */
function clearHooks(sync: SyncContext, tasks: readonly Task[]): SyncPlan | undefined {
  const old = tasks.filter((task) => task.isHook && task.live !== undefined);
  const release = old.flatMap((task): SyncStep[] =>
    task.live && hasHookFinalizer(task.live) ? [{ kind: 'release-hook', task: refOf(task), live: task.live }] : [],
  );
  const replaced = old.filter(
    (task) => isDeleting(task) || deletePoliciesOf(objectOf(task)).includes('BeforeHookCreation'),
  );
  const propagation = propagationOf(sync.input);
  const doomed = replaced.flatMap((task): SyncStep[] =>
    task.live && !isDeleting(task) ? [{ kind: 'delete-hook', task: refOf(task), live: task.live, propagation }] : [],
  );
  if (release.length + doomed.length > 0) return planSteps(sync, [onePerObject(release), onePerObject(doomed)]);
  if (replaced.length === 0) return undefined;
  return planWait(
    sync,
    waitingFor(replaced, 'deletion'),
    replaced.map(({ key }) => ({ why: 'hook-deletion', key, message: 'a hook of an earlier sync is being deleted' })),
  );
}

/** Two phases may share one object. */
export function onePerObject(steps: readonly SyncStep[]): SyncStep[] {
  const seen = new Set<string>();
  return steps.filter(({ task: { key } }) => {
    const name = `${key.group}/${key.kind}/${key.namespace}/${key.name}`;
    return !seen.has(name) && seen.add(name);
  });
}

/** Neighbours of the same kind go together, the kinds one after another. */
function apply(sync: SyncContext, tasks: readonly Task[]): SyncPlan {
  const groups: SyncStep[][] = [];
  let kind: string | undefined;
  for (const task of tasks) {
    if (!task.target || !sync.results.isPending(task)) continue;
    if (task.key.kind !== kind) groups.push([]);
    kind = task.key.kind;
    // Written down before it is applied: afterwards nothing shows that it differed, and its health still counts.
    if (!task.isHook && appliesDifferencesOnly(sync.input)) sync.results.set(task, task.target, {});
    groups.at(-1)?.push({
      kind: 'apply',
      task: refOf(task),
      object: task.target,
      ...(task.live ? { live: task.live } : {}),
      how: applyOptionsOf(sync.input, task),
    });
  }
  return planSteps(sync, groups);
}
