import type { ResourceResult } from '../../model/argo/index.js';
import { DELETE_FAILED, SyncResults } from './sync-results.js';
import type { StepOutcome } from './sync-plan.js';

/**
 * What was done, with what came of some more steps. A check that passed leaves no trace; one that was refused leaves a
 * row without a phase, which makes the next move end the operation.
 */
export function recordOutcomes(
  results: readonly ResourceResult[],
  outcomes: readonly StepOutcome[],
): readonly ResourceResult[] {
  const ledger = new SyncResults(results);
  for (const outcome of outcomes) record(ledger, outcome);
  return ledger.list();
}

function record(ledger: SyncResults, { step, isDone, message }: StepOutcome): void {
  switch (step.kind) {
    case 'check':
      if (!isDone) ledger.set(step.task, step.object, { status: 'SyncFailed', message });
      else if (step.isDryRun) ledger.set(step.task, step.object, { status: 'Synced', hookPhase: 'Succeeded', message });
      return;
    case 'apply':
      ledger.set(
        step.task,
        step.object,
        isDone
          ? { status: 'Synced', hookPhase: 'Running', message }
          : { status: 'SyncFailed', hookPhase: 'Failed', message },
      );
      return;
    case 'prune':
      ledger.set(
        step.task,
        step.live,
        isDone
          ? { status: 'Pruned', hookPhase: 'Succeeded', message: 'pruned' }
          : { status: 'SyncFailed', hookPhase: 'Failed', message },
      );
      return;
    case 'release-hook':
      if (!isDone)
        ledger.set(step.task, step.live, {
          hookPhase: 'Error',
          message: `failed to remove hook finalizer: ${message}`,
        });
      return;
    case 'delete-hook':
      if (!isDone)
        ledger.set(step.task, step.live, { hookPhase: 'Error', message: deleteFailure(ledger.of(step.task), message) });
      return;
    default:
      step satisfies never;
  }
}

/** A hook that failed before stays failed for that reason. */
function deleteFailure(row: ResourceResult | undefined, message: string): string {
  return row?.hookPhase === 'Failed' ? `${row.message}, ${DELETE_FAILED}${message}` : `${DELETE_FAILED}${message}`;
}
