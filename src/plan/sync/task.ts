import { keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import type { SyncPhase } from '../../model/argo/index.js';
import type { SyncResource, TaskRef } from './sync-plan.js';
import { annotationOf, wholeNumber } from './options.js';

/** One thing that a sync does: an object in one phase. A hook with two phases is two tasks. */
export interface Task {
  /** Of its row among the results. */
  readonly id: string;
  readonly key: Key;
  readonly version: string;
  readonly phase: SyncPhase;
  readonly wave: number;
  /** Undefined: the live object is pruned. */
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  readonly isHook: boolean;
  readonly resource?: SyncResource;
  /** `coming`: the cluster does not serve it yet, and that is expected. */
  readonly kind: 'served' | 'coming' | 'unknown';
}

/** An object has one result in each phase. */
export function taskId(key: Key, phase: SyncPhase): string {
  return `${keyText(key)}:${phase}`;
}

export function objectOf(task: Task): KubeObject {
  const object = task.target ?? task.live;
  if (object === undefined) throw new Error('a task without target and live object');
  return object;
}

/** The wave of an object: its sync-wave, else Helm's weight, else 0. */
export function waveOf(object: KubeObject): number {
  return (
    wholeNumber(annotationOf(object, 'argocd.argoproj.io/sync-wave')) ??
    wholeNumber(annotationOf(object, 'helm.sh/hook-weight')) ??
    0
  );
}

export function refOf(task: Task): TaskRef {
  return { key: task.key, version: task.version, phase: task.phase };
}

export function isSameWave(a: Task, b: Task): boolean {
  return a.phase === b.phase && a.wave === b.wave;
}

export function isNamespace(task: Task, name: string): boolean {
  return task.key.group === '' && task.key.kind === 'Namespace' && task.key.name === name;
}

export function isCrd(object: KubeObject): boolean {
  return object.kind === 'CustomResourceDefinition' && object.apiVersion.startsWith('apiextensions.k8s.io/');
}
