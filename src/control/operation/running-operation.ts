import { isAhead } from '../../model/formats/index.js';
import type { Application, OperationState } from '../../model/argo/index.js';
import type { HookReason, ImageGateSince } from '../../plan/index.js';
import { operationId, readImageGate, readPruneWaves, readSuperseded, readWaveApplied } from './operation-state.js';

/** The last look at what keeps a hook. */
export interface HookLook {
  /** Versions of the hook and of everything that it started. */
  readonly seen: string;
  readonly reason: HookReason | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** When to look again although nothing of it has changed: events tell what objects do not. */
  readonly due: number;
}

/** What this process has done for the operation under way. If it is lost with the process, it is safe to do again. */
export interface RunningOperation {
  readonly id: string;
  /** The server has dry-run everything. */
  isChecked: boolean;
  waveAppliedAt?: Date;
  pruneWaves?: readonly number[];
  imageGate?: ImageGateSince;
  /** It ends for a newer commit. */
  isSuperseded?: boolean;
  /** What was found out about hooks that hold the sync, by uid. */
  readonly hookLooks: Map<string, HookLook>;
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
  const isSuperseded = readSuperseded(operation);
  if (known?.id === id) return withoutFuture(Object.assign(known, { isSuperseded }), now());
  const pruneWaves = readPruneWaves(operation);
  const imageGate = readImageGate(operation);
  const resumed: RunningOperation = {
    id,
    isChecked: false,
    isSuperseded,
    hookLooks: new Map(),
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
