import type { Key } from '../../model/kubernetes/index.js';
import type { OperationPhase, ResultCode, SyncPhase } from '../../model/argo/index.js';
import { applyOptionsOf } from './apply-options.js';
import { blockWaveOf, isUngated } from './gate.js';
import { imageKey } from './image.js';
import { imagesBefore } from './image-gate.js';
import type { ApplyOptions, SyncInput } from './sync-plan.js';
import { optionValue } from './options.js';
import { isPrune, isUntouched, newSyncContext, type SyncContext } from './sync-context.js';
import { isSameWave, objectOf, waveOf, type Task } from './task.js';

export interface PlannedTask {
  readonly key: Key;
  readonly does: ApplyOptions['method'] | 'prune' | 'nothing';
  readonly isHook: boolean;
  /** What came of it so far. */
  readonly status?: ResultCode;
  readonly phase?: OperationPhase;
  /** What is worth knowing about it, in short sentences: moved from another wave, not pruned, and so on. */
  readonly notes: readonly string[];
}

/** Who holds a wave, and until when. */
export interface PlannedWait {
  readonly why: 'health' | 'hook' | 'deletion' | 'prune-confirmation' | 'unknown-kind' | 'image';
  readonly key: Key;
}

export interface PlannedWave {
  readonly phase: SyncPhase;
  readonly wave: number;
  readonly tasks: readonly PlannedTask[];
  /**
   * What must have happened before the wave starts. Empty for the first; a SyncFail wave starts only when the sync
   * fails.
   */
  readonly waitsFor: readonly PlannedWait[];
}

/** The whole plan of an operation in order, for people: `argosy app waves`. */
export function listWaves(input: SyncInput): PlannedWave[] {
  const sync = newSyncContext(input);
  const waves: Task[][] = [];
  for (const task of sync.tasks) {
    const last = waves.at(-1);
    if (last?.[0] && isSameWave(last[0], task)) last.push(task);
    else waves.push([task]);
  }
  return waves.flatMap((tasks, index) => {
    const [first] = tasks;
    if (first === undefined) return [];
    const waitsFor =
      first.phase === 'SyncFail'
        ? []
        : [
            ...waitsOf(sync, waves[index - 1] ?? []),
            ...blockersOf(sync, waves.slice(0, index).flat(), first),
            ...confirmations(sync, tasks),
            ...imagesBefore(sync, tasks).map((image): PlannedWait => ({ why: 'image', key: imageKey(image) })),
          ];
    return [
      {
        phase: first.phase,
        wave: first.wave,
        tasks: tasks.map((task) => plannedTask(sync, task)),
        waitsFor: onePerKey(waitsFor),
      },
    ];
  });
}

function plannedTask(sync: SyncContext, task: Task): PlannedTask {
  const row = sync.results.of(task);
  return {
    key: task.key,
    does: actionOf(sync, task),
    isHook: task.isHook,
    ...(row?.status ? { status: row.status } : {}),
    ...(row?.hookPhase ? { phase: row.hookPhase } : {}),
    notes: notesOf(sync, task),
  };
}

function actionOf(sync: SyncContext, task: Task): PlannedTask['does'] {
  if (isPrune(task))
    return sync.input.request.prune && optionValue(task.live, sync.input.syncOptions, 'Prune') !== 'false'
      ? 'prune'
      : 'nothing';
  return isUntouched(sync, task) ? 'nothing' : applyOptionsOf(sync.input, task).method;
}

function notesOf({ input }: SyncContext, task: Task): string[] {
  const own = waveOf(objectOf(task));
  const block = blockWaveOf(task);
  return [
    ...(own === task.wave ? [] : [`its own wave is ${own}`]),
    ...(isPrune(task) && !input.request.prune ? ['requires pruning'] : []),
    ...(optionValue(task.live, input.syncOptions, 'Prune') === 'false' && isPrune(task) ? ['no prune'] : []),
    ...(block === undefined ? [] : [`holds wave ${block} and later until it is Healthy`]),
    ...(!isPrune(task) && isUngated(input, task, task.live) ? ['holds no wave'] : []),
    ...(task.kind === 'unknown' ? ['the cluster does not serve its kind'] : []),
    ...(task.kind === 'coming' ? ['the cluster does not serve its kind yet'] : []),
  ];
}

/** What the wave before leaves to wait for. Whether an object has health at all is known only when it is live. */
function waitsOf({ input, results }: SyncContext, before: readonly Task[]): PlannedWait[] {
  return before.flatMap((task): PlannedWait[] => {
    if (isPrune(task))
      return input.request.prune && optionValue(task.live, input.syncOptions, 'Prune') !== 'false'
        ? [{ why: 'deletion', key: task.key }]
        : [];
    if (
      task.kind === 'unknown' ||
      results.of(task)?.hookPhase === 'Succeeded' ||
      blockWaveOf(task) !== undefined ||
      isUngated(input, task, task.live)
    )
      return [];
    if (task.isHook) return [{ why: 'hook', key: task.key }];
    return task.live && input.assess(task.live) === undefined ? [] : [{ why: 'health', key: task.key }];
  });
}

function blockersOf({ results }: SyncContext, before: readonly Task[], first: Task): PlannedWait[] {
  return before
    .filter((task) => results.of(task)?.hookPhase !== 'Succeeded')
    .flatMap((task): PlannedWait[] => {
      const block = blockWaveOf(task);
      return block === undefined || (task.phase === first.phase && first.wave < block)
        ? []
        : [{ why: task.isHook ? 'hook' : 'health', key: task.key }];
    });
}

function confirmations({ input }: SyncContext, tasks: readonly Task[]): PlannedWait[] {
  const isAsked = (task: Task): boolean =>
    isPrune(task) && input.request.prune && optionValue(task.live, input.syncOptions, 'Prune') === 'confirm';
  const approved = input.deletionApprovedAt;
  if (approved !== undefined && approved.getTime() >= input.state.startedAt.getTime()) return [];
  return tasks.filter(isAsked).map(({ key }) => ({ why: 'prune-confirmation', key }));
}

function onePerKey(waits: readonly PlannedWait[]): PlannedWait[] {
  return [...new Map(waits.map((wait) => [`${wait.why}/${JSON.stringify(wait.key)}`, wait])).values()];
}
