import { clone, put } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ensure, flag } from '../../resources/index.js';
import { createdAt } from '../common/pod-conditions.js';
import { annotationOf, byAge, DESIRED_REPLICAS, MAX_REPLICAS, setReplicaAnnotations } from './revisions.js';
import { COMPONENT, isRolling, maxSurge, replicasOf, specOf, statusCount, sumOf, type Rollout } from './rollout.js';
import { REPLICA_SETS } from '../../../model/resources/index.js';

/** Scales a ReplicaSet and records an Event; true where the size changed. */
export async function scaleTo(
  { host, deployment }: Rollout,
  replicaSet: KubeObject,
  replicas: number,
): Promise<boolean> {
  const before = replicasOf(replicaSet);
  const copy = clone(replicaSet);
  put(ensure(copy, 'spec'), 'replicas', replicas);
  setReplicaAnnotations(deployment, copy);
  const { name = '' } = replicaSet.metadata;
  await host.client.update(REPLICA_SETS, copy);
  if (before === replicas) return false;
  host.client.event(
    deployment,
    'Normal',
    'ScalingReplicaSet',
    `Scaled ${before < replicas ? 'up' : 'down'} replica set ${name} from ${before} to ${replicas}`,
    COMPONENT,
  );
  return true;
}

export function activeOf(replicaSets: readonly (KubeObject | undefined)[]): KubeObject[] {
  return replicaSets.filter((each) => each !== undefined).filter((each) => replicasOf(each) > 0);
}

/** Was the Deployment scaled since its ReplicaSets were last sized? */
export function wasScaled({ deployment }: Rollout, all: readonly KubeObject[]): boolean {
  return activeOf(all).some(
    (each) =>
      /^\d+$/.test(annotationOf(each, DESIRED_REPLICAS)) &&
      Number(annotationOf(each, DESIRED_REPLICAS)) !== replicasOf(deployment),
  );
}

export function isPaused(deployment: KubeObject): boolean {
  return flag(specOf(deployment), 'paused');
}

/** Follows a new size while no rollout step is due: one ReplicaSet takes it all, several share in proportion. */
export async function followScale(
  rollout: Rollout,
  newest: KubeObject | undefined,
  old: readonly KubeObject[],
): Promise<void> {
  const { deployment } = rollout;
  const wanted = replicasOf(deployment);
  const active = activeOf([...old, newest]);
  if (active.length <= 1) {
    const only = active[0] ?? newest ?? [...old].sort((a, b) => byAge(b, a))[0];
    if (only && replicasOf(only) !== wanted) await scaleTo(rollout, only, wanted);
  } else if (newest && isSaturated(deployment, newest)) {
    for (const each of activeOf(old)) await scaleTo(rollout, each, 0);
  } else if (isRolling(deployment)) await scaleInProportion(rollout, active);
}

function isSaturated(deployment: KubeObject, replicaSet: KubeObject): boolean {
  const wanted = replicasOf(deployment);
  return (
    replicasOf(replicaSet) === wanted &&
    annotationOf(replicaSet, DESIRED_REPLICAS) === String(wanted) &&
    statusCount(replicaSet, 'availableReplicas') === wanted
  );
}

async function scaleInProportion(rollout: Rollout, active: KubeObject[]): Promise<void> {
  const { deployment } = rollout;
  const wanted = replicasOf(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const toAdd = allowed - sumOf(active, replicasOf);
  // The largest first; of equal ones the newer when growing, the older when shrinking.
  const younger = toAdd < 0 ? -1 : 1;
  const ordered = [...active].sort((a, b) => replicasOf(b) - replicasOf(a) || younger * (createdAt(b) - createdAt(a)));
  let added = 0;
  const sizes = ordered.map((each) => {
    const share = toAdd === 0 || added === toAdd ? 0 : within(fraction(deployment, each), toAdd - added);
    added += share;
    return replicasOf(each) + share;
  });
  for (const [index, each] of ordered.entries()) {
    const leftover = index === 0 ? toAdd - added : 0;
    await scaleTo(rollout, each, Math.max(0, (sizes[index] ?? 0) + leftover));
  }
}

function within(share: number, left: number): number {
  return left > 0 ? Math.min(share, left) : Math.max(share, left);
}

/** How much a ReplicaSet grows when the whole grows from its max-replicas annotation to the new maximum. */
function fraction(deployment: KubeObject, replicaSet: KubeObject): number {
  const size = replicasOf(replicaSet);
  const wanted = replicasOf(deployment);
  if (wanted === 0) return -size;
  const noted = annotationOf(replicaSet, MAX_REPLICAS);
  const before = /^\d+$/.test(noted) && Number(noted) > 0 ? Number(noted) : statusCount(deployment, 'replicas');
  return before === 0 ? 0 : Math.round((size * (wanted + maxSurge(deployment))) / before) - size;
}
