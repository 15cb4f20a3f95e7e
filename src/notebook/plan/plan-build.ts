import { buildObjects, buildState, firstBuildName, assessBuild } from './build.js';
import { failure, type NotebookJob, timeOf, timeText, type BuildState, type JobStatus } from '../job/index.js';
import { planFailure, REQUEUE_AFTER, type JobFacts, type JobPlan } from './job-plan.js';

/** A build controller that is there begins at once. */
const START_TIMEOUT = 60_000;

/** The phase Building: creates the build of this run and waits for it, with a timeout. */
export function planBuild(job: NotebookJob, status: JobStatus, { now, builds }: JobFacts): JobPlan {
  const { runId = '' } = status;
  const failed = (reason: string, message: string, state?: BuildState): JobPlan =>
    planFailure(
      { ...status, ...(state === undefined ? {} : { buildStatus: state }) },
      { ...failure('Unknown', message), reason, hint: 'see the build and its log' },
      now,
    );
  if (job.build === undefined)
    return { status: { ...status, phase: 'ValidationRunning', message: 'Starting validation' }, actions: [] };
  if (builds === undefined)
    return failed(
      'BuildUnavailable',
      'builds with s2i are not available: the cluster does not serve build.openshift.io/v1 and image.openshift.io/v1',
    );
  const before = status.buildStatus;
  if (before === undefined) {
    return {
      status: {
        ...status,
        buildStatus: {
          phase: 'Pending',
          buildName: firstBuildName(job, runId),
          strategy: job.build.strategy,
          startTime: timeText(now),
        },
      },
      actions: [],
    };
  }
  const started = timeOf(before.startTime) ?? now;
  const found = builds.find(({ metadata }) => metadata.name === before.buildName);
  const state = buildState(found, before, now);
  const assessment = found === undefined ? undefined : assessBuild(found);
  if (assessment?.kind === 'failed')
    return failed(
      'BuildFailed',
      `build ${before.buildName} failed: ${assessment.reason}: ${assessment.message}`,
      state,
    );
  if (assessment?.kind === 'complete')
    return {
      status: {
        ...status,
        phase: 'BuildComplete',
        message: 'Build complete, preparing validation',
        buildStatus: state,
      },
      actions: [],
    };
  const until = started + job.build.milliseconds;
  if (now >= until)
    return failed('BuildTimeout', `build ${before.buildName} took longer than ${job.build.milliseconds / 1000} s`, {
      ...state,
      phase: 'Failed',
    });
  if (found !== undefined) return { status: { ...status, buildStatus: state }, actions: [], requeueAt: until };
  if (now >= started + START_TIMEOUT)
    return failed('BuildFailed', `build ${before.buildName} did not start: is a build controller running?`, {
      ...state,
      phase: 'Failed',
    });
  return {
    status,
    actions: [{ kind: 'create-build', objects: buildObjects(job, job.build, runId) }],
    requeueAt: now + REQUEUE_AFTER,
  };
}
