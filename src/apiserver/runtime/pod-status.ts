import { equal, own, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { items, maybe, text } from '../resources/index.js';
import { containerStatus, type Container } from './container-state.js';
import { phaseOf } from './pod-phase.js';

/** What the kubelet knows of a pod beyond its containers. */
export interface PodRuntimeState {
  readonly startTime: string;
  readonly hostIp: string;
  /** Empty until the pod's network is there. */
  readonly podIp: string;
  readonly sandboxReady: boolean;
  /** No container is started any more. */
  readonly over: boolean;
  /** Why the pod failed for a reason that is not a container's. */
  readonly failure?: { readonly reason: string; readonly message: string };
  /** Walls that this machine does not give its processes. */
  readonly missingWalls: readonly string[];
}

/** Whether the processes of a pod are behind all walls; only pods that are not say it. */
const CONFINED = 'argosy.dev/Confined';
const OURS = [CONFINED, 'PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

/** The whole status of a pod, from the containers as they are; times of conditions that did not change stay. */
export function podStatus(
  pod: KubeObject,
  containers: readonly Container[],
  about: PodRuntimeState,
  now: string,
): JsonObject {
  const old = maybe(pod, 'status') ?? {};
  const policy = text(maybe(pod, 'spec'), 'restartPolicy');
  const phase = about.failure ? 'Failed' : phaseOf(containers, policy, about.over);
  const inits = containers.filter(({ role }) => role !== 'app').map(containerStatus);
  const apps = containers.filter(({ role }) => role === 'app').map(containerStatus);
  const addresses = about.podIp === '' ? {} : { podIP: about.podIp, podIPs: [{ ip: about.podIp }] };
  const hosts = about.hostIp === '' ? {} : { hostIP: about.hostIp, hostIPs: [{ ip: about.hostIp }] };
  const kept = Object.fromEntries(
    ['qosClass', 'resize', 'ephemeralContainerStatuses', 'resourceClaimStatuses'].flatMap((key) => {
      const value = own(old, key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
  return {
    observedGeneration: pod.metadata.generation ?? 1,
    phase,
    conditions: conditionsOf(pod, containers, about, phase, now),
    ...(about.failure ?? keptReason(old, phase)),
    ...hosts,
    ...addresses,
    startTime: about.startTime,
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits }),
    containerStatuses: apps,
    ...kept,
  };
}

function keptReason(old: JsonObject, phase: string): JsonObject {
  if (text(old, 'phase') !== phase) return {};
  return Object.fromEntries(
    ['reason', 'message'].flatMap((key) => (text(old, key) === '' ? [] : [[key, text(old, key)]])),
  );
}

interface ConditionValue {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

function conditionsOf(
  pod: KubeObject,
  containers: readonly Container[],
  about: PodRuntimeState,
  phase: string,
  now: string,
): JsonObject[] {
  const old = items(maybe(pod, 'status'), 'conditions');
  const others = old.filter((condition) => !OURS.includes(text(condition, 'type')));
  const containersReady = readiness(containers, phase);
  const conditions: [string, ConditionValue][] = [
    [
      'PodReadyToStartContainers',
      { status: about.sandboxReady && phase !== 'Succeeded' && phase !== 'Failed' ? 'True' : 'False' },
    ],
    ['Initialized', initialized(containers, phase)],
    ['Ready', containersReady.status === 'True' ? gates(pod, others) : containersReady],
    ['ContainersReady', containersReady],
    ['PodScheduled', { status: 'True' }],
    ...confinement(about.missingWalls),
  ];
  return [...others, ...conditions.map(([type, value]) => condition(pod, old, type, value, now))];
}

function confinement(missing: readonly string[]): [string, ConditionValue][] {
  if (missing.length === 0) return [];
  const message = `the processes of this pod run on this machine without ${missing.join('; ')}`;
  return [[CONFINED, { status: 'False', reason: 'WallsMissing', message }]];
}

function condition(
  pod: KubeObject,
  old: readonly JsonObject[],
  type: string,
  { status, reason, message }: ConditionValue,
  now: string,
): JsonObject {
  const before = old.find((each) => text(each, 'type') === type);
  const since = before && text(before, 'status') === status ? (before['lastTransitionTime'] ?? now) : now;
  const next: JsonObject = {
    type,
    observedGeneration: pod.metadata.generation ?? 1,
    status,
    lastProbeTime: null,
    lastTransitionTime: since,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
  return before && equal(before, next) ? before : next;
}

function readiness(containers: readonly Container[], phase: string): ConditionValue {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const unready = containers
    .filter(({ role, phase: each }) => role !== 'init' && !(each.kind === 'running' && each.ready))
    .map(({ name }) => name);
  if (unready.length === 0) return { status: 'True' };
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
}

function initialized(containers: readonly Container[], phase: string): ConditionValue {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  if (
    containers.some(({ role, phase: each, last }) => role === 'app' && (each.kind !== 'waiting' || last !== undefined))
  )
    return { status: 'True' };
  const incomplete = containers.filter(
    ({ role, phase: each }) =>
      (role === 'init' && !(each.kind === 'terminated' && each.exitCode === 0)) ||
      (role === 'sidecar' && !(each.kind === 'running' && each.started)),
  );
  if (incomplete.length === 0) return { status: 'True' };
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${incomplete.map(({ name }) => name).join(' ')}]`,
  };
}

/** Readiness gates: conditions that others set and the pod waits for. */
function gates(pod: KubeObject, conditions: readonly JsonObject[]): ConditionValue {
  const messages = items(maybe(pod, 'spec'), 'readinessGates').flatMap((gate) => {
    const type = text(gate, 'conditionType');
    const found = conditions.find((each) => text(each, 'type') === type);
    if (!found) return [`corresponding condition of pod readiness gate ${JSON.stringify(type)} does not exist.`];
    return text(found, 'status') === 'True'
      ? []
      : [`the status of pod readiness gate ${JSON.stringify(type)} is not "True", but ${text(found, 'status')}`];
  });
  return messages.length === 0
    ? { status: 'True' }
    : { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}
