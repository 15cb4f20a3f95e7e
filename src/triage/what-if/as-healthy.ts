import { type Json, type JsonObject, isObject, numberAt, objectAt, objectsAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { textAt } from '../json/index.js';

/** The phase in which an object is done, by its kind. */
const DONE_PHASES: Readonly<Record<string, string>> = {
  PersistentVolumeClaim: 'Bound',
  PersistentVolume: 'Bound',
  Build: 'Complete',
  NotebookValidationJob: 'Succeeded',
  Namespace: 'Active',
  ClusterServiceVersion: 'Succeeded',
};

/** An object after its controller reconciled it without errors. Rules may still find mistakes in its spec. */
export function asHealthy(object: KubeObject, time: number): KubeObject {
  const status = statusOf(object, new Date(time).toISOString());
  return {
    ...object,
    metadata: { ...object.metadata, creationTimestamp: new Date(time).toISOString() },
    ...(status === undefined ? {} : { status }),
  };
}

function statusOf(object: KubeObject, now: string): JsonObject | undefined {
  const { kind } = object;
  const generation = numberAt(object, 'metadata', 'generation') ?? 1;
  const wanted = numberAt(object, 'spec', 'replicas') ?? 1;
  if (kind === 'Application') return applicationStatus(object);
  if (kind === 'Pod') return podStatus(object, now);
  if (['Deployment', 'ReplicaSet', 'StatefulSet'].includes(kind)) {
    return {
      observedGeneration: generation,
      replicas: wanted,
      readyReplicas: wanted,
      updatedReplicas: wanted,
      availableReplicas: wanted,
      conditions: [
        condition('Available', now),
        { ...condition('Progressing', now), reason: 'NewReplicaSetAvailable', lastUpdateTime: now },
      ],
    };
  }
  if (kind === 'DaemonSet') {
    const nodes = numberAt(object, 'status', 'desiredNumberScheduled') ?? 0;
    return {
      observedGeneration: generation,
      desiredNumberScheduled: nodes,
      numberReady: nodes,
      updatedNumberScheduled: nodes,
      numberAvailable: nodes,
    };
  }
  if (kind === 'Job') return { succeeded: 1, conditions: [condition('Complete', now)] };
  if (object.status === undefined) return undefined;
  const phase = Object.hasOwn(DONE_PHASES, kind) ? DONE_PHASES[kind] : undefined;
  const conditions = objectsAt(object, 'status', 'conditions').map(
    (each): JsonObject => ({
      ...each,
      status: isGood(textAt(each, 'type')) ? 'True' : 'False',
      reason: 'LookedAgain',
      message: '',
      lastTransitionTime: now,
    }),
  );
  return {
    ...kept(object.status),
    observedGeneration: generation,
    ...(phase === undefined ? {} : { phase }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** What stays true whatever happens: results and messages do not. */
function kept(status: Json | undefined): JsonObject {
  if (!isObject(status)) return {};
  return Object.fromEntries(
    Object.entries(status).filter(([name]) =>
      [
        'allocatable',
        'capacity',
        'nodeInfo',
        'addresses',
        'volumesInUse',
        'volumesAttached',
        'latestImages',
        'tags',
        'names',
        'acceptedNames',
        'storedVersions',
      ].includes(name),
    ),
  );
}

const BAD_WHEN_TRUE = new RegExp(
  'Pressure|Unavailable|Fail|Error|Degraded|Unhealthy|Remaining|Terminat|NonStructural|' +
    'Stopped|Paused|Stalled|Invalid',
  'i',
);

/** Conditions that are True where something is wrong. */
function isGood(type: string): boolean {
  return !BAD_WHEN_TRUE.test(type);
}

function condition(type: string, now: string): JsonObject {
  return { type, status: 'True', reason: 'LookedAgain', message: '', lastTransitionTime: now };
}

function podStatus(object: KubeObject, now: string): JsonObject {
  const ran = (list: string, isInit: boolean): JsonObject[] =>
    objectsAt(object, 'spec', list).map((container) => ({
      name: textAt(container, 'name'),
      image: textAt(container, 'image'),
      ready: true,
      restartCount: 0,
      started: true,
      state: isInit ? { terminated: { exitCode: 0, reason: 'Completed' } } : { running: { startedAt: now } },
    }));
  return {
    phase: 'Running',
    startTime: now,
    conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => condition(type, now)),
    containerStatuses: ran('containers', false),
    initContainerStatuses: ran('initContainers', true),
  };
}

function applicationStatus(object: KubeObject): JsonObject {
  const resources = objectsAt(object, 'status', 'resources').map(
    (resource): JsonObject => ({
      ...resource,
      status: 'Synced',
      ...(resource.health === undefined ? {} : { health: { status: 'Healthy' } }),
    }),
  );
  const history = objectAt(object, 'status')?.history;
  return {
    ...(history === undefined ? {} : { history }),
    reconciledAt: textAt(object, 'status', 'reconciledAt'),
    sourceType: textAt(object, 'status', 'sourceType'),
    sync: { ...objectAt(object, 'status', 'sync'), status: 'Synced' },
    health: { status: 'Healthy' },
    resources,
  };
}
