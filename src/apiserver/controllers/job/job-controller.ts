import { labelSelectorOf, matchesLabels, type KubeObject } from '../../../model/kubernetes/index.js';
import { put, type JsonObject } from '../../../model/json/index.js';
import { count, maybe, text } from '../../resources/index.js';
import { timestamp } from '../../rest/index.js';
import {
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  claim,
  controllerOf,
  isControlledBy,
  ownersOf,
} from '../../controller-runtime/index.js';
import { countFailures, type Failures } from './backoff.js';
import { decideOutcome, untilDeadline } from './job-outcome.js';
import { deletePods, managePods, releasePod } from './job-pods.js';
import {
  COMPONENT,
  completionsOf,
  isFinished,
  isSuspended,
  isTracked,
  jobCondition,
  jobConditions,
  newlyEnded,
  readState,
  specOf,
  statusOf,
  TRACKING,
  type JobState,
} from './job-state.js';
import { trackPods } from './job-tracking.js';
import { JOBS, PODS } from '../../../model/resources/index.js';

/** Runs the pods of Jobs to their end. */
export const jobController: Controller = {
  name: COMPONENT,
  start(host) {
    // Failures in a row by Job uid; forgotten on restart, as in the real controller.
    const failures = new Map<string, Failures>();
    const jobs = reconciler({
      name: COMPONENT,
      watches: [
        { of: JOBS, keys: ownKey },
        { of: PODS, keys: ownersOf('Job', JOBS, selects) },
      ],
      async reconcile({ namespace, name }) {
        const job = host.client.get(JOBS, namespace, name);
        if (
          job &&
          text(specOf(job), 'managedBy') !== '' &&
          text(specOf(job), 'managedBy') !== 'kubernetes.io/job-controller'
        )
          return undefined;
        if (job && !isFinished(job)) return reconcile(job, host, failures);
        if (job) failures.delete(job.metadata.uid ?? '');
        return releaseAll(host, namespace, name, job);
      },
    }).start(host);
    const orphans = orphanedPods.start(host);
    return {
      close() {
        jobs.close();
        orphans.close();
      },
    };
  },
};

function selects(job: KubeObject, pod: KubeObject): boolean {
  return matchesLabels(labelSelectorOf(maybe(job, 'spec.selector')), pod.metadata.labels);
}

/** Pods that no controller has any more must not wait to be counted. */
const orphanedPods = reconciler({
  name: COMPONENT,
  watches: [
    {
      of: PODS,
      keys: (event) =>
        event.type !== 'DELETED' && isTracked(event.object) && controllerOf(event.object) === undefined
          ? ownKey(event)
          : [],
    },
  ],
  async reconcile({ namespace, name }, host) {
    const pod = host.client.get(PODS, namespace, name);
    if (pod && controllerOf(pod) === undefined) await releasePod(host, pod);
  },
});

/** Frees the pods of a Job that has ended or gone. */
async function releaseAll(
  host: ControllerHost,
  namespace: string,
  name: string,
  job: KubeObject | undefined,
): Promise<void> {
  for (const pod of host.client.list(PODS, namespace)) {
    const owner = controllerOf(pod);
    if (
      owner?.kind === 'Job' &&
      owner.name === name &&
      isTracked(pod) &&
      (!job || !isControlledBy(pod, job) || isFinished(job))
    )
      await releasePod(host, pod);
  }
}

async function reconcile(
  job: KubeObject,
  host: ControllerHost,
  failures: Map<string, Failures>,
): Promise<number | void> {
  const pods = await claim({
    client: host.client,
    of: PODS,
    owner: job,
    matches: (pod) => selects(job, pod),
    finalizer: TRACKING,
    candidates: host.client
      .list(PODS, job.metadata.namespace)
      .filter((pod) => controllerOf(pod) === undefined || isControlledBy(pod, job)),
  });
  const { uid = '' } = job.metadata;
  const ended = newlyEnded(job, pods);
  const inARow = countFailures(failures.get(uid), ended.succeeded, ended.failed);
  const state = readState(host, job, pods, inARow);
  let outcome = decideOutcome(state);
  const failure = outcome ? await deletePods(state, state.activePods, false) : await manage(state);
  if (outcome && failure) outcome = undefined;
  if (!outcome && !failure && isDone(state))
    outcome = jobCondition(
      'SuccessCriteriaMet',
      'CompletionsReached',
      'Reached expected number of succeeded pods',
      host.clock.now(),
    );
  await trackPods(state, outcome);
  failures.set(uid, inARow);
  if (failure) throw failure;
  const deadline = untilDeadline(state);
  if (state.again === undefined || outcome) return outcome ? undefined : deadline;
  return deadline === undefined ? state.again : Math.min(deadline, state.again);
}

async function manage(state: JobState): Promise<Error | undefined> {
  const { job } = state;
  if (job.metadata.deletionTimestamp !== undefined) return undefined;
  const failure = await managePods(state);
  if (!isDone(state)) recordSuspension(state);
  return failure;
}

function isDone({ job, succeeded, active }: JobState): boolean {
  const completions = completionsOf(job);
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

/** The Suspended condition follows spec.suspend; time starts anew when a Job is resumed. */
function recordSuspension({ job, host }: JobState): void {
  const conditions = jobConditions(job);
  const current = conditions.find((condition) => text(condition, 'type') === 'Suspended');
  const suspended = isSuspended(job);
  if (suspended ? text(current, 'status') === 'True' : text(current, 'status') !== 'True') return;
  const now = host.clock.now();
  const next: JsonObject = suspended
    ? jobCondition('Suspended', 'JobSuspended', 'Job suspended', now)
    : { ...jobCondition('Suspended', 'JobResumed', 'Job resumed', now), status: 'False' };
  const status = statusOf(job);
  put(
    status,
    'conditions',
    current ? conditions.map((condition) => (condition === current ? next : condition)) : [...conditions, next],
  );
  if (!suspended) put(status, 'startTime', timestamp(now));
  host.client.event(
    job,
    'Normal',
    suspended ? 'Suspended' : 'Resumed',
    suspended ? 'Job suspended' : 'Job resumed',
    COMPONENT,
  );
}

/** Deletes finished Jobs some time after their end. */
export const ttlAfterFinishedController: Controller = reconciler({
  name: 'ttl-after-finished-controller',
  watches: [{ of: JOBS, keys: ownKey }],
  async reconcile({ namespace, name }, { client, clock }) {
    const job = client.get(JOBS, namespace, name);
    if (
      !job ||
      job.metadata.deletionTimestamp !== undefined ||
      maybe(job, 'spec')?.ttlSecondsAfterFinished === undefined ||
      !isFinished(job)
    )
      return undefined;
    const end = jobConditions(job).find(
      (condition) => ['Complete', 'Failed'].includes(text(condition, 'type')) && text(condition, 'status') === 'True',
    );
    const left =
      Date.parse(text(end, 'lastTransitionTime')) +
      count(specOf(job), 'ttlSecondsAfterFinished') * 1000 -
      clock.now().getTime();
    if (left > 0) return left;
    const { uid } = job.metadata;
    await client.remove(JOBS, namespace, name, { propagation: 'Foreground', ...(uid === undefined ? {} : { uid }) });
    return undefined;
  },
});
