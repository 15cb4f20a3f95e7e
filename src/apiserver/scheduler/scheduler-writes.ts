import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ignoreNotFound } from '../controller-runtime/index.js';
import { type LocalClient, timestamp } from '../rest/index.js';
import { ensure, items, text } from '../resources/index.js';
import { disruptPod } from '../runtime/index.js';
import { PODS } from '../../model/resources/index.js';

export const SCHEDULER = 'default-scheduler';
/** Why a pod got no node, and which node was cleared for it. */
export interface SchedulingFailure {
  readonly reason: 'Unschedulable';
  readonly message: string;
  readonly nominatedNode?: string;
}

/** Longer texts do not fit into an Event. */
const MAX_EVENT_LENGTH = 1024;

export async function recordSchedulingFailure(
  client: LocalClient,
  now: Date,
  pod: KubeObject,
  refused: SchedulingFailure,
): Promise<void> {
  const { namespace = '', name = '', uid } = pod.metadata;
  const changed = { is: false };
  await ignoreNotFound(
    client.edit(
      PODS,
      namespace,
      name,
      (copy) => {
        changed.is =
          copy.metadata.uid === uid &&
          text(ensure(copy, 'spec'), 'nodeName') === '' &&
          setUnschedulable(copy, refused, timestamp(now));
        return changed.is;
      },
      'status',
    ),
  );
  // An Event for every vain attempt would say nothing new.
  if (!changed.is) return;
  const { message } = refused;
  client.event(
    pod,
    'Warning',
    'FailedScheduling',
    message.length > MAX_EVENT_LENGTH ? `${message.slice(0, MAX_EVENT_LENGTH - 4)} ...` : message,
    SCHEDULER,
  );
}

/** False where the status says so already. */
function setUnschedulable(
  pod: KubeObject,
  { reason, message, nominatedNode }: SchedulingFailure,
  now: string,
): boolean {
  const status = ensure(pod, 'status');
  const conditions = items(status, 'conditions');
  const old = conditions.find((condition) => text(condition, 'type') === 'PodScheduled');
  const nominated = nominatedNode ?? '';
  if (
    old &&
    text(old, 'status') === 'False' &&
    text(old, 'reason') === reason &&
    text(old, 'message') === message &&
    text(status, 'nominatedNodeName') === nominated
  )
    return false;
  const since = old && text(old, 'status') === 'False' ? (old['lastTransitionTime'] ?? now) : now;
  const condition: JsonObject = {
    type: 'PodScheduled',
    observedGeneration: pod.metadata.generation ?? 1,
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: since,
    reason,
    message,
  };
  status['conditions'] = old ? conditions.map((each) => (each === old ? condition : each)) : [...conditions, condition];
  if (nominated === '') delete status['nominatedNodeName'];
  else status['nominatedNodeName'] = nominated;
  return true;
}

export async function evictVictims(
  client: LocalClient,
  now: Date,
  preemptor: KubeObject,
  node: string,
  victims: readonly KubeObject[],
): Promise<void> {
  await Promise.all(
    victims.map(async (victim) => {
      if (victim.metadata.deletionTimestamp !== undefined) return;
      await disruptPod(
        client,
        victim,
        { reason: 'PreemptionByScheduler', message: `${SCHEDULER}: preempting to accommodate a higher priority pod` },
        now,
      );
      client.event(
        victim,
        'Normal',
        'Preempted',
        `Preempted by pod ${preemptor.metadata.uid ?? ''} on node ${node}`,
        SCHEDULER,
      );
    }),
  );
}
