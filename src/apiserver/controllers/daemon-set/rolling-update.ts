import { own } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { count, sub, text } from '../../resources/index.js';
import { scaledValue } from '../common/int-or-percent.js';
import { isAvailable } from '../common/pod-conditions.js';
import { isUpdated, shouldRun } from './daemon-pod.js';
import type { DaemonSetState } from './daemon-set-state.js';

/** What to do next: pods to delete, and nodes to start a pod on. */
export interface PodChanges {
  readonly remove: readonly KubeObject[];
  readonly start: readonly string[];
}

const NO_CHANGES: PodChanges = { remove: [], start: [] };

export function maxSurge(set: KubeObject, nodes: number): number {
  const strategy = sub(set, 'spec.updateStrategy');
  return text(strategy, 'type') === 'RollingUpdate'
    ? scaledValue(own(sub(strategy, 'rollingUpdate'), 'maxSurge'), nodes, 'up')
    : 0;
}

/** The next replacements of outdated pods, as many as may be missing or extra at a time. */
export function nextUpdate(state: DaemonSetState): PodChanges {
  const { set, nodes } = state;
  const strategy = sub(set, 'spec.updateStrategy');
  if (text(strategy, 'type') !== 'RollingUpdate') return NO_CHANGES;
  const wanted = nodes.filter((node) => shouldRun(set, node).run).length;
  const surge = maxSurge(set, wanted);
  const unavailable = scaledValue(own(sub(strategy, 'rollingUpdate'), 'maxUnavailable'), wanted, 'up');
  return surge > 0 ? withSurge(state, surge, wanted) : withoutSurge(state, Math.max(unavailable, wanted > 0 ? 1 : 0));
}

interface OnNode {
  readonly fresh: KubeObject | undefined;
  readonly outdated: KubeObject | undefined;
}

/** The pods of one node by revision; undefined where there are two of a kind. */
function split({ set, hash }: DaemonSetState, pods: readonly KubeObject[]): OnNode | undefined {
  const staying = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const fresh = staying.filter((pod) => isUpdated(set, pod, hash));
  const outdated = staying.filter((pod) => !isUpdated(set, pod, hash));
  return fresh.length > 1 || outdated.length > 1 ? undefined : { fresh: fresh[0], outdated: outdated[0] };
}

function isUp({ set, now }: DaemonSetState, pod: KubeObject): boolean {
  return isAvailable(pod, count(sub(set, 'spec'), 'minReadySeconds'), now);
}

/** Nodes with pods, and nodes that should have one. */
function podsByNode({ set, nodes, byNode }: DaemonSetState): Map<string, readonly KubeObject[]> {
  const all = new Map<string, readonly KubeObject[]>(byNode);
  for (const node of nodes)
    if (shouldRun(set, node).run && !all.has(node.metadata.name ?? '')) all.set(node.metadata.name ?? '', []);
  return all;
}

function withoutSurge(state: DaemonSetState, maxUnavailable: number): PodChanges {
  let unavailable = 0;
  const broken: KubeObject[] = [];
  const candidates: KubeObject[] = [];
  for (const pods of podsByNode(state).values()) {
    const { fresh, outdated } = split(state, pods) ?? { fresh: undefined, outdated: undefined };
    if ((fresh === undefined) === (outdated === undefined)) unavailable++;
    else if (fresh) unavailable += isUp(state, fresh) ? 0 : 1;
    else if (outdated && !isUp(state, outdated)) {
      broken.push(outdated);
      unavailable++;
    } else if (outdated) candidates.push(outdated);
  }
  return { remove: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))], start: [] };
}

function withSurge(state: DaemonSetState, surge: number, wanted: number): PodChanges {
  const { set, nodes } = state;
  let surging = 0;
  let available = 0;
  const remove: KubeObject[] = [];
  const misplaced: KubeObject[] = [];
  const start: string[] = [];
  const candidates: string[] = [];
  for (const [name, pods] of podsByNode(state)) {
    const found = split(state, pods);
    const first = found?.outdated ?? found?.fresh;
    if (first && isUp(state, first)) available++;
    const node = nodes.find((each) => each.metadata.name === name);
    if (!found) surging++;
    else if (found.outdated && found.fresh) {
      if (isUp(state, found.fresh)) remove.push(found.outdated);
      else surging++;
    } else if (found.outdated) {
      const stays = node !== undefined && shouldRun(set, node).run;
      const up = isUp(state, found.outdated);
      if (stays) (up ? candidates : start).push(name);
      else (up ? misplaced : remove).push(found.outdated);
    }
  }
  return {
    remove: [...remove, ...misplaced.slice(0, Math.max(0, available - wanted))],
    start: [...start, ...candidates.slice(0, Math.max(0, surge - surging))],
  };
}
