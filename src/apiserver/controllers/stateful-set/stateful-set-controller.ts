import { equal, own, type JsonObject } from '../../../model/json/index.js';
import { labelSelectorOf, matchesLabels, type KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import { count, items, maybe, sub, text } from '../../resources/index.js';
import {
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  claim,
  controllerOf,
  isControlledBy,
  ownersOf,
  replaceStatus,
} from '../../controller-runtime/index.js';
import { hasEnded, isAvailable, isReady, phaseOf, untilNextAvailable } from '../common/pod-conditions.js';
import { recordRevision, templateOf, truncateHistory, type History } from '../common/revision-history.js';
import { createClaims, hasStaleClaim, ownClaims } from './claims.js';
import {
  claimName,
  claimTemplates,
  hasIdentity,
  isInRange,
  newPod,
  ordinalOf,
  parentAndOrdinal,
  revisionOfPod,
  setIdentity,
  specOf,
  startOrdinal,
} from './identity.js';
import { PODS, STATEFUL_SETS } from '../../../model/resources/index.js';

const COMPONENT = 'statefulset-controller';

/** Keeps the numbered pods of StatefulSets and their claims. */
export const statefulSetController: Controller = reconciler({
  name: COMPONENT,
  watches: [
    { of: STATEFUL_SETS, keys: ownKey },
    { of: PODS, keys: ownersOf('StatefulSet', STATEFUL_SETS, belongs) },
  ],
  async reconcile({ namespace, name }, host) {
    const set = host.client.get(STATEFUL_SETS, namespace, name);
    return set && reconcile(set, host);
  },
});

function belongs(set: KubeObject, pod: KubeObject): boolean {
  return (
    parentAndOrdinal(pod).parent === set.metadata.name &&
    matchesLabels(labelSelectorOf(maybe(set, 'spec.selector')), pod.metadata.labels)
  );
}

/** One pass: the set, its pods, and which revision is which. */
interface StatefulSetState {
  readonly host: ControllerHost;
  readonly set: KubeObject;
  readonly pods: readonly KubeObject[];
  readonly history: History;
  readonly current: KubeObject;
  readonly now: Date;
  readonly ordered: boolean;
}

async function reconcile(set: KubeObject, host: ControllerHost): Promise<number | void> {
  const pods = await claim({
    client: host.client,
    of: PODS,
    owner: set,
    matches: (pod) => belongs(set, pod),
    candidates: host.client
      .list(PODS, set.metadata.namespace)
      .filter((pod) => isControlledBy(pod, set) || (controllerOf(pod) === undefined && belongs(set, pod))),
  });
  const history = await recordRevision({
    client: host.client,
    owner: set,
    annotations: set.metadata.annotations ?? {},
  });
  const currentName = text(maybe(set, 'status'), 'currentRevision');
  const current = history.all.find((each) => each.metadata.name === currentName) ?? history.update;
  const state: StatefulSetState = {
    host,
    set,
    pods,
    history,
    current,
    now: host.clock.now(),
    ordered: text(specOf(set), 'podManagementPolicy') !== 'Parallel',
  };
  let deleted = 0;
  let failure: Error | undefined;
  try {
    if (set.metadata.deletionTimestamp === undefined) deleted = await updateStatefulSet(state);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  await writeStatus(state, deleted);
  if (failure) throw failure;
  const used = new Set([current.metadata.name, history.update.metadata.name, ...pods.map(revisionOfPod)]);
  await truncateHistory(
    host.client,
    history.all,
    (each) => used.has(each.metadata.name),
    count(specOf(set), 'revisionHistoryLimit'),
  );
  return untilNextAvailable(pods, minReadySeconds(state), state.now);
}

function minReadySeconds({ set }: StatefulSetState): number {
  return count(specOf(set), 'minReadySeconds');
}

function isRunningAndReady(pod: KubeObject): boolean {
  return phaseOf(pod) === 'Running' && isReady(pod);
}

function isUnavailable(state: StatefulSetState, pod: KubeObject): boolean {
  return !isAvailable(pod, minReadySeconds(state), state.now) || pod.metadata.deletionTimestamp !== undefined;
}

function isCreated(pod: KubeObject): boolean {
  return pod.metadata.uid !== undefined;
}

/** Brings pods closer to the spec; gives how many it deleted for an update. */
async function updateStatefulSet(state: StatefulSetState): Promise<number> {
  const { set, pods, ordered } = state;
  const replicas = Array.from({ length: count(specOf(set), 'replicas') }, (_, index) => {
    const ordinal = startOrdinal(set) + index;
    return pods.find((pod) => ordinalOf(pod) === ordinal) ?? versionedPod(state, ordinal);
  });
  const condemned = pods.filter((pod) => !isInRange(set, ordinalOf(pod))).sort((a, b) => ordinalOf(b) - ordinalOf(a));
  if (await inTurn(replicas, ordered, (pod) => processReplica(state, pod))) return 0;
  for (const pod of condemned) await ownClaims(state.host, set, pod);
  const firstUnhealthy = [...replicas, ...[...condemned].reverse()].find((pod) => isUnavailable(state, pod));
  if (await inTurn(condemned, ordered, (pod) => processCondemned(state, pod, firstUnhealthy))) return 0;
  return update(state, replicas);
}

/** Ordered sets stop at the first pod that says so; parallel ones treat all. True where it stopped. */
async function inTurn(
  pods: readonly KubeObject[],
  ordered: boolean,
  treat: (pod: KubeObject) => Promise<boolean>,
): Promise<boolean> {
  if (!ordered) {
    const results = await Promise.allSettled(pods.map(treat));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return false;
  }
  for (const pod of pods) if (await treat(pod)) return true;
  return false;
}

/** Below the partition a new pod has the old revision. */
function versionedPod({ set, current, history }: StatefulSetState, ordinal: number): KubeObject {
  const revision = ordinal < startOrdinal(set) + partitionOf(set) ? current : history.update;
  return newPod(set, templateOf(revision), revision.metadata.name ?? '', ordinal);
}

function partitionOf(set: KubeObject): number {
  const strategy = sub(set, 'spec.updateStrategy');
  const rolling = maybe(strategy, 'rollingUpdate');
  if (rolling !== undefined) return count(rolling, 'partition');
  return text(strategy, 'type') === 'RollingUpdate' ? count(maybe(set, 'status'), 'currentReplicas') : 0;
}

/** Creates or repairs one replica; true: the ones behind it must wait. */
async function processReplica(state: StatefulSetState, pod: KubeObject): Promise<boolean> {
  const { host, set, ordered } = state;
  if (!isCreated(pod)) {
    if (hasStaleClaim(host, set, pod)) return true;
    await createReplica(state, pod);
    return ordered;
  }
  if (hasEnded(pod)) {
    if (pod.metadata.deletionTimestamp === undefined) await removePod(state, pod);
    return true;
  }
  if (phaseOf(pod) === 'Pending') await createClaims(host, set, pod);
  if (ordered && (pod.metadata.deletionTimestamp !== undefined || !isRunningAndReady(pod) || isUnavailable(state, pod)))
    return true;
  await ownClaims(host, set, pod);
  if (!hasIdentity(pod) || !hasStorage(set, pod)) await repair(state, pod);
  return false;
}

function hasStorage(set: KubeObject, pod: KubeObject): boolean {
  const volumes = items(maybe(pod, 'spec'), 'volumes');
  return claimTemplates(set).every((template) =>
    volumes.some(
      (volume) =>
        text(volume, 'name') === text(sub(template, 'metadata'), 'name') &&
        text(sub(volume, 'persistentVolumeClaim'), 'claimName') === claimName(set, template, ordinalOf(pod)),
    ),
  );
}

async function repair({ host: { client }, set }: StatefulSetState, pod: KubeObject): Promise<void> {
  const { namespace = '', name = '' } = pod.metadata;
  await withEvent(
    client,
    set,
    'update',
    name,
    client.edit(PODS, namespace, name, (copy) => setIdentity(copy, ordinalOf(copy))),
  );
}

async function createReplica({ host, set }: StatefulSetState, pod: KubeObject): Promise<void> {
  const work = async (): Promise<void> => {
    await createClaims(host, set, pod);
    await ownClaims(host, set, await host.client.create(PODS, pod));
  };
  await withEvent(host.client, set, 'create', pod.metadata.name ?? '', work());
}

async function removePod({ host: { client }, set }: StatefulSetState, pod: KubeObject): Promise<void> {
  const { namespace = '', name = '', uid } = pod.metadata;
  await withEvent(client, set, 'delete', name, client.remove(PODS, namespace, name, uid === undefined ? {} : { uid }));
}

/** Waits for the work and records its result in an Event of the set. */
async function withEvent(
  client: ControllerHost['client'],
  set: KubeObject,
  verb: 'create' | 'update' | 'delete',
  pod: string,
  work: Promise<unknown>,
): Promise<void> {
  const reason = verb.charAt(0).toUpperCase() + verb.slice(1);
  const what = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name ?? ''}`;
  try {
    await work;
  } catch (error) {
    if (error instanceof ApiError && error.reason !== 'AlreadyExists')
      client.event(set, 'Warning', `Failed${reason}`, `${what} failed error: ${error.message}`, COMPONENT);
    throw error;
  }
  client.event(set, 'Normal', `Successful${reason}`, `${what} successful`, COMPONENT);
}

/** Deletes one pod beyond the replicas; an ordered set first waits until those before it are well. */
async function processCondemned(
  state: StatefulSetState,
  pod: KubeObject,
  firstUnhealthy: KubeObject | undefined,
): Promise<boolean> {
  const { ordered } = state;
  if (pod.metadata.deletionTimestamp !== undefined) return ordered;
  if (
    ordered &&
    pod !== firstUnhealthy &&
    firstUnhealthy !== undefined &&
    (!isRunningAndReady(pod) || isUnavailable(state, pod))
  )
    return true;
  await removePod(state, pod);
  return true;
}

/** Replaces at most one outdated pod, the highest first, and only while all above it are available. */
async function update(state: StatefulSetState, replicas: readonly KubeObject[]): Promise<number> {
  const { set, history } = state;
  const strategy = sub(set, 'spec.updateStrategy');
  if (text(strategy, 'type') === 'OnDelete') return 0;
  const partition = count(maybe(strategy, 'rollingUpdate'), 'partition');
  for (const pod of replicas.slice(partition).reverse()) {
    if (!isCreated(pod)) return 0;
    if (revisionOfPod(pod) !== history.update.metadata.name && pod.metadata.deletionTimestamp === undefined) {
      await removePod(state, pod);
      return 1;
    }
    if (isUnavailable(state, pod)) return 0;
  }
  return 0;
}

async function writeStatus(state: StatefulSetState, deleted: number): Promise<void> {
  const { host, set, pods, history, current } = state;
  const staying = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const ready = pods.filter(isRunningAndReady);
  const ofRevision = (revision: KubeObject): number =>
    staying.filter((pod) => revisionOfPod(pod) === revision.metadata.name).length;
  const updated = ofRevision(history.update);
  const wanted = count(specOf(set), 'replicas');
  const isDone =
    text(sub(set, 'spec.updateStrategy'), 'type') === 'RollingUpdate' &&
    [updated, ready.length, pods.length].every((each) => each === wanted);
  const currentReplicas = isDone ? updated : ofRevision(current) - deleted;
  const status: JsonObject = {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    ...(ready.length === 0 ? {} : { readyReplicas: ready.length }),
    ...(currentReplicas <= 0 ? {} : { currentReplicas }),
    ...(updated === 0 ? {} : { updatedReplicas: updated }),
    currentRevision: (isDone ? history.update : current).metadata.name,
    updateRevision: history.update.metadata.name,
    collisionCount: history.collisions,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds(state), state.now)).length,
    ...(own(sub(set, 'status'), 'conditions') === undefined
      ? {}
      : { conditions: own(sub(set, 'status'), 'conditions') }),
  };
  if (equal(status, set['status'])) return;
  await replaceStatus(host.client, STATEFUL_SETS, set, status);
}
