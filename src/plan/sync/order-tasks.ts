import { compareText } from '../../model/go/index.js';
import { gvkOf, keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject } from '../../model/json/index.js';
import { SYNC_PHASES } from '../../model/argo/index.js';
import { isCrd, type Task } from './task.js';

const KINDS = [
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
];
const RANK: ReadonlyMap<string, number> = new Map(KINDS.map((kind, index) => [kind, index]));

/**
 * Phase, wave, kind (custom resources last), name. The key decides between equals, so that the order of the input never
 * does.
 */
export function compareTasks(a: Task, b: Task): number {
  return (
    comparePlaces(a, b) ||
    (RANK.get(a.key.kind) ?? KINDS.length) - (RANK.get(b.key.kind) ?? KINDS.length) ||
    compareText(a.key.name, b.key.name) ||
    compareText(keyText(a.key), keyText(b.key))
  );
}

/** Which of two tasks belongs to an earlier step: phase, then wave. */
export function comparePlaces(a: Task, b: Task): number {
  return SYNC_PHASES.indexOf(a.phase) - SYNC_PHASES.indexOf(b.phase) || a.wave - b.wave;
}

/** All tasks in order, each Namespace and each CRD before whoever needs it first. */
export function orderTasks(tasks: readonly Task[], destinationNamespace: string): Task[] {
  const sorted = [...tasks].sort(compareTasks);
  const spaced = hoist(
    sorted,
    namespaceName,
    (object) => object.metadata.namespace || destinationNamespace || undefined,
  );
  return hoist(spaced, crdKind, kindName);
}

/** What sorts after its first user moves directly before it and takes over its phase and wave. */
function hoist(
  tasks: readonly Task[],
  gives: (object: KubeObject) => string | undefined,
  needs: (object: KubeObject) => string | undefined,
): Task[] {
  const users = new Map<string, Task>();
  const before = new Map<Task, Task[]>();
  const stay: Task[] = [];
  for (const task of tasks) {
    const given = task.target && gives(task.target);
    const user = given === undefined ? undefined : users.get(given);
    if (user !== undefined) {
      before.set(user, [...(before.get(user) ?? []), { ...task, phase: user.phase, wave: user.wave }]);
      continue;
    }
    stay.push(task);
    const needed = given === undefined && task.target ? needs(task.target) : undefined;
    if (needed !== undefined && !users.has(needed)) users.set(needed, task);
  }
  return stay.flatMap((task) => [...(before.get(task) ?? []), task]);
}

function namespaceName(object: KubeObject): string | undefined {
  return object.kind === 'Namespace' && object.apiVersion === 'v1' ? object.metadata.name : undefined;
}

/** `group/Kind` that a CRD defines. */
export function crdKind(object: KubeObject): string | undefined {
  const { spec } = object;
  if (!isCrd(object) || !isObject(spec) || !isObject(spec.names)) return undefined;
  const [group, kind] = [spec.group, spec.names.kind];
  return typeof group === 'string' && typeof kind === 'string' ? `${group}/${kind}` : undefined;
}

export function kindName(object: KubeObject): string {
  const { group, kind } = gvkOf(object);
  return `${group}/${kind}`;
}

/**
 * Prunes run in the opposite order of creation: the distinct waves of all pruned objects are mirrored, lowest for
 * highest.
 * Those that are pruned last go one wave after everything else of the Sync phase.
 */
export function placePrunes(
  tasks: readonly Task[],
  pruneWaves: readonly number[],
  isLast: (task: Task) => boolean,
): Task[] {
  const place = (wave: number): number => pruneWaves[pruneWaves.length - 1 - pruneWaves.indexOf(wave)] ?? wave;
  const mirrored = tasks.map((task) => (task.target ? task : { ...task, wave: place(task.wave) }));
  const waves = mirrored.filter((task) => task.phase === 'Sync').map((task) => task.wave);
  const last = [...waves, ...pruneWaves].reduce((highest, wave) => Math.max(highest, wave), 0) + 1;
  return mirrored.map((task) => (!task.target && isLast(task) ? { ...task, wave: last } : task));
}
