import { fail, releaseCompleted, succeed, terminate } from './finish.js';
import { holdForImages } from './image-gate.js';
import type { SyncPlan, SyncInput } from './sync-plan.js';
import { prepare, rejectInvalid } from './prepare.js';
import { runWave } from './run-wave.js';
import { newSyncContext, pendingTasks, type SyncContext } from './sync-context.js';
import { isSameWave } from './task.js';
import { waitForDelay, waitForProgress, waitForRecord } from './wait.js';

/**
 * What a sync does now. Asked again after every change of the world, it goes from the first look to the end of the
 * operation; it remembers nothing itself, so that whoever asks next, also another process, gets the same answer.
 */
export function planSync(input: SyncInput): SyncPlan {
  const sync = newSyncContext(input);
  const move = input.state.isTerminating ? terminate(sync) : (rejectInvalid(sync) ?? prepare(sync) ?? proceed(sync));
  return sync.pruneWaves.length > 1 ? { ...move, pruneWaves: sync.pruneWaves } : move;
}

function proceed(sync: SyncContext): SyncPlan {
  return (
    waitForDelay(sync) ??
    waitForProgress(sync) ??
    waitForRecord(sync) ??
    fail(sync) ??
    releaseCompleted(sync) ??
    startWave(sync) ??
    succeed(sync)
  );
}

/** The first wave that is not done. */
function startWave(sync: SyncContext): SyncPlan | undefined {
  const pending = pendingTasks(sync);
  const [first] = pending;
  if (first === undefined) return undefined;
  const held = holdForImages(
    sync,
    pending.filter((task) => isSameWave(task, first)),
  );
  if ('move' in held) return held.move;
  if ('failed' in held) return proceed(sync);
  const move = runWave(sync, held.tasks);
  // A wave may consist of prunes that need no call: they are written down, and the next one follows at once.
  return move.groups.length > 0 || move.waitsFor.length > 0 ? move : proceed(sync);
}
