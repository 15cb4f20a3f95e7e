import { equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { count, ensure, maybe, sub, text } from '../../resources/index.js';
import { findCondition, withoutCondition, withTransition } from '../../controller-runtime/index.js';
import { millisecondsAt } from '../common/pod-conditions.js';
import { countField } from '../replica-set/replica-set-controller.js';
import {
  hasDeadline,
  maxUnavailable,
  newCondition,
  progressing,
  replicasOf,
  saveStatus,
  specOf,
  statusConditions,
  statusCount,
  sumOf,
  type Rollout,
} from './rollout.js';

/** The counts and the Available condition for these ReplicaSets. */
function statusFor(
  { deployment, host }: Rollout,
  all: readonly KubeObject[],
  newest: KubeObject | undefined,
): JsonObject {
  const available = sumOf(all, (each) => statusCount(each, 'availableReplicas'));
  const collisions = own(sub(deployment, 'status'), 'collisionCount');
  const enough = available >= replicasOf(deployment) - maxUnavailable(deployment);
  const condition = enough
    ? newCondition(
        'Available',
        'True',
        'MinimumReplicasAvailable',
        'Deployment has minimum availability.',
        host.clock.now(),
      )
    : newCondition(
        'Available',
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
        host.clock.now(),
      );
  return {
    ...countField('observedGeneration', deployment.metadata.generation ?? 0),
    ...countField(
      'replicas',
      sumOf(all, (each) => statusCount(each, 'replicas')),
    ),
    ...countField('updatedReplicas', statusCount(newest, 'replicas')),
    ...countField(
      'readyReplicas',
      sumOf(all, (each) => statusCount(each, 'readyReplicas')),
    ),
    ...countField('availableReplicas', available),
    ...countField('unavailableReplicas', Math.max(0, sumOf(all, replicasOf) - available)),
    ...(collisions === undefined ? {} : { collisionCount: collisions }),
    conditions: withTransition(statusConditions(deployment), condition),
  };
}

/** Status without any thought of progress: for scaling, pausing and deletion. */
export async function writePlainStatus(
  rollout: Rollout,
  all: readonly KubeObject[],
  newest: KubeObject | undefined,
): Promise<void> {
  await write(rollout, statusFor(rollout, all, newest));
}

async function write(rollout: Rollout, status: JsonObject): Promise<void> {
  if (equal(status, rollout.deployment['status'])) return;
  put(rollout.deployment, 'status', status);
  await saveStatus(rollout);
}

/** Status during a rollout; gives the milliseconds until progress must be checked again. */
export async function writeRolloutStatus(
  rollout: Rollout,
  all: readonly KubeObject[],
  newest: KubeObject | undefined,
): Promise<number | undefined> {
  const { deployment } = rollout;
  const status = statusFor(rollout, all, newest);
  const conditions = progressConditions(rollout, status, newest);
  const failure = [newest, ...all]
    .map((each) => findCondition(each ? replicaSetConditions(each) : [], 'ReplicaFailure'))
    .find((each) => each !== undefined);
  put(
    status,
    'conditions',
    failure
      ? withTransition(conditions, asDeploymentCondition(failure))
      : withoutCondition(conditions, 'ReplicaFailure'),
  );
  await write(rollout, status);
  return untilDeadline(rollout, deployment);
}

function replicaSetConditions(replicaSet: KubeObject): JsonObject[] {
  const conditions = own(sub(replicaSet, 'status'), 'conditions');
  return Array.isArray(conditions) ? (conditions as JsonObject[]) : [];
}

function asDeploymentCondition({ type, status, lastTransitionTime, reason, message }: JsonObject): JsonObject {
  return { type, status, lastUpdateTime: lastTransitionTime, lastTransitionTime, reason, message };
}

/** Are all replicas new and available? */
export function isComplete(deployment: KubeObject, status: JsonObject = sub(deployment, 'status')): boolean {
  const wanted = replicasOf(deployment);
  return (
    ['updatedReplicas', 'replicas', 'availableReplicas'].every((field) => count(status, field) === wanted) &&
    count(status, 'observedGeneration') >= (deployment.metadata.generation ?? 0)
  );
}

function progressConditions(rollout: Rollout, status: JsonObject, newest: KubeObject | undefined): JsonObject[] {
  const { deployment, host } = rollout;
  const conditions = Array.isArray(status.conditions) ? (status.conditions as JsonObject[]) : [];
  if (!hasDeadline(deployment)) return withoutCondition(conditions, 'Progressing');
  const current = progressing(deployment);
  if (
    count(status, 'replicas') === count(status, 'updatedReplicas') &&
    text(current, 'reason') === 'NewReplicaSetAvailable'
  )
    return conditions;
  const subject = newest
    ? `ReplicaSet "${newest.metadata.name ?? ''}"`
    : `Deployment "${deployment.metadata.name ?? ''}"`;
  const condition = (value: string, reason: string, what: string): JsonObject =>
    newCondition('Progressing', value, reason, `${subject} ${what}`, host.clock.now());
  if (isComplete(deployment, status))
    return withTransition(conditions, condition('True', 'NewReplicaSetAvailable', 'has successfully progressed.'));
  if (hasProgressed(sub(deployment, 'status'), status)) {
    const next = condition('True', 'ReplicaSetUpdated', 'is progressing.');
    if (text(current, 'status') === 'True') put(next, 'lastTransitionTime', own(current ?? {}, 'lastTransitionTime'));
    return [...withoutCondition(conditions, 'Progressing'), next];
  }
  if (hasTimedOut(rollout))
    return withTransition(conditions, condition('False', 'ProgressDeadlineExceeded', 'has timed out progressing.'));
  return conditions;
}

function hasProgressed(before: JsonObject, now: JsonObject): boolean {
  const outdated = (status: JsonObject): number => count(status, 'replicas') - count(status, 'updatedReplicas');
  return (
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'].some(
      (field) => count(now, field) > count(before, field),
    ) || outdated(now) < outdated(before)
  );
}

function hasTimedOut({ deployment, host }: Rollout): boolean {
  const current = progressing(deployment);
  if (current === undefined || text(current, 'reason') === 'NewReplicaSetAvailable') return false;
  if (text(current, 'reason') === 'ProgressDeadlineExceeded') return true;
  return deadline(deployment, current) < host.clock.now().getTime();
}

function deadline(deployment: KubeObject, condition: JsonObject): number {
  return (
    (millisecondsAt(condition, 'lastUpdateTime') ?? 0) + count(specOf(deployment), 'progressDeadlineSeconds') * 1000
  );
}

function untilDeadline({ host }: Rollout, deployment: KubeObject): number | undefined {
  const current = progressing(deployment);
  if (!hasDeadline(deployment) || current === undefined) return undefined;
  if (
    isComplete(deployment, maybe(deployment, 'status') ?? ensure(deployment, 'status')) ||
    text(current, 'reason') === 'ProgressDeadlineExceeded'
  )
    return undefined;
  // A second more, because times are kept in whole seconds.
  return Math.max(0, deadline(deployment, current) - host.clock.now().getTime()) + 1000;
}
