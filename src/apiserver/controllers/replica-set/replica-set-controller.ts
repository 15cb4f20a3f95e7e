import { equal, type JsonObject } from '../../../model/json/index.js';
import {
  labelSelectorFromMap,
  labelSelectorOf,
  matchesLabels,
  type KubeObject,
  type LabelSelector,
} from '../../../model/kubernetes/index.js';
import { type ResourceName, timestamp } from '../../rest/index.js';
import { count, maybe, sub } from '../../resources/index.js';
import {
  conditionsOf,
  findCondition,
  withCondition,
  withoutCondition,
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
import { inDeletionOrder } from '../common/deletion-order.js';
import { createPod, deletePod, podFromTemplate, slowStart } from '../common/pod-control.js';
import { isActive, isAvailable, isReady, untilNextAvailable } from '../common/pod-conditions.js';
import { PODS, REPLICA_SETS } from '../../../model/resources/index.js';

/** ReplicaSets and ReplicationControllers differ only in where they are served and how they select. */
interface Variant {
  readonly name: string;
  readonly kind: string;
  readonly of: ResourceName;
  readonly selector: (owner: KubeObject) => LabelSelector;
}

/** Most pods created or deleted in one go. */
const BURST = 500;

export const replicaSetController = controllerFor({
  name: 'replicaset-controller',
  kind: 'ReplicaSet',
  of: REPLICA_SETS,
  selector: (owner) => labelSelectorOf(maybe(owner, 'spec.selector')),
});

export const replicationController = controllerFor({
  name: 'replication-controller',
  kind: 'ReplicationController',
  of: { group: '', plural: 'replicationcontrollers' },
  selector: (owner) => labelSelectorFromMap(sub(owner, 'spec.selector') as Record<string, string>),
});

function controllerFor(variant: Variant): Controller {
  const { name, kind, of, selector } = variant;
  return reconciler({
    name,
    watches: [
      { of, keys: ownKey },
      { of: PODS, keys: ownersOf(kind, of, (owner, pod) => matchesLabels(selector(owner), pod.metadata.labels)) },
    ],
    async reconcile(key, host) {
      const owner = host.client.get(of, key.namespace, key.name);
      return owner && reconcile(variant, owner, host);
    },
  });
}

/**
 * All writes are awaited, and a list shows every write that was acknowledged: a pod that this reconcile created is in
 * the next one, so no pod is ever created twice.
 */
async function reconcile(variant: Variant, owner: KubeObject, host: ControllerHost): Promise<number | void> {
  const selector = variant.selector(owner);
  const pods = await claim({
    client: host.client,
    of: PODS,
    owner,
    matches: (pod) => matchesLabels(selector, pod.metadata.labels),
    candidates: host.client.list(PODS, owner.metadata.namespace).filter((pod) => isActive(pod) && concerns(pod, owner)),
  });
  const failure = owner.metadata.deletionTimestamp === undefined ? await manage(variant, owner, pods, host) : undefined;
  await writeStatus(variant, owner, pods, failure, host);
  if (failure) throw failure;
  return untilNextAvailable(pods, count(maybe(owner, 'spec'), 'minReadySeconds'), host.clock.now());
}

function concerns(pod: KubeObject, owner: KubeObject): boolean {
  return controllerOf(pod) === undefined || isControlledBy(pod, owner);
}

async function manage(
  { name: component }: Variant,
  owner: KubeObject,
  pods: readonly KubeObject[],
  { client, clock }: ControllerHost,
): Promise<Error | undefined> {
  const control = { client, component };
  const missing = count(maybe(owner, 'spec'), 'replicas') - pods.length;
  if (missing > 0) {
    const template = sub(owner, 'spec.template');
    return slowStart(Math.min(missing, BURST), () => createPod(control, podFromTemplate(template, owner), owner));
  }
  if (missing === 0) return undefined;
  const doomed = inDeletionOrder(pods, relatedPods(owner, pods, client), clock.now()).slice(
    0,
    Math.min(-missing, BURST),
  );
  const results = await Promise.allSettled(doomed.map((pod) => deletePod(control, pod, owner)));
  const failed = results.find((result) => result.status === 'rejected');
  return failed && (failed.reason instanceof Error ? failed.reason : new Error(String(failed.reason)));
}

/** Pods of all ReplicaSets with the same controller: where they crowd a node, one of them goes first. */
function relatedPods(
  owner: KubeObject,
  pods: readonly KubeObject[],
  client: ControllerHost['client'],
): readonly KubeObject[] {
  const controller = controllerOf(owner);
  if (controller === undefined) return pods;
  const { namespace } = owner.metadata;
  const siblings = new Set(
    client
      .list(REPLICA_SETS, namespace)
      .filter((each) => controllerOf(each)?.uid === controller.uid)
      .map((each) => each.metadata.uid),
  );
  return client.list(PODS, namespace).filter((pod) => siblings.has(controllerOf(pod)?.uid));
}

async function writeStatus(
  variant: Variant,
  owner: KubeObject,
  pods: readonly KubeObject[],
  failure: Error | undefined,
  { client, clock }: ControllerHost,
): Promise<void> {
  const { generation } = owner.metadata;
  const now = clock.now();
  const conditions = failureConditions(conditionsOf(owner), owner, pods, failure, timestamp(now));
  const template = labelSelectorFromMap(sub(owner, 'spec.template.metadata.labels') as Record<string, string>);
  const minReadySeconds = count(maybe(owner, 'spec'), 'minReadySeconds');
  const status: JsonObject = {
    replicas: pods.length,
    ...countField('fullyLabeledReplicas', pods.filter((pod) => matchesLabels(template, pod.metadata.labels)).length),
    ...countField('readyReplicas', pods.filter(isReady).length),
    ...countField('availableReplicas', pods.filter((pod) => isAvailable(pod, minReadySeconds, now)).length),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  if (equal(status, owner['status'])) return;
  await replaceStatus(client, variant.of, owner, status);
}

/** Zero is not written, as in the real server's JSON. */
export function countField(field: string, value: number): JsonObject {
  return value === 0 ? {} : { [field]: value };
}

function failureConditions(
  conditions: readonly JsonObject[],
  owner: KubeObject,
  pods: readonly KubeObject[],
  failure: Error | undefined,
  now: string,
): JsonObject[] {
  if (!failure) return withoutCondition(conditions, 'ReplicaFailure');
  if (findCondition(conditions, 'ReplicaFailure')) return [...conditions];
  const reason = pods.length < count(maybe(owner, 'spec'), 'replicas') ? 'FailedCreate' : 'FailedDelete';
  return withCondition(conditions, {
    type: 'ReplicaFailure',
    status: 'True',
    lastTransitionTime: now,
    reason,
    message: failure.message,
  });
}
