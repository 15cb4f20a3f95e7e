import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { UNNAMED } from '../graph/index.js';
import { entryOf } from '../json/index.js';
import type { PrintedEvent } from './printed-facts.js';

/** Kinds of which an event alone says enough to look for a cause, and what is known of one that has such an event. */
const KINDS: Readonly<
  Record<string, { readonly apiVersion: string; make(event: PrintedEvent): JsonObject | undefined }>
> = {
  Pod: { apiVersion: 'v1', make: podOf },
  ReplicaSet: { apiVersion: 'apps/v1', make: refusedOf },
  StatefulSet: { apiVersion: 'apps/v1', make: refusedOf },
  Job: { apiVersion: 'batch/v1', make: () => undefined },
  PersistentVolumeClaim: {
    apiVersion: 'v1',
    make: ({ reason }) =>
      /^ProvisioningFailed$|^FailedBinding$/.test(reason) ? { spec: {}, status: { phase: 'Pending' } } : undefined,
  },
};

/** Whose presence in a text says that objects of a kind which are not in it are gone: events are kept for an hour. */
const LISTED_WITH: Readonly<Record<string, readonly string[]>> = {
  Pod: ['Pod'],
  ReplicaSet: ['ReplicaSet', 'Deployment', 'Pod'],
  StatefulSet: ['StatefulSet', 'Pod'],
  PersistentVolumeClaim: ['PersistentVolumeClaim'],
};

/** Somebody pasted events and nothing else: the objects in trouble, as far as the latest event of each says. */
export function stubsOf(events: readonly PrintedEvent[], objects: readonly KubeObject[]): KubeObject[] {
  const listed = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace ?? ''}`));
  const isListed = ({ kind, namespace }: PrintedEvent['about']): boolean =>
    (entryOf(LISTED_WITH, kind) ?? []).some((each) => listed.has(`${each}/${namespace}`));
  const latest = new Map<string, PrintedEvent>();
  for (const event of events) {
    const { kind, namespace, name } = event.about;
    const id = idOf(kind, namespace, name);
    const before = latest.get(id);
    if (!isListed(event.about) && (before === undefined || (event.age ?? 0) <= (before.age ?? 0)))
      latest.set(id, event);
  }
  return [...latest.values()].flatMap((event): KubeObject[] => {
    const { kind, namespace, name } = event.about;
    const listed = event.type === 'Warning' ? entryOf(KINDS, kind) : undefined;
    const made = listed?.make(event);
    return listed === undefined || made === undefined || name === ''
      ? []
      : [
          {
            apiVersion: listed.apiVersion,
            kind,
            metadata: { name, ...(namespace === '' ? {} : { namespace }) },
            ...made,
            unseen: ['metadata.labels', 'spec.template'],
          },
        ];
  });
}

const idOf = (kind: string, namespace: string, name: string): string => `${kind}/${namespace}/${name}`;

function refusedOf({ reason }: PrintedEvent): JsonObject | undefined {
  return reason === 'FailedCreate' ? { spec: { replicas: 1 }, status: { replicas: 0 } } : undefined;
}

interface PodState {
  readonly reason: RegExp;
  readonly message?: RegExp;
  /** What a container waits for; empty while it runs. */
  readonly waiting: string;
  readonly isCreated: boolean;
}

const STATES: readonly PodState[] = [
  { reason: /^BackOff$/, message: /restarting failed container/, waiting: 'CrashLoopBackOff', isCreated: true },
  { reason: /^(?:BackOff|Failed|ErrImagePull)$/, message: /pull/i, waiting: 'ImagePullBackOff', isCreated: false },
  { reason: /^Failed$/, message: /secret|configmap|key/i, waiting: 'CreateContainerConfigError', isCreated: false },
  { reason: /^Failed$/, waiting: 'CreateContainerError', isCreated: false },
  {
    reason: /^Failed(?:Mount|AttachVolume|CreatePodSandBox|MapVolume)$/,
    waiting: 'ContainerCreating',
    isCreated: false,
  },
  { reason: /^Unhealthy$/, message: /^(?:Readiness|Startup)/, waiting: '', isCreated: true },
];

function podOf({ reason, message }: PrintedEvent): JsonObject | undefined {
  if (reason === 'FailedScheduling')
    return {
      spec: { containers: [{ name: UNNAMED }] },
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
      },
    };
  const state = STATES.find(
    (each) => each.reason.test(reason) && (each.message === undefined || each.message.test(message)),
  );
  if (state === undefined) return undefined;
  return {
    spec: { containers: [{ name: UNNAMED }] },
    status: {
      phase: state.isCreated ? 'Running' : 'Pending',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: 'False' },
      ],
      containerStatuses: [
        {
          name: UNNAMED,
          ready: false,
          state: state.waiting === '' ? { running: {} } : { waiting: { reason: state.waiting } },
        },
      ],
    },
  };
}

/** What events call the containers of a pod. */
const NAMES: readonly RegExp[] = [
  /(?:Created|Started|Stopping) container:? "?([a-z0-9][-a-z0-9]*)/,
  /failed container[= ]"?([a-z0-9][-a-z0-9]*)"?(?: in pod| pod=|$)/,
  /Container ([a-z0-9][-a-z0-9]*) failed (?:liveness|startup) probe/,
];

/** A table does not print the name of a container; where events do, and name one alone, it is that one. */
export function namedByEvents(objects: readonly KubeObject[], events: readonly PrintedEvent[]): KubeObject[] {
  const names = new Map<string, Set<string>>();
  for (const { about, message } of events) {
    const name = NAMES.map((test) => test.exec(message)?.[1]).find((each) => each !== undefined);
    if (about.kind !== 'Pod' || name === undefined) continue;
    const id = idOf('Pod', about.namespace, about.name);
    names.set(id, (names.get(id) ?? new Set()).add(name));
  }
  return objects.map((object) => {
    const known = names.get(idOf(object.kind, object.metadata.namespace ?? '', object.metadata.name ?? ''));
    const [name] = known ?? [];
    return name === undefined || known?.size !== 1 ? object : (renamed(object, name) as KubeObject);
  });
}

function renamed(object: JsonObject, name: string): JsonObject {
  return JSON.parse(JSON.stringify(object), (key, value: unknown) =>
    key === 'name' && value === UNNAMED ? name : value,
  ) as JsonObject;
}
