import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { count, flag, has, items, maybe, text } from '../resources/index.js';
import { timestamp } from '../rest/index.js';
import type { ContainerRole, RunningContainer } from './runtime.js';

/** How a container ends whose program could not be started. */
export const START_ERROR = 'StartError';
export const START_ERROR_CODE = 128;

/** What a container is doing, as its status says it. */
export type ContainerPhase =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | {
      readonly kind: 'running';
      readonly id: string;
      readonly startedAt: Date;
      readonly started: boolean;
      readonly ready: boolean;
    }
  | TerminatedState;

export interface TerminatedState {
  readonly kind: 'terminated';
  readonly id: string;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
}

/** A pull under way, or one that failed and is tried again later. */
type Pull =
  | { readonly answer: 'pulling'; readonly until: number; readonly previous?: number }
  | {
      readonly answer: 'failed';
      readonly until: number;
      readonly message: string;
      readonly milliseconds: number;
      readonly visibleUntil: number;
    };

/** A container of a pod, with what the kubelet remembers of it between two syncs. */
export interface Container {
  readonly name: string;
  /** Renewed with each sync of the pod: images may change. */
  spec: JsonObject;
  readonly role: ContainerRole;
  /** `spec.containers{app}`, as Events point at it. */
  readonly fieldPath: string;
  phase: ContainerPhase;
  last: TerminatedState | undefined;
  restarts: number;
  imageId: string;
  image: string;
  handle: RunningContainer | undefined;
  /** Restart back-off: how long, and since when it is as long as that. */
  backOff: { milliseconds: number; since: number } | undefined;
  pull: Pull | undefined;
  /** Events that are recorded once per run. */
  readonly recordedEvents: Set<string>;
  /** Asked to end; its exit is no crash. */
  stopping: boolean;
}

/** The containers of a pod as its last status has them; all containers of a new pod wait. */
export function readContainers(pod: KubeObject): Container[] {
  const spec = maybe(pod, 'spec');
  const status = maybe(pod, 'status');
  const statuses = [...items(status, 'initContainerStatuses'), ...items(status, 'containerStatuses')];
  const read = (container: JsonObject, role: ContainerRole, list: string): Container => {
    const name = text(container, 'name');
    return {
      ...fromStatus(statuses.find((each) => text(each, 'name') === name)),
      name,
      spec: container,
      role,
      fieldPath: `spec.${list}{${name}}`,
      recordedEvents: new Set(),
      handle: undefined,
      pull: undefined,
      stopping: false,
    };
  };
  const inits = items(spec, 'initContainers').map((container) =>
    read(container, text(container, 'restartPolicy') === 'Always' ? 'sidecar' : 'init', 'initContainers'),
  );
  return [...inits, ...items(spec, 'containers').map((container) => read(container, 'app', 'containers'))];
}

function fromStatus(
  status: JsonObject | undefined,
): Pick<Container, 'phase' | 'last' | 'restarts' | 'imageId' | 'image' | 'backOff'> {
  const restarts = count(status, 'restartCount');
  const running = maybe(status, 'state.running');
  const waiting = maybe(status, 'state.waiting');
  const phase: ContainerPhase = running
    ? {
        kind: 'running',
        id: text(status, 'containerID'),
        startedAt: new Date(text(running, 'startedAt')),
        started: flag(status, 'started'),
        ready: flag(status, 'ready'),
      }
    : (ended(maybe(status, 'state.terminated')) ?? {
        kind: 'waiting',
        reason: text(waiting, 'reason'),
        ...(text(waiting, 'message') === '' ? {} : { message: text(waiting, 'message') }),
      });
  const last = ended(maybe(status, 'lastState.terminated'));
  return {
    phase,
    last,
    restarts,
    imageId: text(status, 'imageID'),
    image: text(status, 'image'),
    // The back-off is not stored; it follows from the number of restarts.
    backOff:
      restarts === 0
        ? undefined
        : {
            milliseconds: Math.min(MAX_BACK_OFF, INITIAL_BACK_OFF * 2 ** (restarts - 1)),
            since: (last?.finishedAt ?? new Date(0)).getTime(),
          },
  };
}

export const INITIAL_BACK_OFF = 10_000;
export const MAX_BACK_OFF = 300_000;

function ended(state: JsonObject | undefined): TerminatedState | undefined {
  if (!state) return undefined;
  return {
    kind: 'terminated',
    id: text(state, 'containerID'),
    startedAt: new Date(text(state, 'startedAt')),
    finishedAt: new Date(text(state, 'finishedAt')),
    exitCode: count(state, 'exitCode'),
    reason: text(state, 'reason'),
    ...(text(state, 'message') === '' ? {} : { message: text(state, 'message') }),
  };
}

/** The same for the same run, so that a server that starts again finds what it wrote. */
export function containerId(pod: KubeObject, container: string, attempt: number): string {
  return `containerd://${createHash('sha256')
    .update(`${pod.metadata.uid ?? ''}/${container}/${attempt}`)
    .digest('hex')}`;
}

/** The status of one container, as the API has it. */
export function containerStatus({ name, spec, role, phase, last, restarts, imageId, image }: Container): JsonObject {
  const isReady =
    role === 'init' ? phase.kind === 'terminated' && phase.exitCode === 0 : phase.kind === 'running' && phase.ready;
  const mounts = items(spec, 'volumeMounts').map((mount) => ({
    name: text(mount, 'name'),
    mountPath: text(mount, 'mountPath'),
    ...(flag(mount, 'readOnly') ? { readOnly: true, recursiveReadOnly: 'Disabled' } : {}),
  }));
  const resources = maybe(spec, 'resources') ?? {};
  const containerID = phase.kind === 'waiting' ? last?.id : phase.id;
  return {
    name,
    state: stateOf(phase),
    lastState: last === undefined ? {} : stateOf(last),
    ready: isReady,
    restartCount: restarts,
    image: image === '' ? text(spec, 'image') : image,
    imageID: imageId,
    ...(containerID === undefined ? {} : { containerID }),
    started: phase.kind === 'running' && phase.started,
    ...(isObject(resources['requests']) ? { allocatedResources: resources['requests'] } : {}),
    ...(has(resources, 'requests') || has(resources, 'limits') ? { resources } : { resources: {} }),
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

function stateOf(phase: ContainerPhase): JsonObject {
  switch (phase.kind) {
    case 'waiting':
      return {
        waiting: {
          ...(phase.reason === '' ? {} : { reason: phase.reason }),
          ...(phase.message === undefined ? {} : { message: phase.message }),
        },
      };
    case 'running':
      return { running: { startedAt: timestamp(phase.startedAt) } };
    case 'terminated':
      return {
        terminated: {
          exitCode: phase.exitCode,
          ...(phase.reason === '' ? {} : { reason: phase.reason }),
          ...(phase.message === undefined ? {} : { message: phase.message }),
          startedAt: timestamp(phase.startedAt),
          finishedAt: timestamp(phase.finishedAt),
          containerID: phase.id,
        },
      };
    default:
      return phase satisfies never;
  }
}
