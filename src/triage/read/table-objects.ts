import { type JsonObject, put } from '../../model/json/index.js';
import { subsetsOf } from './printed-endpoints.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { UNNAMED } from '../graph/index.js';
import { entryOf } from '../json/index.js';
import { ageIn, timesIn } from './printed-ages.js';
import { cell, numberIn, rowsOf, type Row } from './table-rows.js';
import type { PrintedEvent, PrintedObject, TextFacts } from './printed-facts.js';

interface Listed {
  readonly apiVersion: string;
  readonly kind: string;
  /** Headings that together only this kind has. */
  readonly has: readonly string[];
  make(row: Row): JsonObject;
}

const only = (phase: string): JsonObject => ({ status: { phase } });
const ready = (row: Row, reason = cell(row, 'STATUS')): JsonObject => ({
  status: { conditions: cell(row, 'READY') === '' ? [] : [{ type: 'Ready', status: cell(row, 'READY'), reason }] },
});
const ESO = 'external-secrets.io/v1';

/** The kind of a table, by its headings; the first match. Tables of other kinds contain too little. */
const KINDS: readonly Listed[] = [
  { apiVersion: 'v1', kind: 'Pod', has: ['READY', 'STATUS', 'RESTARTS'], make: podOf },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    has: ['DESIRED', 'CURRENT', 'READY', 'AVAILABLE', 'NODE SELECTOR'],
    make: (row) => ({
      spec: {},
      status: {
        desiredNumberScheduled: numberIn(row, 'DESIRED'),
        currentNumberScheduled: numberIn(row, 'CURRENT'),
        numberReady: numberIn(row, 'READY'),
        numberAvailable: numberIn(row, 'AVAILABLE'),
        updatedNumberScheduled: numberIn(row, 'UP-TO-DATE'),
      },
    }),
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    has: ['DESIRED', 'CURRENT', 'READY'],
    make: (row) => ({
      spec: { replicas: numberIn(row, 'DESIRED'), ...selectorOf(row) },
      status: {
        replicas: numberIn(row, 'CURRENT'),
        readyReplicas: numberIn(row, 'READY'),
        availableReplicas: numberIn(row, 'READY'),
      },
    }),
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    has: ['READY', 'UP-TO-DATE', 'AVAILABLE'],
    make: (row) => ({
      spec: { replicas: ofMany(row).wanted, ...selectorOf(row), ...templateOf(row) },
      status: {
        replicas: ofMany(row).wanted,
        readyReplicas: ofMany(row).ready,
        availableReplicas: numberIn(row, 'AVAILABLE'),
        updatedReplicas: numberIn(row, 'UP-TO-DATE'),
      },
    }),
  },
  { apiVersion: 'v1', kind: 'Node', has: ['STATUS', 'ROLES', 'VERSION'], make: nodeOf },
  { apiVersion: 'v1', kind: 'PersistentVolume', has: ['CAPACITY', 'RECLAIM POLICY', 'CLAIM'], make: volumeOf },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    has: ['STATUS', 'VOLUME', 'STORAGECLASS'],
    make: (row) => ({
      spec: { storageClassName: cell(row, 'STORAGECLASS'), volumeName: cell(row, 'VOLUME') },
      ...only(cell(row, 'STATUS')),
    }),
  },
  { apiVersion: 'v1', kind: 'Service', has: ['TYPE', 'CLUSTER-IP', 'PORT(S)'], make: serviceOf },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    has: ['SCHEDULE', 'SUSPEND'],
    make: (row) => ({
      spec: { schedule: cell(row, 'SCHEDULE'), suspend: cell(row, 'SUSPEND') === 'True' },
      status: {},
    }),
  },
  { apiVersion: 'batch/v1', kind: 'Job', has: ['COMPLETIONS', 'DURATION'], make: jobOf },
  { apiVersion: 'v1', kind: 'Endpoints', has: ['NAME', 'ENDPOINTS'], make: endpointsOf },
  { apiVersion: 'v1', kind: 'ResourceQuota', has: ['REQUEST', 'LIMIT'], make: quotaOf },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    has: ['CLASS', 'HOSTS'],
    make: (row) => ({ spec: cell(row, 'CLASS') === '' ? {} : { ingressClassName: cell(row, 'CLASS') }, status: {} }),
  },
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', has: ['REFERENCE', 'TARGETS'], make: autoscalerOf },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    has: ['PROVISIONER', 'VOLUMEBINDINGMODE'],
    make: (row) => ({ provisioner: cell(row, 'PROVISIONER'), volumeBindingMode: cell(row, 'VOLUMEBINDINGMODE') }),
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    has: ['SYNC STATUS', 'HEALTH STATUS'],
    make: (row) => ({
      spec: {},
      status: {
        sync: { status: cell(row, 'SYNC STATUS'), revision: cell(row, 'REVISION') },
        health: { status: cell(row, 'HEALTH STATUS') },
      },
    }),
  },
  {
    apiVersion: ESO,
    kind: 'ExternalSecret',
    has: ['STORE', 'REFRESH INTERVAL', 'READY'],
    make: (row) => ({
      spec: { secretStoreRef: { kind: cell(row, 'STORETYPE') || 'SecretStore', name: cell(row, 'STORE') } },
      ...ready(row),
    }),
  },
  {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    has: ['READY', 'SECRET'],
    make: (row) => ({
      spec: {
        secretName: cell(row, 'SECRET'),
        ...(cell(row, 'ISSUER') === '' ? {} : { issuerRef: { name: cell(row, 'ISSUER') } }),
      },
      ...ready(row, ''),
    }),
  },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', has: ['READY', 'CONTAINERS'], make: statefulSetOf },
  { apiVersion: 'v1', kind: 'ServiceAccount', has: ['SECRETS', 'AGE'], make: () => ({}) },
  { apiVersion: 'v1', kind: 'Secret', has: ['TYPE', 'DATA', 'AGE'], make: (row) => ({ type: cell(row, 'TYPE') }) },
  { apiVersion: 'v1', kind: 'ConfigMap', has: ['DATA', 'AGE'], make: () => ({}) },
  { apiVersion: 'v1', kind: 'Namespace', has: ['STATUS', 'AGE'], make: (row) => only(cell(row, 'STATUS')) },
];

/** Kinds as `kubectl get all` and the object column of events abbreviate them. */
const NAMES: Readonly<Record<string, string>> = {
  pod: 'Pod',
  replicaset: 'ReplicaSet',
  deployment: 'Deployment',
  statefulset: 'StatefulSet',
  daemonset: 'DaemonSet',
  job: 'Job',
  cronjob: 'CronJob',
  node: 'Node',
  service: 'Service',
  persistentvolumeclaim: 'PersistentVolumeClaim',
  persistentvolume: 'PersistentVolume',
  endpoints: 'Endpoints',
  endpointslice: 'EndpointSlice',
  configmap: 'ConfigMap',
  secret: 'Secret',
  serviceaccount: 'ServiceAccount',
  resourcequota: 'ResourceQuota',
  poddisruptionbudget: 'PodDisruptionBudget',
  networkpolicy: 'NetworkPolicy',
  ingress: 'Ingress',
  namespace: 'Namespace',
  externalsecret: 'ExternalSecret',
  secretstore: 'SecretStore',
  clustersecretstore: 'ClusterSecretStore',
  horizontalpodautoscaler: 'HorizontalPodAutoscaler',
  certificate: 'Certificate',
  certificaterequest: 'CertificateRequest',
  issuer: 'Issuer',
  clusterissuer: 'ClusterIssuer',
  application: 'Application',
  inferenceservice: 'InferenceService',
  notebookvalidationjob: 'NotebookValidationJob',
};

const SHORT: Readonly<Record<string, string>> = {
  po: 'pod',
  deploy: 'deployment',
  rs: 'replicaset',
  sts: 'statefulset',
  ds: 'daemonset',
  svc: 'service',
  pvc: 'persistentvolumeclaim',
  no: 'node',
};

/** The kind of a resource as people type it: `pods`, `deploy`, `svc`. */
export function kindOfResource(resource: string): string | undefined {
  const word = resource.split('.')[0] ?? '';
  return entryOf(NAMES, entryOf(SHORT, word) ?? word) ?? entryOf(NAMES, word.replace(/s$/, ''));
}

/** Objects of a table, and events. */
export function tableObjects(lines: readonly string[]): TextFacts {
  const rows = rowsOf(lines);
  const [first] = rows;
  if (first === undefined) return { objects: [], events: [] };
  if (['REASON', 'OBJECT', 'MESSAGE'].every((name) => Object.hasOwn(first, name)))
    return { objects: [], events: rows.map(eventOf) };
  const plain = KINDS.find(({ has }) => has.every((name) => Object.hasOwn(first, name)));
  return { objects: rows.flatMap((row) => objectOf(row, plain)), events: [] };
}

function objectOf(row: Row, plain: Listed | undefined): PrintedObject[] {
  const [prefix, name] = /^([a-z][a-z.0-9-]*)\/(.+)$/.exec(cell(row, 'NAME'))?.slice(1) ?? [
    undefined,
    cell(row, 'NAME'),
  ];
  const named = entryOf(NAMES, prefix?.split('.')[0] ?? '');
  const listed = prefix === undefined ? plain : KINDS.find(({ kind }) => kind === named);
  if (listed === undefined || name === undefined || name === '') return [];
  // The default class is marked behind its name.
  const metadata = {
    name: name.replace(/ \(default\)$/, ''),
    // When the deletion began is not printed.
    ...(cell(row, 'STATUS') === 'Terminating' ? { deletionTimestamp: '' } : {}),
    ...(cell(row, 'NAMESPACE') === '' ? {} : { namespace: cell(row, 'NAMESPACE') }),
    ...(name.endsWith(' (default)') ? { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } : {}),
  };
  const object: KubeObject = { apiVersion: listed.apiVersion, kind: listed.kind, metadata, ...listed.make(row) };
  const labels = cell(row, 'LABELS');
  if (labels !== '') object.metadata.labels = pairs(labels) as Record<string, string>;
  return [{ object, age: ageIn(cell(row, 'AGE')) }];
}

function ofMany(row: Row): { readonly ready: number; readonly wanted: number } {
  const [some = 0, all = 0] = cell(row, 'READY').split('/').map(Number);
  return { ready: some || 0, wanted: all || 0 };
}

function pairs(text: string): JsonObject {
  return Object.fromEntries(
    text
      .split(',')
      .filter((pair) => pair.includes('='))
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

const selectorOf = (row: Row): JsonObject =>
  cell(row, 'SELECTOR') === '' ? {} : { selector: { matchLabels: pairs(cell(row, 'SELECTOR')) } };

/** With `-o wide` a part of the template: names and images of containers, and the labels that it must have. */
function templateOf(row: Row): JsonObject {
  const [names, images] = [cell(row, 'CONTAINERS'), cell(row, 'IMAGES')].map((text) => text.split(','));
  if (cell(row, 'CONTAINERS') === '') return {};
  const containers = (names ?? []).map((name, index) => ({ name, image: images?.[index] ?? '' }));
  return { template: { metadata: { labels: pairs(cell(row, 'SELECTOR')) }, spec: { containers } } };
}

const PHASES = new Set(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']);
/** Reasons of a container that ended, as against one that waits. */
const ENDED = /^(Error|OOMKilled|ContainerCannotRun|DeadlineExceeded|StartError|ExitCode:\d+|Signal:\d+)$/;

/** The status column shows the phase, or the reason that keeps a container from running. */
function podOf(row: Row): JsonObject {
  const isInit = cell(row, 'STATUS').startsWith('Init:');
  const status = cell(row, 'STATUS').replace(/^Init:/, '');
  const restartCount = numberIn(row, 'RESTARTS');
  const { ready: some, wanted } = ofMany(row);
  const isFine = (status === 'Running' || status === 'Terminating') && some === wanted;
  const isStarted = !isPlain(status) || isInit || cell(row, 'NODE') !== '' || restartCount > 0;
  const container = { name: UNNAMED, ready: isFine, restartCount, state: containerState(status) };
  const node = cell(row, 'NODE');
  return {
    spec: {
      ...(node === '' ? {} : { nodeName: node }),
      [isInit ? 'initContainers' : 'containers']: [{ name: UNNAMED }],
    },
    status: {
      phase: isInit ? 'Pending' : phaseOf(status, restartCount),
      ...(status === 'Evicted' ? { reason: 'Evicted' } : {}),
      [isInit ? 'initContainerStatuses' : 'containerStatuses']: [container],
      conditions: [
        // Only of a pod on a node a table says more than its phase.
        ...(isStarted ? [{ type: 'PodScheduled', status: 'True' }] : []),
        { type: 'Ready', status: isFine ? 'True' : 'False', ...(isDone(status) ? { reason: 'PodCompleted' } : {}) },
      ],
    },
  };
}

function isDone(status: string): boolean {
  return status === 'Completed' || status === 'Succeeded';
}

/** A phase or the like, as against the reason of a container. */
function isPlain(status: string): boolean {
  return (
    PHASES.has(status) ||
    isDone(status) ||
    status === 'Terminating' ||
    status === 'Evicted' ||
    /^\d+\/\d+$/.test(status)
  );
}

function containerState(status: string): JsonObject {
  if (status === 'Running' || status === 'Terminating') return { running: {} };
  if (isPlain(status)) return {};
  return ENDED.test(status) ? { terminated: { reason: status } } : { waiting: { reason: status } };
}

function phaseOf(status: string, restarts: number): string {
  if (isDone(status)) return 'Succeeded';
  if (PHASES.has(status)) return status;
  if (status === 'Evicted' || (status === 'Error' && restarts === 0)) return 'Failed';
  return status === 'CrashLoopBackOff' || ENDED.test(status) || isPlain(status) ? 'Running' : 'Pending';
}

function nodeOf(row: Row): JsonObject {
  const words = cell(row, 'STATUS').split(',');
  return {
    spec: words.includes('SchedulingDisabled') ? { unschedulable: true } : {},
    status: { conditions: [{ type: 'Ready', status: words.includes('Ready') ? 'True' : 'False' }] },
  };
}

function volumeOf(row: Row): JsonObject {
  const [namespace = '', name = ''] = cell(row, 'CLAIM').split('/');
  return {
    spec: {
      capacity: { storage: cell(row, 'CAPACITY') },
      storageClassName: cell(row, 'STORAGECLASS'),
      ...(name === '' ? {} : { claimRef: { namespace, name } }),
    },
    ...only(cell(row, 'STATUS')),
  };
}

function serviceOf(row: Row): JsonObject {
  const ports = cell(row, 'PORT(S)')
    .split(',')
    .flatMap((text) => {
      const match = /^(\d+)(?::\d+)?\/(\w+)$/.exec(text);
      return match === null ? [] : [{ port: Number(match[1]), protocol: match[2] ?? 'TCP' }];
    });
  return { spec: { type: cell(row, 'TYPE'), selector: pairs(cell(row, 'SELECTOR')), ports }, status: {} };
}

function jobOf(row: Row): JsonObject {
  const [done = 0, wanted = 1] = cell(row, 'COMPLETIONS').split('/').map(Number);
  const status = cell(row, 'STATUS');
  return {
    spec: { completions: wanted },
    status: {
      succeeded: done,
      ...(status === 'Failed' || status === 'Complete' ? { conditions: [{ type: status, status: 'True' }] } : {}),
    },
  };
}

/** `10.1.0.4:8080,10.1.0.5:8080 + 3 more...` */
function endpointsOf(row: Row): JsonObject {
  return { subsets: subsetsOf(cell(row, 'ENDPOINTS')) };
}

/** `pods: 4/4, requests.cpu: 900m/1` */
function quotaOf(row: Row): JsonObject {
  const [hard, used]: [JsonObject, JsonObject] = [{}, {}];
  for (const part of [cell(row, 'REQUEST'), cell(row, 'LIMIT')].join(', ').split(', ')) {
    const [, name, some, all] = /^([\w./-]+): ([^\s/]+)\/(\S+)$/.exec(part) ?? [];
    if (name === undefined || some === undefined || all === undefined) continue;
    put(hard, name, all);
    put(used, name, some);
  }
  return { spec: { hard }, status: { hard, used } };
}

function autoscalerOf(row: Row): JsonObject {
  const [kind = '', name = ''] = cell(row, 'REFERENCE').split('/');
  return {
    spec: {
      scaleTargetRef: { kind, name },
      minReplicas: numberIn(row, 'MINPODS'),
      maxReplicas: numberIn(row, 'MAXPODS'),
    },
    status: { currentReplicas: numberIn(row, 'REPLICAS') },
  };
}

function statefulSetOf(row: Row): JsonObject {
  const { ready: some, wanted } = ofMany(row);
  return { spec: { replicas: wanted }, status: { replicas: wanted, readyReplicas: some, availableReplicas: some } };
}

function eventOf(row: Row): PrintedEvent {
  const [kind = '', name = ''] = cell(row, 'OBJECT').split('/');
  return {
    about: {
      group: '',
      kind: entryOf(NAMES, kind.toLowerCase().split('.')[0] ?? '') ?? kind,
      namespace: cell(row, 'NAMESPACE'),
      name,
    },
    uid: '',
    type: cell(row, 'TYPE'),
    reason: cell(row, 'REASON'),
    message: cell(row, 'MESSAGE'),
    source: cell(row, 'SOURCE').split(',')[0] ?? '',
    count: numberIn(row, 'COUNT') || timesIn(cell(row, 'LAST SEEN')),
    age: ageIn(cell(row, 'LAST SEEN')),
  };
}
