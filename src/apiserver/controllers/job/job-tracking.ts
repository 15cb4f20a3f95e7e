import { clone, drop, equal, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { count, ensure, text } from '../../resources/index.js';
import { phaseOf } from '../common/pod-conditions.js';
import { matchFailurePolicy } from './failure-policy.js';
import { indexesText, indexOf } from './indexes.js';
import { releasePod } from './job-pods.js';
import {
  COMPONENT,
  completionsOf,
  hasFailed,
  isIndexed,
  isTracked,
  isWanted,
  jobCondition,
  jobConditions,
  limitsEachIndex,
  statusOf,
  trueCondition,
  uncounted,
  type JobState,
} from './job-state.js';
import { JOBS } from '../../../model/resources/index.js';

/**
 * Counts ended pods exactly once: their uids are written into the status, then their finalizers go, then the uids
 * become numbers. A crash between any two steps loses and doubles nothing. At the end the Job gets its last condition.
 */
export async function trackPods(state: JobState, outcome: JsonObject | undefined): Promise<void> {
  const { job, pods, host } = state;
  const status = statusOf(job);
  put(status, 'ready', state.ready);
  put(status, 'terminating', state.terminating);
  setCount(status, 'active', state.active);
  flushUncounted(job, new Set(pods.filter(isTracked).map((pod) => pod.metadata.uid ?? '')));
  const leaving = pods.filter((pod) => isTracked(pod) && mayLeave(state, pod, outcome));
  for (const pod of leaving) markUncounted(state, pod, outcome);
  if (isIndexed(job)) writeIndexes(state);
  const last = addOutcomeCondition(state, outcome);
  await save(state);
  await Promise.all(leaving.map((pod) => releasePod(host, pod)));
  const gone = new Set(leaving.map((pod) => pod.metadata.uid ?? ''));
  flushUncounted(
    job,
    new Set(
      pods.filter((pod) => isTracked(pod) && !gone.has(pod.metadata.uid ?? '')).map((pod) => pod.metadata.uid ?? ''),
    ),
  );
  const finished =
    last !== undefined &&
    state.terminating === 0 &&
    uncounted(job, 'succeeded').length + uncounted(job, 'failed').length === 0;
  if (finished) finish(job, last);
  await save(state);
  if (finished) recordFinished(state, last);
}

function setCount(status: JsonObject, field: string, value: number): void {
  if (value > 0) put(status, field, value);
  else drop(status, field);
}

/** Uids of pods that lost their finalizer become numbers. */
function flushUncounted(job: KubeObject, tracked: ReadonlySet<string>): void {
  const status = statusOf(job);
  const lists = ensure(status, 'uncountedTerminatedPods');
  for (const list of ['succeeded', 'failed'] as const) {
    const before = uncounted(job, list);
    const left = before.filter((uid) => tracked.has(uid));
    if (left.length === before.length) continue;
    put(status, list, count(status, list) + before.length - left.length);
    if (left.length > 0) put(lists, list, left);
    else drop(lists, list);
  }
}

function mayLeave({ job, delayed }: JobState, pod: KubeObject, outcome: JsonObject | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || outcome !== undefined || phaseOf(pod) === 'Succeeded')
    return true;
  if (!hasFailed(job, pod)) return false;
  // The last failed pod of an index says how often it failed; it stays until the next one is there.
  return !(limitsEachIndex(job) && delayed.get(indexOf(pod) ?? -1)?.metadata.uid === pod.metadata.uid);
}

function markUncounted({ job }: JobState, pod: KubeObject, outcome: JsonObject | undefined): void {
  const { uid = '' } = pod.metadata;
  const failing = outcome !== undefined && text(outcome, 'type') !== 'SuccessCriteriaMet';
  if (phaseOf(pod) === 'Succeeded' && !uncounted(job, 'failed').includes(uid)) {
    if (!isIndexed(job)) add(job, 'succeeded', uid);
  } else if ((hasFailed(job, pod) || failing) && isWanted(job, pod) && matchFailurePolicy(job, pod).counts)
    add(job, 'failed', uid);
}

function add(job: KubeObject, list: 'succeeded' | 'failed', uid: string): void {
  const known = uncounted(job, list);
  if (!known.includes(uid)) put(ensure(statusOf(job), 'uncountedTerminatedPods'), list, [...known, uid]);
}

function writeIndexes({ job, succeededIndexes, failedIndexes }: JobState): void {
  const status = statusOf(job);
  const text = indexesText(succeededIndexes);
  if (text === '') drop(status, 'completedIndexes');
  else put(status, 'completedIndexes', text);
  setCount(status, 'succeeded', succeededIndexes.size);
  if (failedIndexes) put(status, 'failedIndexes', indexesText(failedIndexes));
}

/** Adds the condition that says how the Job will end; gives the one that it will end with. */
function addOutcomeCondition({ job, host }: JobState, outcome: JsonObject | undefined): JsonObject | undefined {
  if (outcome === undefined) return undefined;
  const type = text(outcome, 'type');
  if (type !== 'Failed' && !trueCondition(job, type))
    put(statusOf(job), 'conditions', [...jobConditions(job), outcome]);
  const end = type === 'SuccessCriteriaMet' ? 'Complete' : 'Failed';
  return jobCondition(end, text(outcome, 'reason'), text(outcome, 'message'), host.clock.now());
}

function finish(job: KubeObject, last: JsonObject): void {
  const status = statusOf(job);
  put(status, 'conditions', [...jobConditions(job), last]);
  if (text(last, 'type') === 'Complete') put(status, 'completionTime', last.lastTransitionTime);
}

function recordFinished({ host: { client }, job }: JobState, last: JsonObject): void {
  if (text(last, 'type') !== 'Complete')
    return client.event(job, 'Warning', text(last, 'reason'), text(last, 'message'), COMPONENT);
  if (count(statusOf(job), 'succeeded') > (completionsOf(job) ?? Infinity)) {
    client.event(
      job,
      'Warning',
      'TooManySucceededPods',
      'Too many succeeded pods running after completion count reached',
      COMPONENT,
    );
  }
  client.event(job, 'Normal', 'Completed', 'Job completed', COMPONENT);
}

async function save({ job, host }: JobState): Promise<void> {
  const { namespace = '', name = '', uid } = job.metadata;
  await host.client.edit(
    JOBS,
    namespace,
    name,
    (copy) => {
      if (copy.metadata.uid !== uid || equal(copy['status'], job['status'])) return false;
      copy['status'] = clone(job['status']);
      return true;
    },
    'status',
  );
}
