import { equal } from '../../model/json/index.js';
import { isAhead } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import {
  concludeRun,
  progressMessage,
  successMessage,
  NO_REPORT,
  type RunReport,
  withReport,
} from '../report/index.js';
import { failure, type Failure, type NotebookJob, podName, timeOf, timeText, type JobStatus } from '../job/index.js';
import { hasStarted, isPodOver, assessPod, makePod } from '../pod/index.js';
import { planFailure, planRetry, REQUEUE_AFTER, type JobAction, type JobFacts, type JobPlan } from './job-plan.js';
import { planSimulated } from './plan-simulated.js';
import { planSuccess } from './plan-success.js';

/** The kubelet enforces the deadline; we only do if it does not. */
const DEADLINE_GRACE = 30_000;
/** So long a pod may miss its image or a Secret before its attempt has failed. */
const STUCK_TIMEOUT = 2 * 60_000;

/** The phase ValidationRunning: one pod per attempt, assessed by its state and the report of its runner. */
export function planValidation(job: NotebookJob, status: JobStatus, facts: JobFacts): JobPlan {
  const { now, pods } = facts;
  const { runId = '', retryCount = 0 } = status;
  const name = podName(job, runId, retryCount + 1);
  const pod = pods.find(({ metadata }) => metadata.name === name);
  if (pod === undefined) {
    const isLost = status.validationPodName === name && status.validationPodUid !== undefined;
    return isLost
      ? planRetry(job, status, failure('PodLost', `pod ${name} was deleted`), now)
      : startPod(job, status, facts);
  }
  const uid = pod.metadata.uid ?? '';
  if (status.validationPodUid !== uid) {
    const {
      results: _results,
      statistics: _statistics,
      checks: _checks,
      comparisonResult: _comparison,
      kernel: _kernel,
      nextRetryTime: _next,
      ...rest
    } = status;
    return {
      status: {
        ...rest,
        validationPodName: name,
        validationPodUid: uid,
        attemptStartTime: timeText(now),
        message: 'Starting validation',
      },
      actions: [],
    };
  }
  const step = planRunningPod(job, status, pod, facts);
  return equal(step.status, status) ? { ...step, actions: deletions(pods, name) } : step;
}

/** Pods of attempts and runs that are over go: their story is in the status. */
function deletions(pods: readonly KubeObject[], name: string): JobAction[] {
  return pods
    .filter(({ metadata }) => metadata.name !== name && metadata.deletionTimestamp === undefined)
    .map((pod) => ({ kind: 'delete-pod', pod }));
}

function startPod(
  job: NotebookJob,
  status: JobStatus,
  { now, pods, mayStart, rejection, nonce, runner, gitImage }: JobFacts,
): JobPlan {
  const { retryCount = 0, runId = '', buildStatus } = status;
  // Planned by a clock that was far ahead it would not come for long.
  const isPlannedAhead = isAhead(timeOf(status.lastRetryTime) ?? 0, now);
  const at = retryCount === 0 || isPlannedAhead ? 0 : (timeOf(status.nextRetryTime) ?? 0);
  // A failed pod is kept for inspection until the next attempt; one that may still start is not.
  if (at > now)
    return {
      status,
      actions: deletions(
        pods.filter((pod) => !isPodOver(pod)),
        '',
      ),
      requeueAt: at,
    };
  const actions = deletions(pods, '');
  // Two notebooks of one job never run at once: they write to the same volumes.
  if (pods.some((pod) => !isPodOver(pod)))
    return {
      status: { ...status, message: 'Waiting: the pod of the previous run still exists' },
      actions,
      requeueAt: now + REQUEUE_AFTER,
    };
  if (rejection !== undefined) {
    const problem = failure('PodRefused', rejection.message);
    const until = Math.max(at, timeOf(status.startTime) ?? now) + job.milliseconds;
    if (rejection.isFinal || now >= until) return planFailure(status, problem, now);
    if (status.message !== `Waiting: the pod is rejected: ${rejection.message}`)
      return { status: { ...status, message: `Waiting: the pod is rejected: ${rejection.message}` }, actions: [] };
  }
  if (!mayStart)
    return {
      status: { ...status, message: 'Waiting: the limit of concurrent notebooks is reached' },
      actions,
      requeueAt: now + REQUEUE_AFTER,
    };
  const pod = makePod(job, {
    runId,
    attempt: retryCount + 1,
    nonce,
    runner,
    gitImage,
    builtImage: buildStatus?.imageReference ?? '',
  });
  return { status, actions: [...actions, { kind: 'create-pod', pod }], requeueAt: now + REQUEUE_AFTER };
}

function planRunningPod(job: NotebookJob, status: JobStatus, pod: KubeObject, facts: JobFacts): JobPlan {
  const { now, report = NO_REPORT, log = 'reading' } = facts;
  const state = assessPod(pod);
  const known = withReport(status, report);
  const isReading = hasStarted(pod) && log === 'reading';
  if (state.kind === 'failed') {
    return isReading && isPodOver(pod)
      ? { status: known, actions: [] }
      : planRetry(job, known, withCurrentCell(state.failure, report), now);
  }
  if (state.kind === 'ended')
    return isReading && report.end === undefined
      ? { status: known, actions: [] }
      : planEndedPod(job, known, state, facts);
  const created = timeOf(status.attemptStartTime) ?? now;
  if (state.kind === 'stuck') {
    if (now >= created + Math.min(STUCK_TIMEOUT, job.milliseconds)) return planRetry(job, known, state.failure, now);
    return {
      status: { ...known, message: `Waiting: ${state.failure.reason} - ${state.failure.message}` },
      actions: [],
      requeueAt: created + Math.min(STUCK_TIMEOUT, job.milliseconds),
    };
  }
  const deadline = created + job.milliseconds + (hasStarted(pod) ? DEADLINE_GRACE : 0);
  if (now >= deadline) {
    const seconds = job.milliseconds / 1000;
    const late =
      state.kind === 'waiting'
        ? failure('Timeout', `the notebook did not start within ${seconds} s: ${state.why}`)
        : withCurrentCell(failure('Timeout', `the notebook ran longer than ${seconds} s`), report);
    return planRetry(job, known, late, now);
  }
  return {
    status: {
      ...known,
      message: state.kind === 'waiting' ? `Waiting: ${state.why}` : progressMessage(report, known),
    },
    actions: [],
    requeueAt: deadline,
  };
}

function planEndedPod(
  job: NotebookJob,
  known: JobStatus,
  { exitCode, message }: { readonly exitCode: number; readonly message: string },
  facts: JobFacts,
): JobPlan {
  const { now, report = NO_REPORT, log = 'reading' } = facts;
  if (report.end?.isSimulated === true && exitCode === 0) return planSimulated(job, known, facts);
  const problem = concludeRun(exitCode, message, report, log);
  return problem === undefined
    ? planSuccess(job, known, successMessage(known.results ?? [], report), now)
    : planRetry(job, known, problem, now);
}

/** A killed pod does not report its current cell. */
function withCurrentCell(problem: Failure, { current }: RunReport): Failure {
  return current === undefined ? problem : { ...problem, message: `${problem.message}; cell ${current} was running` };
}
