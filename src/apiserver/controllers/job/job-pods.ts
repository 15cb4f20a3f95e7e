import { clone, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { count, ensure, items, sub, text } from '../../resources/index.js';
import { inDeletionOrder } from '../common/deletion-order.js';
import { ignoreNotFound, removeFinalizer } from '../../controller-runtime/index.js';
import { createPod, deletePod, podFromTemplate, slowStart } from '../common/pod-control.js';
import { isReady } from '../common/pod-conditions.js';
import { failureAnnotations, remaining, remainingForIndex } from './backoff.js';
import { matchFailurePolicy } from './failure-policy.js';
import { INDEX, indexOf } from './indexes.js';
import {
  COMPONENT,
  completionsOf,
  isIndexed,
  isSuspended,
  limitsEachIndex,
  replacesOnlyFailed,
  specOf,
  TRACKING,
  type JobState,
} from './job-state.js';
import { PODS } from '../../../model/resources/index.js';

const MAX_PREFIX_LENGTH = 58;
const BURST = 500;

export async function releasePod({ client }: JobState['host'], pod: KubeObject): Promise<void> {
  const { namespace = '', name = '', uid } = pod.metadata;
  await ignoreNotFound(
    client.edit(PODS, namespace, name, ({ metadata }) => {
      if (metadata.uid !== uid || !metadata.finalizers?.includes(TRACKING)) return false;
      removeFinalizer(metadata, TRACKING);
      return true;
    }),
  );
}

/** Deletes pods; those that are let go uncounted lose their finalizer first. */
export async function deletePods(
  state: JobState,
  pods: readonly KubeObject[],
  uncounted: boolean,
): Promise<Error | undefined> {
  const { host, job } = state;
  const results = await Promise.allSettled(
    pods.map(async (pod) => {
      if (uncounted) await releasePod(host, pod);
      await deletePod({ client: host.client, component: COMPONENT }, pod, job);
      state.active--;
      state.terminating++;
      if (isReady(pod)) state.ready--;
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  return failed && (failed.reason instanceof Error ? failed.reason : new Error(String(failed.reason)));
}

/** How many pods may be active now. Without completions, the first success ends the start of others. */
function wantedActive({ job, succeeded, active }: JobState): number {
  const parallelism = count(specOf(job), 'parallelism');
  const completions = completionsOf(job);
  if (completions !== undefined) return Math.max(0, Math.min(completions - succeeded, parallelism));
  return succeeded > 0 ? active : parallelism;
}

/** Creates or deletes pods until as many run as the Job wants now. */
export async function managePods(state: JobState): Promise<Error | undefined> {
  const { job, activePods } = state;
  if (isSuspended(job)) return deletePods(state, activePods, true);
  const wanted = wantedActive(state);
  const surplus = surplusPods(state, Math.max(0, state.active - wanted)).slice(0, BURST);
  if (surplus.length > 0) return deletePods(state, surplus, true);
  const missing = wanted - state.active - (replacesOnlyFailed(job) ? state.terminating : 0);
  return missing > 0 ? createPods(state, Math.min(missing, BURST)) : undefined;
}

/** Doubles of an index and indexes that nobody wants any more go first. */
function surplusPods({ job, activePods, host }: JobState, atLeast: number): KubeObject[] {
  const ordered = inDeletionOrder(activePods, [], host.clock.now());
  if (!isIndexed(job)) return ordered.slice(0, atLeast);
  const seen = new Set<number>();
  const doubles = [...ordered].reverse().filter((pod) => {
    const index = indexOf(pod);
    if (index === undefined || index >= (completionsOf(job) ?? 0) || seen.has(index)) return true;
    seen.add(index);
    return false;
  });
  const others = ordered.filter((pod) => !doubles.includes(pod));
  return [...doubles, ...others.slice(0, Math.max(0, atLeast - doubles.length))];
}

async function createPods(state: JobState, missing: number): Promise<Error | undefined> {
  const { job, host } = state;
  const now = host.clock.now();
  const wait = limitsEachIndex(job) ? 0 : remaining(state.failures, now);
  const pending = isIndexed(job) ? pendingIndexes(state, missing) : undefined;
  const due =
    pending && limitsEachIndex(job)
      ? pending.filter((index) => remainingForIndex(state.delayed.get(index), now) === 0)
      : pending;
  const indexWait =
    pending && pending.length > 0 && due?.length === 0
      ? Math.min(...pending.map((index) => remainingForIndex(state.delayed.get(index), now)))
      : 0;
  if (wait > 0 || indexWait > 0) {
    state.again = wait > 0 ? wait : indexWait;
    // The real controller reports no active pods while it waits to try again.
    state.active = 0;
    return undefined;
  }
  const indexes = [...(due ?? [])];
  return slowStart(due ? due.length : missing, async () => {
    if (await createPod({ client: host.client, component: COMPONENT }, newPod(state, indexes.shift()), job))
      state.active++;
  });
}

function pendingIndexes(
  { job, activePods, pods, succeededIndexes, failedIndexes }: JobState,
  missing: number,
): number[] {
  const taken = new Set([...succeededIndexes, ...(failedIndexes ?? []), ...activePods.map(indexOf)]);
  if (replacesOnlyFailed(job))
    for (const pod of pods) if (pod.metadata.deletionTimestamp !== undefined) taken.add(indexOf(pod));
  const pending: number[] = [];
  for (let index = 0; index < (completionsOf(job) ?? 0) && pending.length < missing; index++)
    if (!taken.has(index)) pending.push(index);
  return pending;
}

function newPod({ job, delayed }: JobState, index: number | undefined): KubeObject {
  const pod = podFromTemplate(sub(job, 'spec.template'), job);
  const finalizers = pod.metadata.finalizers ?? [];
  if (!finalizers.includes(TRACKING)) pod.metadata.finalizers = [...finalizers, TRACKING];
  if (index === undefined) return pod;
  const name = job.metadata.name ?? '';
  const suffix = `-${index}-`;
  pod.metadata.generateName = name.slice(0, MAX_PREFIX_LENGTH - suffix.length) + suffix;
  const annotations = (pod.metadata.annotations ??= {});
  put(annotations, INDEX, String(index));
  put((pod.metadata.labels ??= {}), INDEX, String(index));
  const spec = ensure(pod, 'spec');
  put(spec, 'hostname', `${name}-${index}`);
  for (const list of ['initContainers', 'containers'])
    for (const container of items(spec, list)) addIndexVariable(container);
  if (limitsEachIndex(job)) {
    const replaced = delayed.get(index);
    for (const [key, value] of Object.entries(
      failureAnnotations(replaced, replaced ? matchFailurePolicy(job, replaced).counts : true),
    ))
      put(annotations, key, value);
  }
  return pod;
}

function addIndexVariable(container: JsonObject): void {
  const env = items(container, 'env');
  if (env.some((variable) => text(variable, 'name') === 'JOB_COMPLETION_INDEX')) return;
  const variable = {
    name: 'JOB_COMPLETION_INDEX',
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${INDEX}']` } },
  };
  put(container, 'env', [...(own(container, 'env') === undefined ? [] : clone(env)), variable]);
}
