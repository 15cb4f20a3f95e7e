import { clone, drop, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { count, ensure, maybe, number, sub, text } from '../../resources/index.js';
import { timestamp } from '../../rest/index.js';
import { findCondition, withTransition, type ControllerHost } from '../../controller-runtime/index.js';
import { scaledValue } from '../common/int-or-percent.js';
import { DEPLOYMENTS } from '../../../model/resources/index.js';

export const HASH_LABEL = 'pod-template-hash';
export const COMPONENT = 'deployment-controller';
const ENDLESS = 2_147_483_647;

/** One pass over a Deployment: a copy of it that the pass changes and saves, and its ReplicaSets. */
export interface Rollout {
  readonly host: ControllerHost;
  /** Status and annotations of this copy are ahead of the store until `saveStatus`. */
  readonly deployment: KubeObject;
  /** Of this Deployment, oldest first. */
  readonly replicaSets: readonly KubeObject[];
}

export function startRollout(
  host: ControllerHost,
  deployment: KubeObject,
  replicaSets: readonly KubeObject[],
): Rollout {
  const copy = clone(deployment);
  ensure(copy, 'status');
  return { host, deployment: copy, replicaSets };
}

export function specOf(object: KubeObject): JsonObject {
  return sub(object, 'spec');
}

export function replicasOf(object: KubeObject): number {
  return count(specOf(object), 'replicas');
}

/** A count in the status of a ReplicaSet. */
export function statusCount(object: KubeObject | undefined, field: string): number {
  return count(maybe(object, 'status'), field);
}

export function sumOf(replicaSets: readonly KubeObject[], value: (replicaSet: KubeObject) => number): number {
  return replicaSets.reduce((sum, replicaSet) => sum + value(replicaSet), 0);
}

export function isRolling(deployment: KubeObject): boolean {
  return text(sub(deployment, 'spec.strategy'), 'type') === 'RollingUpdate';
}

/**
 * How many pods may be missing and how many may be extra; both rounding to 0 would block the rollout, so one may be
 * missing.
 */
function fenceposts(deployment: KubeObject): { surge: number; unavailable: number } {
  const rolling = sub(deployment, 'spec.strategy.rollingUpdate');
  const replicas = replicasOf(deployment);
  const surge = scaledValue(own(rolling, 'maxSurge'), replicas, 'up');
  const unavailable = scaledValue(own(rolling, 'maxUnavailable'), replicas, 'down');
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export function maxSurge(deployment: KubeObject): number {
  return isRolling(deployment) ? fenceposts(deployment).surge : 0;
}

export function maxUnavailable(deployment: KubeObject): number {
  const replicas = replicasOf(deployment);
  return isRolling(deployment) && replicas > 0 ? Math.min(fenceposts(deployment).unavailable, replicas) : 0;
}

export function hasDeadline(deployment: KubeObject): boolean {
  const seconds = number(specOf(deployment), 'progressDeadlineSeconds');
  return seconds !== undefined && seconds !== ENDLESS;
}

export function hasHistoryLimit(deployment: KubeObject): boolean {
  const limit = number(specOf(deployment), 'revisionHistoryLimit');
  return limit !== undefined && limit !== ENDLESS;
}

export function statusConditions(deployment: KubeObject): JsonObject[] {
  const conditions = own(ensure(deployment, 'status'), 'conditions');
  return Array.isArray(conditions) ? (conditions as JsonObject[]) : [];
}

export function progressing(deployment: KubeObject): JsonObject | undefined {
  return findCondition(statusConditions(deployment), 'Progressing');
}

export function newCondition(type: string, status: string, reason: string, message: string, now: Date): JsonObject {
  const at = timestamp(now);
  return { type, status, lastUpdateTime: at, lastTransitionTime: at, reason, message };
}

export function setCondition({ deployment }: Rollout, condition: JsonObject): void {
  put(ensure(deployment, 'status'), 'conditions', withTransition(statusConditions(deployment), condition));
}

/** Writes the copy's status, and its annotations: the revision is one. */
export async function saveStatus({ host, deployment }: Rollout): Promise<void> {
  const { namespace = '', name = '', uid } = deployment.metadata;
  await host.client.edit(
    DEPLOYMENTS,
    namespace,
    name,
    (copy) => {
      if (copy.metadata.uid !== uid) return false;
      copy['status'] = clone(deployment['status']);
      const revision = own(deployment.metadata.annotations ?? {}, REVISION);
      const annotations = (copy.metadata.annotations ??= {});
      if (typeof revision === 'string') put(annotations, REVISION, revision);
      else drop(annotations, REVISION);
      if (Object.keys(annotations).length === 0) delete copy.metadata.annotations;
      return true;
    },
    'status',
  );
}

export const REVISION = 'deployment.kubernetes.io/revision';
