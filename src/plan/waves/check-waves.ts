import { compareText } from '../../model/go/index.js';
import { gvkOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject } from '../../model/json/index.js';
import { checkProducers, producedSecret } from './check-producers.js';
import {
  findAnnotationErrors,
  syncPhasesOf,
  crdKind,
  kindName,
  podReferences,
  type PodReference,
  isCrd,
  waveOf,
} from '../sync/index.js';
import { comparePlacedObjects, placedName, placeText, type PlacedObject, type WaveViolation } from './placed-object.js';

export interface WaveCheckInput {
  /** As git has them, with their namespaces. */
  readonly objects: readonly KubeObject[];
  /** Of objects that name none. */
  readonly destinationNamespace: string;
  /** Those of the cluster; the application's own are found among its objects. */
  readonly storageClasses: readonly KubeObject[];
}

/** Finds objects that wait for something in a later step, and annotations that count as absent. */
export function checkWaves({ objects, destinationNamespace, storageClasses }: WaveCheckInput): WaveViolation[] {
  const placed = objects.flatMap((object) =>
    syncPhasesOf(object).map(
      (phase): PlacedObject => ({ object, phase, wave: waveOf(object), key: keyIn(object, destinationNamespace) }),
    ),
  );
  const classes = [...storageClasses, ...objects.filter(({ kind }) => kind === 'StorageClass')];
  const problems = [
    ...objects.flatMap((object) =>
      findAnnotationErrors(object).map(
        (message): WaveViolation => ({
          rule: 'annotation',
          key: keyIn(object, destinationNamespace),
          message,
          hint: 'write a value that the annotation takes, in quotes',
        }),
      ),
    ),
    ...placed.flatMap((each) => neededLater(each, placed)),
    ...placed.flatMap((each) => claimBeforePod(each, placed, classes)),
    ...placed.flatMap((each) => movedForward(each, placed)),
    ...checkProducers(placed, destinationNamespace),
  ];
  return problems.sort((a, b) => compareText(keyText(a.key), keyText(b.key)) || compareText(a.message, b.message));
}

/** A kind without namespace that git gives one keeps it here; nothing below looks at it. */
export function keyIn(object: KubeObject, destinationNamespace: string): Key {
  const { group, kind } = gvkOf(object);
  return {
    group,
    kind,
    namespace: object.metadata.namespace ?? (isClusterWide(kind) ? '' : destinationNamespace),
    name: object.metadata.name ?? object.metadata.generateName ?? '',
  };
}

function isClusterWide(kind: string): boolean {
  return [
    'Namespace',
    'CustomResourceDefinition',
    'StorageClass',
    'PersistentVolume',
    'ClusterRole',
    'ClusterRoleBinding',
    'IngressClass',
    'PriorityClass',
  ].includes(kind);
}

/** A workload whose pods need what only a later step creates. */
function neededLater(user: PlacedObject, all: readonly PlacedObject[]): WaveViolation[] {
  return podReferences(user.object).flatMap((reference) => {
    const givers = all.filter((each) => each.key.namespace === user.key.namespace && gives(each.object, reference));
    const first = [...givers].sort(comparePlacedObjects)[0];
    if (first === undefined || comparePlacedObjects(first, user) <= 0) return [];
    const what =
      first.key.kind === reference.kind
        ? `${reference.kind} ${reference.name}`
        : `${reference.kind} ${reference.name} (made by ${placedName(first)})`;
    const isHook = user.phase !== first.phase;
    return [
      {
        rule: 'needed-later' as const,
        key: user.key,
        message:
          `${placedName(user)} (${placeText(user)}) needs ${what}, which comes later (${placeText(first)}): ` +
          `its pods cannot start${isHook ? ' in a first sync' : ''}, and the sync waits for them before it ` +
          'goes on',
        hint: isHook
          ? `make ${placedName(first)} a ${user.phase} hook with a lower wave too, or move ` +
            `${placedName(user)} behind it`
          : `put ${placedName(first)} in wave ${user.wave} or earlier`,
      },
    ];
  });
}

/** Who creates a ConfigMap, Secret, ServiceAccount or claim: itself, or an object whose controller makes the Secret. */
function gives(object: KubeObject, { kind, name }: PodReference): boolean {
  const { group, kind: own } = gvkOf(object);
  if (group === '' && own === kind) return object.metadata.name === name;
  return kind === 'Secret' && producedSecret(object) === name;
}

/** A claim that is bound when its first pod is scheduled, and whose pods all come later. */
function claimBeforePod(
  claim: PlacedObject,
  all: readonly PlacedObject[],
  classes: readonly KubeObject[],
): WaveViolation[] {
  if (claim.key.kind !== 'PersistentVolumeClaim' || claim.key.group !== '' || !waitsForConsumer(claim.object, classes))
    return [];
  const users = all.filter(
    (each) =>
      each.key.namespace === claim.key.namespace &&
      podReferences(each.object).some(({ kind, name }) => kind === 'PersistentVolumeClaim' && name === claim.key.name),
  );
  const first = [...users].sort(comparePlacedObjects)[0];
  if (first === undefined || comparePlacedObjects(first, claim) <= 0) return [];
  return [
    {
      rule: 'claim-before-pod',
      key: claim.key,
      message:
        `${placedName(claim)} (${placeText(claim)}) is bound when its first pod is scheduled ` +
        `(WaitForFirstConsumer), and ${placedName(first)} comes later (${placeText(first)}): Argo CD waits ` +
        'here for ever; Argosy goes on, because such a claim counts as Healthy',
      hint: `put ${placedName(claim)} in the wave of ${placedName(first)}`,
    },
  ];
}

function waitsForConsumer(claim: KubeObject, classes: readonly KubeObject[]): boolean {
  const spec = isObject(claim.spec) ? claim.spec : {};
  const named = spec.storageClassName;
  const found =
    typeof named === 'string'
      ? classes.find(({ metadata }) => metadata.name === named)
      : classes.find(
          ({ metadata }) => metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true',
        );
  return found?.volumeBindingMode === 'WaitForFirstConsumer' && typeof spec.volumeName !== 'string';
}

/** A CRD or Namespace in a later step than its first user: the sync moves it forward, so its wave says nothing. */
function movedForward(giver: PlacedObject, all: readonly PlacedObject[]): WaveViolation[] {
  const isNamespace = giver.key.kind === 'Namespace' && giver.key.group === '';
  if (!isNamespace && !isCrd(giver.object)) return [];
  const gvk = crdKind(giver.object);
  const users = all.filter(
    (each) =>
      each.object !== giver.object &&
      (isNamespace ? each.key.namespace === giver.key.name : kindName(each.object) === gvk),
  );
  const first = [...users].sort(comparePlacedObjects)[0];
  if (first === undefined || comparePlacedObjects(giver, first) <= 0) return [];
  return [
    {
      rule: isNamespace ? 'namespace-later' : 'crd-later',
      key: giver.key,
      message:
        `${placedName(giver)} (${placeText(giver)}) comes after ${placedName(first)} (${placeText(first)}), ` +
        'which needs it: the sync moves it forward, and its wave means nothing',
      hint: `put ${placedName(giver)} in wave ${first.wave - 1} or earlier`,
    },
  ];
}
