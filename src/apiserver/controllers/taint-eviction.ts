import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { items, maybe, number, text } from '../resources/index.js';
import { disruptPod } from '../runtime/index.js';
import { matchesTaint } from '../scheduler/index.js';
import { ownKey, reconciler, type ControllerHost, type ObjectName } from '../controller-runtime/index.js';
import { millisecondsAt } from './common/pod-conditions.js';
import { NODES, PODS } from '../../model/resources/index.js';

const NAME = 'taint-eviction-controller';

/** Deletes pods from nodes whose NoExecute taints they do not tolerate, or no longer. */
export const taintEvictionController = reconciler({
  name: NAME,
  watches: [
    {
      of: PODS,
      keys: (event) =>
        event.type !== 'DELETED' && text(maybe(event.object, 'spec'), 'nodeName') !== '' ? ownKey(event) : [],
    },
    {
      of: NODES,
      keys: ({ object, previous }, host) =>
        taintsOf(object).length > 0 || taintsOf(previous).length > 0 ? podsOn(object, host) : [],
    },
  ],
  async reconcile({ namespace, name }, host) {
    const pod = host.client.get(PODS, namespace, name);
    if (!pod || pod.metadata.deletionTimestamp !== undefined) return undefined;
    const node = host.client.get(NODES, '', text(maybe(pod, 'spec'), 'nodeName'));
    const wait = untilEviction(pod, taintsOf(node), host.clock.now().getTime());
    if (wait === undefined || wait > 0) return wait;
    await evict(pod, host);
    return undefined;
  },
});

function taintsOf(node: KubeObject | undefined): JsonObject[] {
  return items(maybe(node, 'spec'), 'taints').filter((taint) => text(taint, 'effect') === 'NoExecute');
}

function podsOn(node: KubeObject, { client }: ControllerHost): ObjectName[] {
  return client
    .list(PODS)
    .filter((pod) => text(maybe(pod, 'spec'), 'nodeName') === node.metadata.name)
    .map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' }));
}

/** Milliseconds until the pod must go; undefined: it may stay. */
function untilEviction(pod: KubeObject, taints: readonly JsonObject[], now: number): number | undefined {
  const tolerations = items(maybe(pod, 'spec'), 'tolerations');
  let soonest: number | undefined;
  for (const taint of taints) {
    const matching = tolerations.filter((toleration) => matchesTaint(toleration, taint));
    if (matching.length === 0) return 0;
    const limits = matching.flatMap((toleration) => number(toleration, 'tolerationSeconds') ?? []);
    if (limits.length === 0) continue;
    const end = (millisecondsAt(taint, 'timeAdded') ?? now) + Math.max(0, Math.min(...limits)) * 1000;
    soonest = Math.min(soonest ?? Infinity, end - now);
  }
  return soonest === undefined ? undefined : Math.max(0, soonest);
}

async function evict(pod: KubeObject, { client, clock }: ControllerHost): Promise<void> {
  const { namespace = '', name = '' } = pod.metadata;
  client.event(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`, NAME);
  await disruptPod(
    client,
    pod,
    { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' },
    clock.now(),
  );
}
