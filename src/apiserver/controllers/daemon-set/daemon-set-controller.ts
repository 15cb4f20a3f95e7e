import { equal, own, type JsonObject } from '../../../model/json/index.js';
import { labelSelectorOf, matchesLabels, type KubeObject } from '../../../model/kubernetes/index.js';
import type { WatchedObject } from '../../rest/index.js';
import { count, maybe, sub, text } from '../../resources/index.js';
import {
  ownKey,
  type Controller,
  type ControllerHost,
  type ObjectName,
  reconciler,
  claim,
  controllerOf,
  isControlledBy,
  ownersOf,
  replaceStatus,
} from '../../controller-runtime/index.js';
import { createPod, deletePod, slowStart } from '../common/pod-control.js';
import { createdAt, hasEnded, isAvailable, isReady, phaseOf, untilNextAvailable } from '../common/pod-conditions.js';
import { countField } from '../replica-set/replica-set-controller.js';
import { recordRevision, revisionHash, truncateHistory } from '../common/revision-history.js';
import { daemonPod, HASH_LABEL, isUpdated, shouldRun, targetNode } from './daemon-pod.js';
import { FailureBackoff } from './failure-backoff.js';
import type { DaemonSetState } from './daemon-set-state.js';
import { maxSurge, nextUpdate, type PodChanges } from './rolling-update.js';
import { NODES, PODS } from '../../../model/resources/index.js';

const DAEMON_SETS = { group: 'apps', plural: 'daemonsets' } as const;
const COMPONENT = 'daemonset-controller';
const BURST = 250;

/** Keeps one pod of each DaemonSet on every node that fits. */
export const daemonSetController: Controller = {
  name: COMPONENT,
  start(host) {
    const backoff = new FailureBackoff();
    return reconciler({
      name: COMPONENT,
      watches: [
        { of: DAEMON_SETS, keys: ownKey },
        { of: PODS, keys: ownersOf('DaemonSet', DAEMON_SETS, selects) },
        { of: NODES, keys: allWhenNodeChanged },
      ],
      async reconcile({ namespace, name }) {
        const set = host.client.get(DAEMON_SETS, namespace, name);
        return set && set.metadata.deletionTimestamp === undefined ? reconcile(set, host, backoff) : undefined;
      },
    }).start(host);
  },
};

function selects(set: KubeObject, pod: KubeObject): boolean {
  return matchesLabels(labelSelectorOf(maybe(set, 'spec.selector')), pod.metadata.labels);
}

/** Heartbeats in a node's status concern no DaemonSet. */
function allWhenNodeChanged({ type, object, previous }: WatchedObject, { client }: ControllerHost): ObjectName[] {
  const facts = (node: KubeObject): JsonObject => ({
    labels: node.metadata.labels,
    taints: own(sub(node, 'spec'), 'taints'),
  });
  if (type === 'MODIFIED' && previous && equal(facts(object), facts(previous))) return [];
  return client
    .list(DAEMON_SETS)
    .map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' }));
}

async function reconcile(set: KubeObject, host: ControllerHost, backoff: FailureBackoff): Promise<number | void> {
  const history = await recordRevision({
    client: host.client,
    owner: set,
    hashLabel: HASH_LABEL,
    annotations: set.metadata.annotations ?? {},
  });
  const hash = revisionHash(history.update, HASH_LABEL);
  const state = await readState(set, host, hash);
  const { moves, wait } = placement(state, backoff);
  let failure = await applyChanges(state, moves);
  if (!failure && moves.remove.length + moves.start.length === 0)
    failure = await applyChanges(state, nextUpdate(state));
  const after = await readState(set, host, hash);
  await writeStatus(after, history.collisions);
  if (failure) throw failure;
  const pods = [...after.byNode.values()].flat();
  const live = new Set(pods.map((pod) => own(pod.metadata.labels ?? {}, HASH_LABEL)));
  await truncateHistory(
    host.client,
    history.all,
    (each) => each === history.update || live.has(revisionHash(each, HASH_LABEL)),
    count(sub(set, 'spec'), 'revisionHistoryLimit'),
  );
  return sooner(wait, untilNextAvailable(pods, count(sub(set, 'spec'), 'minReadySeconds'), state.now));
}

function sooner(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

async function readState(set: KubeObject, host: ControllerHost, hash: string): Promise<DaemonSetState> {
  const pods = await claim({
    client: host.client,
    of: PODS,
    owner: set,
    matches: (pod) => selects(set, pod),
    candidates: host.client
      .list(PODS, set.metadata.namespace)
      .filter((pod) => controllerOf(pod) === undefined || isControlledBy(pod, set)),
  });
  const byNode = new Map<string, KubeObject[]>();
  for (const pod of pods.sort(assignedThenOldest)) {
    if (hasEnded(pod) && pod.metadata.deletionTimestamp !== undefined) continue;
    const node = targetNode(pod);
    byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  return { host, set, hash, nodes: host.client.list(NODES), byNode, now: host.clock.now() };
}

function assignedThenOldest(a: KubeObject, b: KubeObject): number {
  const unassigned = (pod: KubeObject): number => (text(maybe(pod, 'spec'), 'nodeName') === '' ? 1 : 0);
  return (
    unassigned(a) - unassigned(b) ||
    createdAt(a) - createdAt(b) ||
    ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
  );
}

/** Which nodes lack a pod, and which pods have no place; `wait` is when a failed pod may be replaced. */
function placement(state: DaemonSetState, backoff: FailureBackoff): { moves: PodChanges; wait: number | undefined } {
  const { set, nodes, byNode } = state;
  const remove: KubeObject[] = [];
  const start: string[] = [];
  let wait: number | undefined;
  for (const node of nodes) {
    const name = node.metadata.name ?? '';
    const pods = byNode.get(name);
    const { run, stay } = shouldRun(set, node);
    const staying = (pods ?? []).filter((pod) => pod.metadata.deletionTimestamp === undefined);
    if (run && !pods) start.push(name);
    else if (!stay) remove.push(...staying);
    else {
      const ended = endedPods(state, name, staying.filter(hasEnded), backoff);
      wait = sooner(wait, ended.wait);
      const running = staying.filter((pod) => !hasEnded(pod));
      remove.push(...ended.remove, ...surplus(state, running));
      if (maxSurge(set, 1) > 0 && running.length === 0 && run) start.push(name);
    }
  }
  const known = new Set(nodes.map((node) => node.metadata.name));
  for (const [name, pods] of byNode)
    if (!known.has(name)) remove.push(...pods.filter((pod) => text(maybe(pod, 'spec'), 'nodeName') === ''));
  return { moves: { remove, start }, wait };
}

function endedPods(
  { set, host, now }: DaemonSetState,
  node: string,
  pods: readonly KubeObject[],
  backoff: FailureBackoff,
): { remove: KubeObject[]; wait: number | undefined } {
  const remove: KubeObject[] = [];
  for (const pod of pods) {
    const { namespace = '', name = '' } = pod.metadata;
    if (phaseOf(pod) === 'Succeeded') {
      host.client.event(
        set,
        'Normal',
        'SucceededDaemonPod',
        `Found succeeded daemon pod ${namespace}/${name} on node ${node}, will try to delete it`,
        COMPONENT,
      );
    } else {
      const wait = backoff.next(
        `${set.metadata.uid ?? ''}/${count(maybe(set, 'status'), 'observedGeneration')}/${node}`,
        now,
      );
      if (wait > 0) return { remove, wait };
      host.client.event(
        set,
        'Warning',
        'FailedDaemonPod',
        `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`,
        COMPONENT,
      );
    }
    remove.push(pod);
  }
  return { remove, wait: undefined };
}

/** Of several running pods on a node the first stays; with surge, one of each revision until the new one is up. */
function surplus({ set, hash, now }: DaemonSetState, running: readonly KubeObject[]): KubeObject[] {
  if (running.length <= 1) return [];
  if (maxSurge(set, 1) === 0) return running.slice(1);
  const fresh = running.filter((pod) => isUpdated(set, pod, hash));
  const outdated = running.filter((pod) => !isUpdated(set, pod, hash));
  const [oldest] = outdated;
  const done =
    fresh[0] && oldest && (!isReady(oldest) || isAvailable(fresh[0], count(sub(set, 'spec'), 'minReadySeconds'), now));
  return [...fresh.slice(1), ...outdated.slice(1), ...(done ? [oldest] : [])];
}

async function applyChanges(
  { host, set, hash }: DaemonSetState,
  { remove, start }: PodChanges,
): Promise<Error | undefined> {
  const control = { client: host.client, component: COMPONENT };
  const waiting = start.slice(0, BURST);
  const failure = await slowStart(waiting.length, () =>
    createPod(control, daemonPod(set, hash, waiting.shift() ?? ''), set),
  );
  const results = await Promise.allSettled(remove.slice(0, BURST).map((pod) => deletePod(control, pod, set)));
  const failed = results.find((result) => result.status === 'rejected');
  return failure ?? (failed && (failed.reason instanceof Error ? failed.reason : new Error(String(failed.reason))));
}

async function writeStatus({ host, set, hash, nodes, byNode, now }: DaemonSetState, collisions: number): Promise<void> {
  const podsOf = (node: KubeObject): readonly KubeObject[] => byNode.get(node.metadata.name ?? '') ?? [];
  const wanted = nodes.filter((node) => shouldRun(set, node).run);
  const first = wanted.flatMap((node) => podsOf(node).slice(0, 1));
  const available = first.filter((pod) => isAvailable(pod, count(sub(set, 'spec'), 'minReadySeconds'), now)).length;
  const conditions = own(sub(set, 'status'), 'conditions');
  const status: JsonObject = {
    currentNumberScheduled: first.length,
    numberMisscheduled: nodes.filter((node) => !wanted.includes(node) && podsOf(node).length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: first.filter(isReady).length,
    ...countField('observedGeneration', set.metadata.generation ?? 0),
    ...countField('updatedNumberScheduled', first.filter((pod) => isUpdated(set, pod, hash)).length),
    ...countField('numberAvailable', available),
    ...countField('numberUnavailable', wanted.length - available),
    ...countField('collisionCount', collisions),
    ...(conditions === undefined ? {} : { conditions }),
  };
  if (equal(status, set['status'])) return;
  await replaceStatus(host.client, DAEMON_SETS, set, status);
}
