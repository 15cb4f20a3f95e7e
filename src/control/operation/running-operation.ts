import { isAhead } from '../../model/formats/index.js';
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
  if (known?.id === id) return withoutFuture(known, now());
  const pruneWaves = readPruneWaves(operation);
  const imageGate = readImageGate(operation);
  const resumed: RunningOperation = {
    id,
    isChecked: false,
    awaitedTopics: new Set(),
    // Deadlines survive a restart: the time of the last applied wave is in the state, beside its results.
    ...(results.length === 0 ? {} : { waveAppliedAt: readWaveApplied(operation) ?? now() }),
    ...(pruneWaves === undefined ? {} : { pruneWaves }),
    ...(imageGate === undefined ? {} : { imageGate }),
  };
  return withoutFuture(resumed, now());
}

/** What began when the clock was far ahead begins now: its deadline must neither be missed nor never come. */
function withoutFuture(running: RunningOperation, now: Date): RunningOperation {
  const isFuture = (time: Date | undefined): boolean => time !== undefined && isAhead(time.getTime(), now.getTime());
  if (isFuture(running.waveAppliedAt)) running.waveAppliedAt = now;
  if (running.imageGate !== undefined && isFuture(running.imageGate.since))
    running.imageGate = { ...running.imageGate, since: now };
  return running;
}
