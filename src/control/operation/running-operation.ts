import type { Application, OperationState } from '../../model/argo/index.js';
import type { ImageGateSince } from '../../plan/index.js';
import { operationId, readImageGate, readPruneWaves, readWaveApplied } from './operation-state.js';

/** What this process has done for the operation under way. If it is lost with the process, it is safe to do again. */
export interface RunningOperation {
  readonly id: string;
  /** The server has dry-run everything. */
  isChecked: boolean;
  waveAppliedAt?: Date;
  pruneWaves?: readonly number[];
  imageGate?: ImageGateSince;
  /** Topics whose changes enqueue the application beside those of its own objects: what the sync waits for. */
  awaitedTopics: ReadonlySet<string>;
}

/** The known record of this attempt, or a new one from what its state says. */
export function resumeRunning(
  known: RunningOperation | undefined,
  application: Application,
  { startedAt, retryCount, revisions, operation, results }: OperationState,
  now: () => Date,
): RunningOperation {
  const id = operationId(application, startedAt, retryCount, revisions);
  if (known?.id === id) return known;
  const pruneWaves = readPruneWaves(operation);
  const imageGate = readImageGate(operation);
  return {
    id,
    isChecked: false,
    awaitedTopics: new Set(),
    // Deadlines survive a restart: the time of the last applied wave is in the state, beside its results.
    ...(results.length === 0 ? {} : { waveAppliedAt: readWaveApplied(operation) ?? now() }),
    ...(pruneWaves === undefined ? {} : { pruneWaves }),
    ...(imageGate === undefined ? {} : { imageGate }),
  };
}
