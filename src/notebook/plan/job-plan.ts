import type { KubeObject } from '../../model/kubernetes/index.js';
import type { LogState, RunReport } from '../report/index.js';
import { type Failure, type NotebookJob, timeText, type JobStatus } from '../job/index.js';

/** Everything that the next step depends on. */
export interface JobFacts {
  readonly now: number;
  /** Pods that belong to the job. */
  readonly pods: readonly KubeObject[];
  /** Of the pod of this attempt. */
  readonly report?: RunReport;
  readonly log?: LogState;
  /** Keys of what the job refers to, by `Secret name` or `ConfigMap name`; undefined where it does not exist. */
  readonly references: ReadonlyMap<string, readonly string[] | undefined>;
  /** Builds of the namespace, where the cluster has builds at all. */
  readonly builds?: readonly KubeObject[];
  /** Whether one more pod may run now. */
  readonly mayStart: boolean;
  /** Why the server rejected the pod of this attempt; final if a retry cannot help. */
  readonly rejection?: { readonly message: string; readonly isFinal: boolean };
  readonly nonce: string;
  readonly runner: string;
  readonly gitImage: string;
  /** Whether a notebook whose pod is only simulated counts as a success. */
  readonly passesSimulated?: boolean;
  /** What the ref of the notebook means now, where commits run it again and it is known. */
  readonly commit?: string;
}

export type JobAction =
  | { readonly kind: 'create-pod'; readonly pod: KubeObject }
  | { readonly kind: 'delete-pod'; readonly pod: KubeObject }
  | { readonly kind: 'create-build'; readonly objects: readonly KubeObject[] }
  | { readonly kind: 'cancel-build'; readonly build: KubeObject };

/** A status is stored before anything is done because of it: actions count only where the status is the stored one. */
export interface JobPlan {
  readonly status: JobStatus;
  readonly actions: readonly JobAction[];
  /** When to requeue although nothing happens. */
  readonly requeueAt?: number;
  /** Why the run ended badly, for its conditions. */
  readonly failureReason?: string;
}

export const REQUEUE_AFTER = 10_000;
const BACKOFF = [60_000, 120_000, 300_000];
/** Trouble before the notebook began costs nothing, so it is tried again sooner. */
const EARLY_BACKOFF = [30_000, 60_000, 120_000];

/** The attempt failed: retries later if that makes sense, otherwise ends the run. */
export function planRetry(job: NotebookJob, status: JobStatus, problem: Failure, now: number): JobPlan {
  const { retryCount = 0 } = status;
  const mayRetry = problem.retry || (problem.isNotebooks && job.retriesNotebookFailures);
  if (!mayRetry || retryCount >= job.maxRetries) return planFailure(status, problem, now);
  const { validationPodUid: _uid, ...rest } = status;
  const waits = problem.isEarly ? EARLY_BACKOFF : BACKOFF;
  const next = timeText(now + (waits[Math.min(retryCount, waits.length - 1)] ?? 0));
  const message =
    `Attempt ${retryCount + 1} failed: ${problem.reason} - ${problem.message}. Retry ${retryCount + 1} of ` +
    `${job.maxRetries} at ${next}`;
  return {
    status: {
      ...rest,
      retryCount: retryCount + 1,
      lastRetryTime: timeText(now),
      nextRetryTime: next,
      message: message.slice(0, MAX_MESSAGE_LENGTH),
    },
    actions: [],
  };
}

const MAX_MESSAGE_LENGTH = 2000;

export function planFailure(status: JobStatus, problem: Failure, now: number): JobPlan {
  const { retryCount = 0 } = status;
  const after = retryCount === 0 ? '' : ` after ${retryCount} ${retryCount === 1 ? 'retry' : 'retries'}`;
  const what = problem.isNotebooks
    ? problem.message
    : `${problem.reason} - ${problem.message.replace(/\.$/, '')}. Suggested action: ${problem.hint}`;
  return {
    status: {
      ...status,
      phase: 'Failed',
      completionTime: timeText(now),
      message: `Validation failed${after}: ${what}`.slice(0, MAX_MESSAGE_LENGTH),
    },
    actions: [],
    failureReason: problem.reason,
  };
}
