import { type Json, type JsonObject, isArray, isObject, own, put } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';

const NOW = '2026-01-01T12:00:00Z';
const BEGAN = '2026-01-01T11:50:00Z';
const NODE = 'node-1';

/** What was there of one fault: its manifests, what the controllers make of them, and what the kubelet said. */
export function recordedDump(fault: string, manifests: readonly KubeObject[], said: readonly string[]): KubeObject[] {
  const namespace = `f-${fault}`;
  const stamped = manifests.map((object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      ...(/^(?:StorageClass|RuntimeClass)$/.test(object.kind) ? {} : { namespace }),
      creationTimestamp: BEGAN,
      uid: `uid-${object.kind}`,
    },
  }));
  const workload = stamped.find(({ kind }) => kind === 'Deployment' || kind === 'Job');
  const set = workload?.kind === 'Deployment' ? setOf(workload, fault) : undefined;
  const pod = workload === undefined ? undefined : podOf(set ?? workload, fault, said);
  const made = [workload, set, pod].filter((each) => each !== undefined);
  const isPlain = (each: KubeObject): boolean => each !== workload;
  return [
    ...stamped.filter(isPlain).map((each) => (each.kind === 'PersistentVolumeClaim' ? pending(each) : each)),
    ...made.map((each) => (each === pod ? each : { ...each, status: workloadStatus(each, said) })),
    namespaceOf(namespace),
    nodeObject(),
    ...said.flatMap((line, index) => eventOf(line, index, namespace, [...stamped, ...made])),
  ];
}

const namespaceOf = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

function nodeObject(): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: NODE, labels: { 'kubernetes.io/os': 'linux' }, creationTimestamp: BEGAN },
    spec: {},
    status: {
      allocatable: { cpu: '2', memory: '8Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: NOW, lastTransitionTime: BEGAN }],
    },
  };
}

function ownedBy({ apiVersion, kind, metadata }: KubeObject): KubeObject['metadata']['ownerReferences'] {
  return [{ apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '', controller: true }];
}

function setOf(deployment: KubeObject, fault: string): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${fault}-7d9c8b6f5`,
      namespace: `f-${fault}`,
      uid: 'uid-ReplicaSet',
      creationTimestamp: BEGAN,
      ownerReferences: ownedBy(deployment) ?? [],
    },
    spec: { ...objectIn(deployment, 'spec'), replicas: 1 },
  };
}

/** Where the recording has nothing of a pod there was none: it was refused. */
function podOf(maker: KubeObject, fault: string, said: readonly string[]): KubeObject | undefined {
  if (!said.some((line) => /^(?:STATE|COND|POD|EVENT Pod) /.test(line))) return undefined;
  const template = objectIn(objectIn(maker, 'spec'), 'template');
  const spec = objectIn(template, 'spec');
  const isPlaced = !said.some((line) => line.startsWith('COND PodScheduled=False'));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${maker.metadata.name ?? fault}-x2k9v`,
      namespace: `f-${fault}`,
      uid: 'uid-Pod',
      creationTimestamp: BEGAN,
      ...(own(template, 'metadata') === undefined ? {} : { labels: objectIn(template, 'metadata')['labels'] as never }),
      ownerReferences: ownedBy(maker) ?? [],
    },
    spec: { ...spec, ...(isPlaced ? { nodeName: NODE } : {}) },
    status: podStatus(spec, said),
  };
}

const STATE = /^(STATE|LASTSTATE) (\w+) (\S+) exit=(\S+): ([\s\S]*)$/;

function podStatus(spec: JsonObject, said: readonly string[]): JsonObject {
  const conditions = said.flatMap((line): JsonObject[] => {
    const [, type, status, reason, message] = /^COND (\w+)=(\w+) (\S+): ([\s\S]*)$/.exec(line) ?? [];
    return type === undefined
      ? []
      : [
          {
            type,
            status: status ?? '',
            reason: reason === 'None' ? '' : (reason ?? ''),
            message: message ?? '',
            lastTransitionTime: BEGAN,
          },
        ];
  });
  const [, phase = '', reason = '', message = ''] =
    said.map((line) => /^POD (\w+) (\S+): ([\s\S]*)$/.exec(line)).find((match) => match !== null) ?? [];
  const isInit = said.some((line) => line.includes('waiting PodInitializing'));
  const state = said.some((line) => line.startsWith('STATE waiting')) && !said.some((line) => / running /.test(line));
  const usual = isInit || said.some((line) => /waiting (?:ContainerCreating|Create|Err|Image|Invalid)/.test(line));
  return {
    phase:
      phase || (conditions.some(({ type }) => type === 'PodScheduled') || (usual && state) ? 'Pending' : 'Running'),
    ...(reason === '' ? {} : { reason, message }),
    startTime: BEGAN,
    conditions,
    ...(conditions.some(({ type }) => type === 'PodScheduled') ? {} : statuses(spec, said, isInit)),
  };
}

function statuses(spec: JsonObject, said: readonly string[], isInit: boolean): JsonObject {
  const state: JsonObject = {};
  const lastState: JsonObject = {};
  for (const line of said) {
    const [, which, kind = '', reason = '', exit = '', message = ''] = STATE.exec(line) ?? [];
    if (which === undefined || reason === 'PodInitializing') continue;
    const at: JsonObject = { reason, message, ...(exit === 'None' ? {} : { exitCode: Number(exit), finishedAt: NOW }) };
    put(which === 'STATE' ? state : lastState, kind, at);
  }
  if (Object.keys(state).length === 0) state['running'] = { startedAt: BEGAN };
  const one = (name: string, isRunning: boolean): JsonObject => ({
    name,
    ready: false,
    restartCount: Object.keys(lastState).length > 0 || said.some((line) => line.includes('BackOff [')) ? 5 : 0,
    state: isRunning ? state : { waiting: { reason: 'PodInitializing' } },
    lastState: isRunning ? lastState : {},
  });
  const named = (field: string): string[] => {
    const list = own(spec, field);
    return isArray(list) ? list.filter(isObject).map((each) => String(own(each, 'name'))) : [];
  };
  return {
    ...(isInit ? { initContainerStatuses: named('initContainers').map((name) => one(name, true)) } : {}),
    containerStatuses: named('containers').map((name) => one(name, !isInit)),
  };
}

function workloadStatus({ kind }: KubeObject, said: readonly string[]): JsonObject {
  if (kind === 'Job') {
    const failed = said.map((line) => /^EVENT Job Warning (\w+) \S+: (.*)$/.exec(line)).find((match) => match !== null);
    const [, reason = '', message = ''] = failed ?? [];
    return failed === undefined
      ? { active: 1 }
      : { failed: 1, conditions: [{ type: 'Failed', status: 'True', reason, message, lastTransitionTime: NOW }] };
  }
  return { replicas: said.some((line) => line.startsWith('EVENT Pod')) ? 1 : 0, readyReplicas: 0, updatedReplicas: 1 };
}

const pending = (claim: KubeObject): KubeObject => ({ ...claim, status: { phase: 'Pending' } });

function eventOf(line: string, index: number, namespace: string, objects: readonly KubeObject[]): KubeObject[] {
  const [, kind, type = '', reason = '', source = '', message = ''] =
    /^EVENT (\w+) (\w+) (\S+) \[([^\]]*)\]: ([\s\S]*)$/.exec(line) ?? [];
  const about = objects.find((each) => each.kind === kind);
  if (kind === undefined || about === undefined) return [];
  return [
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `event-${index}`, namespace },
      involvedObject: { kind, namespace, name: about.metadata.name ?? '', uid: about.metadata.uid ?? '' },
      type,
      reason,
      message,
      source: { component: source },
      count: 4,
      lastTimestamp: NOW,
    },
  ];
}

function objectIn(value: Json, key: string): JsonObject {
  const found = isObject(value) ? own(value, key) : undefined;
  return isObject(found) ? found : {};
}
