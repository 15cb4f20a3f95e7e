import { labelSelectorOf, matchesLabels, type KubeObject } from '../../../model/kubernetes/index.js';
import type { WatchedObject } from '../../rest/index.js';
import { count, maybe, text } from '../../resources/index.js';
import {
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  type ObjectName,
  claim,
  controllerOf,
  ignoreNotFound,
  ownersOf,
} from '../../controller-runtime/index.js';
import { hasEnded } from '../common/pod-conditions.js';
import { byAge, newReplicas, resolveRevisions, revisionOf } from './revisions.js';
import {
  COMPONENT,
  hasDeadline,
  hasHistoryLimit,
  isRolling,
  maxUnavailable,
  newCondition,
  progressing,
  replicasOf,
  saveStatus,
  setCondition,
  specOf,
  startRollout,
  statusCount,
  sumOf,
  type Rollout,
} from './rollout.js';
import { activeOf, followScale, isPaused, scaleTo, wasScaled } from './scale.js';
import { isComplete, writePlainStatus, writeRolloutStatus } from './status.js';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../../model/resources/index.js';

/** Rolls the pods of Deployments from one template to the next, through ReplicaSets. */
export const deploymentController: Controller = reconciler({
  name: COMPONENT,
  watches: [
    { of: DEPLOYMENTS, keys: ownKey },
    { of: REPLICA_SETS, keys: ownersOf('Deployment', DEPLOYMENTS, selects) },
    { of: PODS, keys: deploymentOfEndedPod },
  ],
  async reconcile({ namespace, name }, host) {
    const deployment = host.client.get(DEPLOYMENTS, namespace, name);
    return deployment && reconcile(deployment, host);
  },
});

function selects(deployment: KubeObject, replicaSet: KubeObject): boolean {
  return matchesLabels(labelSelectorOf(maybe(deployment, 'spec.selector')), replicaSet.metadata.labels);
}

/** Recreate waits for the last old pod, which no ReplicaSet counts any more once it is being deleted. */
function deploymentOfEndedPod({ type, object }: WatchedObject, { client }: ControllerHost): ObjectName[] {
  if (type !== 'DELETED' && !hasEnded(object)) return [];
  const namespace = object.metadata.namespace ?? '';
  const owner = controllerOf(object);
  const replicaSet = owner?.kind === 'ReplicaSet' ? client.get(REPLICA_SETS, namespace, owner.name) : undefined;
  const deployment = replicaSet && controllerOf(replicaSet);
  return deployment ? [{ namespace, name: deployment.name }] : [];
}

async function reconcile(deployment: KubeObject, host: ControllerHost): Promise<number | void> {
  const owned = await claim({
    client: host.client,
    of: REPLICA_SETS,
    owner: deployment,
    candidates: host.client.list(REPLICA_SETS, deployment.metadata.namespace),
    matches: (each) => selects(deployment, each),
  });
  const rollout = startRollout(host, deployment, owned.sort(byAge));
  if (deployment.metadata.deletionTimestamp !== undefined) return follow(rollout, false);
  await recordPause(rollout);
  if (isPaused(deployment)) return follow(rollout, true);
  if (wasScaled(rollout, rollout.replicaSets)) return follow(rollout, true);
  return isRolling(deployment) ? roll(rollout) : recreate(rollout);
}

/** Sizes and status only: the template is not rolled out. */
async function follow(rollout: Rollout, mayScale: boolean): Promise<void> {
  const { newest, old } = await resolveRevisions(rollout, false);
  if (mayScale) await followScale(rollout, newest, old);
  if (mayScale && isPaused(rollout.deployment)) await pruneHistory(rollout, old);
  await writePlainStatus(rollout, newest ? [...old, newest] : old, newest);
}

/** Time spent paused does not count against the deadline. */
async function recordPause(rollout: Rollout): Promise<void> {
  const { deployment, host } = rollout;
  const reason = text(progressing(deployment), 'reason');
  if (!hasDeadline(deployment) || reason === 'ProgressDeadlineExceeded') return;
  const paused = isPaused(deployment);
  if (paused === (reason === 'DeploymentPaused')) return;
  setCondition(
    rollout,
    paused
      ? newCondition('Progressing', 'Unknown', 'DeploymentPaused', 'Deployment is paused', host.clock.now())
      : newCondition('Progressing', 'Unknown', 'DeploymentResumed', 'Deployment is resumed', host.clock.now()),
  );
  await saveStatus(rollout);
}

async function roll(rollout: Rollout): Promise<number | undefined> {
  const { newest, old } = await resolveRevisions(rollout, true);
  const all = newest ? [...old, newest] : old;
  if (
    newest &&
    !(await growNew(rollout, all, newest)) &&
    !(await shrinkOld(rollout, all, old, newest)) &&
    isComplete(rollout.deployment)
  )
    await pruneHistory(rollout, old);
  return writeRolloutStatus(rollout, all, newest);
}

async function growNew(rollout: Rollout, all: readonly KubeObject[], newest: KubeObject): Promise<boolean> {
  const wanted = replicasOf(rollout.deployment);
  const current = replicasOf(newest);
  if (current === wanted) return false;
  const next = current > wanted ? wanted : newReplicas(rollout.deployment, all, current);
  return next !== current && scaleTo(rollout, newest, next);
}

/** Takes away old pods as far as availability allows: broken ones first, then the oldest ReplicaSets. */
async function shrinkOld(
  rollout: Rollout,
  all: readonly KubeObject[],
  old: readonly KubeObject[],
  newest: KubeObject,
): Promise<boolean> {
  const { deployment } = rollout;
  const active = activeOf(old).sort(byAge);
  if (active.length === 0) return false;
  const available = (each: KubeObject): number => statusCount(each, 'availableReplicas');
  const least = replicasOf(deployment) - maxUnavailable(deployment);
  const most = sumOf(all, replicasOf) - least - (replicasOf(newest) - available(newest));
  if (most <= 0) return false;
  const sizes = new Map(active.map((each) => [each, replicasOf(each)]));
  let broken = most;
  for (const each of active) {
    const taken = Math.min(broken, Math.max(0, replicasOf(each) - available(each)));
    sizes.set(each, replicasOf(each) - taken);
    broken -= taken;
  }
  let spare = sumOf([...active, newest], available) - least;
  for (const each of active) {
    const taken = Math.max(0, Math.min(spare, sizes.get(each) ?? 0));
    sizes.set(each, (sizes.get(each) ?? 0) - taken);
    spare -= taken;
  }
  return scaleAll(rollout, sizes);
}

async function scaleAll(rollout: Rollout, sizes: ReadonlyMap<KubeObject, number>): Promise<boolean> {
  let scaled = false;
  for (const [each, size] of sizes)
    if (size !== replicasOf(each) && (await scaleTo(rollout, each, size))) scaled = true;
  return scaled;
}

async function recreate(rollout: Rollout): Promise<number | undefined> {
  let { newest, old } = await resolveRevisions(rollout, false);
  const scaledDown = await scaleAll(rollout, new Map(activeOf(old).map((each) => [each, 0])));
  if (!scaledDown && !hasOldPods(rollout, newest, old)) {
    if (!newest) ({ newest, old } = await resolveRevisions(rollout, true));
    if (newest && replicasOf(newest) !== replicasOf(rollout.deployment))
      await scaleTo(rollout, newest, replicasOf(rollout.deployment));
    if (isComplete(rollout.deployment)) await pruneHistory(rollout, old);
  }
  return writeRolloutStatus(rollout, newest ? [...old, newest] : old, newest);
}

function hasOldPods(
  { host, deployment, replicaSets }: Rollout,
  newest: KubeObject | undefined,
  old: readonly KubeObject[],
): boolean {
  if (sumOf(old, (each) => statusCount(each, 'replicas')) > 0) return true;
  const owners = new Set(replicaSets.filter((each) => each !== newest).map((each) => each.metadata.uid));
  return host.client
    .list(PODS, deployment.metadata.namespace)
    .some((pod) => owners.has(controllerOf(pod)?.uid) && !hasEnded(pod));
}

/** Keeps only the newest of the old ReplicaSets, and never deletes one that still has or wants pods. */
async function pruneHistory({ host, deployment }: Rollout, old: readonly KubeObject[]): Promise<void> {
  if (!hasHistoryLimit(deployment)) return;
  const candidates = old
    .filter((each) => each.metadata.deletionTimestamp === undefined)
    .sort((a, b) => revisionOf(a) - revisionOf(b) || byAge(a, b));
  for (const each of candidates.slice(
    0,
    Math.max(0, candidates.length - count(specOf(deployment), 'revisionHistoryLimit')),
  )) {
    const { namespace = '', name = '', uid, generation = 0 } = each.metadata;
    if (
      statusCount(each, 'replicas') !== 0 ||
      replicasOf(each) !== 0 ||
      generation > statusCount(each, 'observedGeneration')
    )
      continue;
    await ignoreNotFound(host.client.remove(REPLICA_SETS, namespace, name, uid === undefined ? {} : { uid }));
  }
}
