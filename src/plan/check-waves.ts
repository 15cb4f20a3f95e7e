import { compareText, gvkOf, isObject, keyText, SYNC_PHASES, type Json, type Key, type KubeObject, type SyncPhase } from '../model/index.js';
import { findAnnotationProblems } from './gate.js';
import { syncPhasesOf } from './hook-rules.js';
import { crdKind, kindName } from './order.js';
import { podReferences, type PodReference } from './pod-references.js';
import { isCrd, waveOf } from './task.js';

export interface WavesQuestion {
  /** As git has them, with their namespaces. */
  readonly objects: readonly KubeObject[];
  /** Of objects that name none. */
  readonly destinationNamespace: string;
  /** Those of the cluster; the application's own are found among its objects. */
  readonly storageClasses: readonly KubeObject[];
}

/** Something in the order of a sync that cannot work, or does not mean what it says. */
export interface WaveProblem {
  readonly rule: 'annotation' | 'needed-later' | 'claim-before-pod' | 'crd-later' | 'namespace-later';
  readonly key: Key;
  readonly message: string;
  /** What to do. */
  readonly hint: string;
}

/** An object and the step of the sync in which git puts it. */
interface Placed {
  readonly object: KubeObject;
  readonly key: Key;
  readonly phase: SyncPhase;
  readonly wave: number;
}

/** Finds objects that wait for something in a later step, and annotations that count as absent. */
export function checkWaves({ objects, destinationNamespace, storageClasses }: WavesQuestion): WaveProblem[] {
  const placed = objects.flatMap((object) => syncPhasesOf(object).map((phase): Placed => ({ object, phase, wave: waveOf(object), key: keyIn(object, destinationNamespace) })));
  const classes = [...storageClasses, ...objects.filter(({ kind }) => kind === 'StorageClass')];
  const problems = [
    ...objects.flatMap((object) => findAnnotationProblems(object).map((message): WaveProblem => ({ rule: 'annotation', key: keyIn(object, destinationNamespace), message, hint: 'write a value that the annotation takes, in quotes' }))),
    ...placed.flatMap((each) => neededLater(each, placed)),
    ...placed.flatMap((each) => claimBeforePod(each, placed, classes)),
    ...placed.flatMap((each) => movedForward(each, placed)),
  ];
  return problems.sort((a, b) => compareText(keyText(a.key), keyText(b.key)) || compareText(a.message, b.message));
}

/** A kind without namespace that git gives one keeps it here; nothing below looks at it. */
function keyIn(object: KubeObject, destinationNamespace: string): Key {
  const { group, kind } = gvkOf(object);
  return { group, kind, namespace: object.metadata.namespace ?? (isClusterWide(kind) ? '' : destinationNamespace), name: object.metadata.name ?? object.metadata.generateName ?? '' };
}

function isClusterWide(kind: string): boolean {
  return ['Namespace', 'CustomResourceDefinition', 'StorageClass', 'PersistentVolume', 'ClusterRole', 'ClusterRoleBinding', 'IngressClass', 'PriorityClass'].includes(kind);
}

function comparePlaces(a: Placed, b: Placed): number {
  return SYNC_PHASES.indexOf(a.phase) - SYNC_PHASES.indexOf(b.phase) || a.wave - b.wave;
}

function place({ phase, wave }: Placed): string {
  return `${phase}, wave ${wave}`;
}

function nameOf({ key }: Placed): string {
  return `${key.kind} ${key.name}`;
}

/** A workload whose pods need what only a later step creates. */
function neededLater(user: Placed, all: readonly Placed[]): WaveProblem[] {
  return podReferences(user.object).flatMap((reference) => {
    const givers = all.filter((each) => each.key.namespace === user.key.namespace && gives(each.object, reference));
    const first = [...givers].sort(comparePlaces)[0];
    if (first === undefined || comparePlaces(first, user) <= 0) return [];
    const what = first.key.kind === reference.kind ? `${reference.kind} ${reference.name}` : `${reference.kind} ${reference.name} (made by ${nameOf(first)})`;
    const isHook = user.phase !== first.phase;
    return [{
      rule: 'needed-later' as const, key: user.key,
      message: `${nameOf(user)} (${place(user)}) needs ${what}, which comes later (${place(first)}): its pods cannot start${isHook ? ' in a first sync' : ''}, and the sync waits for them before it goes on`,
      hint: isHook ? `make ${nameOf(first)} a ${user.phase} hook with a lower wave too, or move ${nameOf(user)} behind it` : `put ${nameOf(first)} in wave ${user.wave} or earlier`,
    }];
  });
}

/** Who creates a ConfigMap, Secret, ServiceAccount or claim: itself, or an object whose controller makes the Secret. */
function gives(object: KubeObject, { kind, name }: PodReference): boolean {
  const { group, kind: own } = gvkOf(object);
  if (group === '' && own === kind) return object.metadata.name === name;
  if (kind !== 'Secret') return false;
  const spec = isObject(object.spec) ? object.spec : {};
  switch (`${group}/${own}`) {
    case 'external-secrets.io/ExternalSecret': return (targetName(spec.target) ?? object.metadata.name) === name;
    case 'bitnami.com/SealedSecret': return object.metadata.name === name;
    case 'cert-manager.io/Certificate': return spec.secretName === name;
    default: return false;
  }
}

function targetName(target: Json | undefined): string | undefined {
  return isObject(target) && typeof target.name === 'string' ? target.name : undefined;
}

/** A claim that is bound when its first pod is scheduled, and whose pods all come later. */
function claimBeforePod(claim: Placed, all: readonly Placed[], classes: readonly KubeObject[]): WaveProblem[] {
  if (claim.key.kind !== 'PersistentVolumeClaim' || claim.key.group !== '' || !waitsForConsumer(claim.object, classes)) return [];
  const users = all.filter((each) => each.key.namespace === claim.key.namespace && podReferences(each.object).some(({ kind, name }) => kind === 'PersistentVolumeClaim' && name === claim.key.name));
  const first = [...users].sort(comparePlaces)[0];
  if (first === undefined || comparePlaces(first, claim) <= 0) return [];
  return [{
    rule: 'claim-before-pod', key: claim.key,
    message: `${nameOf(claim)} (${place(claim)}) is bound when its first pod is scheduled (WaitForFirstConsumer), and ${nameOf(first)} comes later (${place(first)}): Argo CD waits here for ever; Argosy goes on, because such a claim counts as Healthy`,
    hint: `put ${nameOf(claim)} in the wave of ${nameOf(first)}`,
  }];
}

function waitsForConsumer(claim: KubeObject, classes: readonly KubeObject[]): boolean {
  const spec = isObject(claim.spec) ? claim.spec : {};
  const named = spec.storageClassName;
  const found = typeof named === 'string'
    ? classes.find(({ metadata }) => metadata.name === named)
    : classes.find(({ metadata }) => metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true');
  return found?.volumeBindingMode === 'WaitForFirstConsumer' && typeof spec.volumeName !== 'string';
}

/** A CRD or Namespace in a later step than its first user: the sync moves it forward, so its wave says nothing. */
function movedForward(giver: Placed, all: readonly Placed[]): WaveProblem[] {
  const isNamespace = giver.key.kind === 'Namespace' && giver.key.group === '';
  if (!isNamespace && !isCrd(giver.object)) return [];
  const gvk = crdKind(giver.object);
  const users = all.filter((each) => each.object !== giver.object && (isNamespace ? each.key.namespace === giver.key.name : kindName(each.object) === gvk));
  const first = [...users].sort(comparePlaces)[0];
  if (first === undefined || comparePlaces(giver, first) <= 0) return [];
  return [{
    rule: isNamespace ? 'namespace-later' : 'crd-later', key: giver.key,
    message: `${nameOf(giver)} (${place(giver)}) comes after ${nameOf(first)} (${place(first)}), which needs it: the sync moves it forward, and its wave means nothing`,
    hint: `put ${nameOf(giver)} in wave ${first.wave - 1} or earlier`,
  }];
}
