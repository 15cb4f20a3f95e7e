import type { KubeObject } from '../../model/index.js';
import type { EventFact } from '../snapshot.js';

export interface TextFacts {
  readonly objects: readonly KubeObject[];
  readonly events: readonly EventFact[];
}

type Row = Readonly<Record<string, string>>;

/** The rows of a table as kubectl prints it, by heading. Columns stand at the same place in every line. */
function rowsOf(lines: readonly string[]): Row[] {
  const [heading = '', ...rest] = lines;
  const columns = [...heading.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }) => ({ name, start: index }));
  return rest.filter((line) => line.trim() !== '').map((line) => Object.fromEntries(columns.map(({ name, start }, index) => [name, line.slice(start, columns[index + 1]?.start).trim()])));
}

/** Objects of a table: pods, nodes, claims and events are known by their headings; others say too little. */
export function tableObjects(lines: readonly string[]): TextFacts {
  const rows = rowsOf(lines);
  const [first = {}] = rows;
  const has = (...names: string[]): boolean => names.every((name) => name in first);
  if (has('LAST SEEN', 'REASON', 'OBJECT')) return { objects: [], events: rows.map((row) => eventOf(row)) };
  if (has('READY', 'STATUS', 'RESTARTS')) return { objects: rows.map(podOf), events: [] };
  if (has('STATUS', 'ROLES', 'VERSION')) return { objects: rows.map(nodeOf), events: [] };
  if (has('STATUS', 'VOLUME', 'STORAGECLASS')) return { objects: rows.map(claimOf), events: [] };
  if (has('READY', 'UP-TO-DATE', 'AVAILABLE')) return { objects: rows.map(deploymentOf), events: [] };
  return { objects: [], events: [] };
}

const metaOf = (row: Row): KubeObject['metadata'] => ({ name: row['NAME'] ?? '', ...(row['NAMESPACE'] === undefined ? {} : { namespace: row['NAMESPACE'] }) });
const value = (text: string | undefined): string => (text === undefined || text === '<none>' || text === '<unset>' ? '' : text);

const PHASES = new Set(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']);

/** The status column shows the phase, or the reason that keeps a container from running. */
function podOf(row: Row): KubeObject {
  const status = (row['STATUS'] ?? '').replace(/^Init:/, '');
  const [ready = 0, wanted = 0] = (row['READY'] ?? '').split('/').map(Number);
  const isDone = status === 'Completed' || status === 'Succeeded';
  const isFine = status === 'Running' && ready === wanted;
  const waiting = PHASES.has(status) || isDone || status === 'Terminating' ? undefined : status;
  const isInit = (row['STATUS'] ?? '').startsWith('Init:');
  const container = { name: 'app', ready: isFine, restartCount: Number.parseInt(row['RESTARTS'] ?? '0', 10) || 0, state: waiting === undefined ? {} : { waiting: { reason: waiting } } };
  const node = value(row['NODE']);
  return {
    apiVersion: 'v1', kind: 'Pod', metadata: metaOf(row), spec: { ...(node === '' ? {} : { nodeName: node }), [isInit ? 'initContainers' : 'containers']: [{ name: 'app' }] },
    status: { phase: isDone ? 'Succeeded' : PHASES.has(status) ? status : waiting === undefined ? 'Running' : 'Pending', [isInit ? 'initContainerStatuses' : 'containerStatuses']: [container], conditions: [{ type: 'Ready', status: isFine ? 'True' : 'False' }] },
  };
}

function nodeOf(row: Row): KubeObject {
  const words = (row['STATUS'] ?? '').split(',');
  return { apiVersion: 'v1', kind: 'Node', metadata: metaOf(row), spec: words.includes('SchedulingDisabled') ? { unschedulable: true } : {}, status: { conditions: [{ type: 'Ready', status: words.includes('Ready') ? 'True' : 'False' }] } };
}

function claimOf(row: Row): KubeObject {
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: metaOf(row), spec: { storageClassName: value(row['STORAGECLASS']), volumeName: value(row['VOLUME']) }, status: { phase: row['STATUS'] ?? '' } };
}

function deploymentOf(row: Row): KubeObject {
  const [ready = 0, wanted = 0] = (row['READY'] ?? '').split('/').map(Number);
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: metaOf(row), spec: { replicas: wanted }, status: { readyReplicas: ready, availableReplicas: Number(row['AVAILABLE'] ?? 0), updatedReplicas: Number(row['UP-TO-DATE'] ?? 0) } };
}

/** Kinds as the object column abbreviates them. */
const KINDS: Readonly<Record<string, string>> = { pod: 'Pod', replicaset: 'ReplicaSet', deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet', job: 'Job', cronjob: 'CronJob', node: 'Node', service: 'Service', persistentvolumeclaim: 'PersistentVolumeClaim', externalsecret: 'ExternalSecret', secretstore: 'SecretStore', horizontalpodautoscaler: 'HorizontalPodAutoscaler' };

function eventOf(row: Row): EventFact {
  const [kind = '', name = ''] = (row['OBJECT'] ?? '').split('/');
  return { about: { group: '', kind: KINDS[kind.toLowerCase()] ?? kind, namespace: row['NAMESPACE'] ?? '', name }, uid: '', type: row['TYPE'] ?? '', reason: row['REASON'] ?? '', message: row['MESSAGE'] ?? '', source: row['SOURCE'] ?? '', count: Number.parseInt(row['COUNT'] ?? '1', 10) || 1, time: undefined };
}
