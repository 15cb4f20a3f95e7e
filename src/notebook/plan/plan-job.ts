import { equal } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { assessBuild } from './build.js';
import { planBuild } from './plan-build.js';
import { withConditions } from '../effects/index.js';
import {
  failure,
  type NotebookJob,
  RERUN_ON_CHANGE,
  rerunOf,
  runIdOf,
  validateSpec,
  isOver,
  isSimulated,
  PHASES,
  statusOf,
  timeOf,
  timeText,
  type JobStatus,
} from '../job/index.js';
import { isPodOver, credentialsError, referencesOf } from '../pod/index.js';
import { planFailure, type JobFacts, type JobPlan } from './job-plan.js';
import { planSimulated } from './plan-simulated.js';
import { planValidation } from './plan-validation.js';

/** A Secret may be created shortly after the job that refers to it. */
const REFERENCES_TIMEOUT = 2 * 60_000;
const REFERENCES_REQUEUE_AFTER = 2000;

/**
 * The next step of a job: the status to store, or if it is current, the actions. The same facts give the same step, so
 * planning is idempotent. Phases only go forward; another generation is another run.
 */
export function planJob(job: NotebookJob, facts: JobFacts): JobPlan {
  const before = statusOf(job.object);
  const step = planPhase(job, before, facts);
  if (isOver(before) && isOver(step.status)) return step;
  const status = withConditions(job, step.status, facts.now, step.failureReason);
  return { ...step, status: equal(before, status) ? before : status };
}

function planPhase(job: NotebookJob, status: JobStatus, facts: JobFacts): JobPlan {
  const first = startOf(job, status, facts);
  if (first !== undefined) return { status: first, actions: [] };
  switch (status.phase) {
    case 'Initializing':
      return initialize(job, status, facts);
    case 'Building':
      return planBuild(job, status, facts);
    case 'BuildComplete':
      return afterBuild(status, facts.now);
    case 'ValidationRunning':
      return planValidation(job, status, facts);
    case 'Succeeded':
    case 'Failed':
      return cleanUp(status, facts);
    case 'Pending':
      if (isSimulated(status)) return planSimulated(job, status, facts);
      break;
  }
  return planFailure(status, failure('Unknown', `Unknown phase: ${status.phase ?? ''}`), facts.now);
}

/** The first status of a run, where a new one is due. */
function startOf(job: NotebookJob, status: JobStatus, { now, commit }: JobFacts): JobStatus | undefined {
  const { phase = '', observedGeneration = job.generation, runId, completionTime } = status;
  const isChanged = observedGeneration !== job.generation;
  const isAsked = runId !== undefined && rerunOf(job) !== (status.rerun ?? '');
  // Runs of another operator are over where they are over.
  if (runId === undefined && isOver(status) && completionTime !== undefined && !isChanged) return undefined;
  const isMoved = hasMoved(status, commit);
  if (runId !== undefined && !isAsked && !isChanged && !isMoved) return withCommit(status, commit);
  if (isOver(status) && !isAsked && !isMoved && job.annotations[RERUN_ON_CHANGE] === 'false')
    return { ...status, observedGeneration: job.generation };
  return {
    ...identityOf(job, commit),
    startTime: timeText(now),
    message: 'Initializing notebook validation',
    phase: runId === undefined ? firstPhase(job, phase) : 'Initializing',
  };
}

/** A run is not broken off for a commit: the newest one is run when it has ended. */
function hasMoved(status: JobStatus, commit: string | undefined): boolean {
  return commit !== undefined && isOver(status) && (status.commit ?? commit) !== commit;
}

/** What makes a run this one and no other. */
function identityOf(job: NotebookJob, commit: string | undefined): JobStatus {
  const rerun = rerunOf(job);
  return {
    observedGeneration: job.generation,
    runId: runIdOf(job, commit),
    ...(rerun === '' ? {} : { rerun }),
    ...(commit === undefined ? {} : { commit }),
  };
}

/** The first commit that is known of a run is taken as that of the run. */
function withCommit(status: JobStatus, commit: string | undefined): JobStatus | undefined {
  return commit === undefined || status.commit !== undefined ? undefined : { ...status, commit };
}

/** The phase in which a run of another operator continues. Older ones write Pending and Running. */
function firstPhase({ build }: NotebookJob, phase: string): string {
  if (phase !== '' && !PHASES.some((each) => each === phase)) return phase;
  if (phase !== 'Pending' && phase !== 'Running') return 'Initializing';
  return build === undefined ? 'ValidationRunning' : 'Building';
}

function initialize(job: NotebookJob, status: JobStatus, { now, references }: JobFacts): JobPlan {
  const violations = validateSpec(job);
  if (violations.length > 0) return planFailure(status, failure('ConfigurationError', violations.join('; ')), now);
  const useless = [job.notebook.secret, job.golden?.secret ?? ''].flatMap((name) => {
    const keys = name === '' ? undefined : references.get(`Secret ${name}`);
    return keys === undefined ? [] : (credentialsError(name, keys) ?? []);
  });
  if (useless.length > 0) return planFailure(status, failure('GitAuthenticationFailed', useless.join('; ')), now);
  const missing = referencesOf(job).filter((name) => references.get(name) === undefined);
  if (missing.length > 0) {
    const message = `not found: ${missing.join(', ')}`;
    const until = (timeOf(status.startTime) ?? now) + REFERENCES_TIMEOUT;
    if (now >= until) return planFailure(status, failure('CreateContainerConfigError', message), now);
    return {
      status: { ...status, message: `Waiting: ${message}` },
      actions: [],
      requeueAt: Math.min(until, now + REFERENCES_REQUEUE_AFTER),
    };
  }
  const next =
    job.build === undefined
      ? { phase: 'ValidationRunning', message: 'Starting validation' }
      : { phase: 'Building', message: 'Building validation environment' };
  return { status: { ...status, ...next }, actions: [] };
}

function afterBuild(status: JobStatus, now: number): JobPlan {
  if ((status.buildStatus?.imageReference ?? '') === '')
    return planFailure(
      status,
      { ...failure('Unknown', 'the build is complete but has no image'), reason: 'BuildFailed' },
      now,
    );
  return { status: { ...status, phase: 'ValidationRunning', message: 'Starting validation' }, actions: [] };
}

/** Nothing of a run continues after its end; its last pod is kept for the log. */
function cleanUp(status: JobStatus, { pods, builds = [] }: JobFacts): JobPlan {
  const isLeft = (pod: KubeObject): boolean =>
    pod.metadata.deletionTimestamp === undefined && (pod.metadata.name !== status.validationPodName || !isPodOver(pod));
  const running = builds.filter(
    (each) => each.metadata.name === status.buildStatus?.buildName && assessBuild(each).kind === 'building',
  );
  return {
    status,
    actions: [
      ...pods.filter(isLeft).map((pod) => ({ kind: 'delete-pod', pod }) as const),
      ...running.map((build) => ({ kind: 'cancel-build', build }) as const),
    ],
  };
}
