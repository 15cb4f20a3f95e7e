import { equal, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ensure, flag, items, maybe, text } from '../resources/index.js';
import { timestamp } from '../rest/index.js';
import { ownKey, reconciler, type ControllerHost, ignoreNotFound } from '../controller-runtime/index.js';
import { conditionOf } from './common/pod-conditions.js';
import { NODES, PODS } from '../../model/resources/index.js';

/** Which taint a condition with a certain status stands for. */
const CONDITION_TAINTS: readonly (readonly [condition: string, status: string, key: string])[] = [
  ['Ready', 'False', 'node.kubernetes.io/not-ready'],
  ['Ready', 'Unknown', 'node.kubernetes.io/unreachable'],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];
const CORDONED = 'node.kubernetes.io/unschedulable';
const EVICTING = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const OURS = [...CONDITION_TAINTS.map(([, , key]) => key), CORDONED];

/** Turns conditions and cordons into taints, and marks the pods of a node that is not ready. */
export const nodeLifecycleController = reconciler({
  name: 'node-controller',
  watches: [{ of: NODES, keys: ownKey }],
  async reconcile({ name }, host) {
    const node = host.client.get(NODES, '', name);
    if (!node) return;
    await setTaints(node, host);
    if (['False', 'Unknown'].includes(text(conditionOf(node, 'Ready'), 'status'))) await markPods(node, host);
  },
});

async function setTaints(node: KubeObject, { client, clock }: ControllerHost): Promise<void> {
  const wanted = wantedTaints(node);
  const current = items(maybe(node, 'spec'), 'taints');
  if (equal(withoutTimes(nextTaints(current, wanted, '')), withoutTimes(current))) return;
  await client.edit(NODES, '', node.metadata.name ?? '', (copy) => {
    const spec = ensure(copy, 'spec');
    const taints = nextTaints(items(spec, 'taints'), wanted, timestamp(clock.now()));
    if (taints.length === 0) delete spec['taints'];
    else spec['taints'] = taints;
  });
}

function withoutTimes(taints: readonly JsonObject[]): JsonObject[] {
  return taints.map((taint) => ({ ...taint, timeAdded: undefined }));
}

function wantedTaints(node: KubeObject): JsonObject[] {
  const keys = CONDITION_TAINTS.filter(
    ([condition, status]) => text(conditionOf(node, condition), 'status') === status,
  ).map(([, , key]) => key);
  if (flag(maybe(node, 'spec'), 'unschedulable')) keys.push(CORDONED);
  return keys.flatMap((key) => [
    { key, effect: 'NoSchedule' },
    ...(EVICTING.includes(key) ? [{ key, effect: 'NoExecute' }] : []),
  ]);
}

/** Taints of others stay; ours are exactly the wanted ones, those that were there with the time they had. */
function nextTaints(current: readonly JsonObject[], wanted: readonly JsonObject[], now: string): JsonObject[] {
  const same = (a: JsonObject, b: JsonObject): boolean =>
    text(a, 'key') === text(b, 'key') && text(a, 'effect') === text(b, 'effect');
  const kept = current.filter((taint) => !isOurs(taint) || wanted.some((each) => same(each, taint)));
  const added = wanted.filter((taint) => !current.some((each) => same(each, taint)));
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: now }))];
}

function isOurs(taint: JsonObject): boolean {
  return (
    OURS.includes(text(taint, 'key')) &&
    (text(taint, 'effect') === 'NoSchedule' ||
      (text(taint, 'effect') === 'NoExecute' && EVICTING.includes(text(taint, 'key'))))
  );
}

async function markPods(node: KubeObject, { client, clock }: ControllerHost): Promise<void> {
  const name = node.metadata.name ?? '';
  for (const pod of client.list(PODS)) {
    const ready = conditionOf(pod, 'Ready');
    if (text(maybe(pod, 'spec'), 'nodeName') !== name || text(ready, 'status') !== 'True') continue;
    await ignoreNotFound(
      client.edit(
        PODS,
        pod.metadata.namespace ?? '',
        pod.metadata.name ?? '',
        (copy) => {
          const condition = conditionOf(copy, 'Ready');
          if (copy.metadata.uid !== pod.metadata.uid || text(condition, 'status') !== 'True') return false;
          Object.assign(condition ?? {}, { status: 'False', lastTransitionTime: timestamp(clock.now()) });
          return true;
        },
        'status',
      ),
    );
    client.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready', 'node-controller');
  }
}
