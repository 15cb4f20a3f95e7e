import { applyMergePatch } from '../../model/patch/index.js';
import { keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { ownersOf, listedKey } from '../graph/index.js';
import { objectAt, objectsAt } from '../../model/json/index.js';
import { type Snapshot, sanitizeObject } from '../snapshot/index.js';
import type { Action, Edit } from '../findings/index.js';
import { asHealthy } from './as-healthy.js';
import { editObject } from './edit-object.js';
import { templateOf } from './pod-obstacles.js';

/** The repair: edits, added objects, actions on the cluster. */
export interface Repair {
  readonly edits: readonly Edit[];
  readonly adds: readonly KubeObject[];
  readonly actions: readonly Action[];
}

export interface SimulatedRepair {
  readonly snapshot: Snapshot;
  /** Identifiers of objects that are otherwise now. */
  readonly touched: ReadonlySet<string>;
  /** Pods that do not run yet, as the changed templates describe them. */
  readonly pods: readonly string[];
}

/** An object that a sync puts back after it was deleted. */
const TRACKED = 'argocd.argoproj.io/tracking-id';

/**
 * The snapshot after a repair: changed and affected objects count as reconciled without errors, and owners recreate
 * what they made from an older template. Everything else in the objects stays and is evaluated again.
 */
export function simulateRepair(
  snapshot: Snapshot,
  repair: Repair,
  sufferers: ReadonlyMap<string, Key>,
): SimulatedRepair {
  const objects = new Map(snapshot.objects.map((object) => [keyText(keyOf(object)), object]));
  const touched = change(objects, repair);
  const outdated = descendants(
    objects,
    new Set([...touched].filter((id) => templateOf(objects.get(id)) !== undefined)),
  );
  for (const id of outdated) objects.delete(id);
  for (const [id, key] of sufferers)
    if (!objects.has(id) && !touched.has(id) && !outdated.has(id)) objects.set(id, stub(key));
  for (const id of new Set([...touched, ...sufferers.keys(), ...applicationsOf(objects, touched)])) {
    const object = objects.get(id);
    if (object !== undefined) objects.set(id, asHealthy(object, snapshot.time));
  }
  const pods = [...touched].flatMap((id) => nextPod(objects.get(id)) ?? []);
  for (const pod of pods) objects.set(keyText(keyOf(pod)), pod);
  const isOver = (id: string): boolean => touched.has(id) || sufferers.has(id) || outdated.has(id);
  return {
    touched,
    pods: pods.map((pod) => keyText(keyOf(pod))),
    snapshot: {
      ...snapshot,
      objects: [...objects.values()],
      events: snapshot.events.filter(({ about }) => ![...forms(about)].some(isOver)),
      logs: snapshot.logs.filter(
        ({ namespace, pod }) => !isOver(keyText({ group: '', kind: 'Pod', namespace, name: pod })),
      ),
    },
  };
}

/** An event does not always have the group of its object. */
function forms(about: Key): string[] {
  return [keyText(about), ...['apps', 'batch'].map((group) => keyText({ ...about, group }))];
}

function change(objects: Map<string, KubeObject>, { edits, adds, actions }: Repair): Set<string> {
  const touched = new Set<string>();
  const put = (key: Key, after: KubeObject): void => {
    objects.set(keyText(key), after);
    touched.add(keyText(key));
  };
  for (const edit of edits) {
    const object = objects.get(keyText(edit.object));
    if (object === undefined) continue;
    if (edit.path.length === 0 && edit.change.kind === 'remove') {
      touched.add(keyText(edit.object));
      objects.delete(keyText(edit.object));
    } else put(edit.object, editObject(object, edit));
  }
  for (const object of adds) put(keyOf(object), sanitizeObject(object));
  for (const action of actions) {
    const object = objects.get(keyText(action.object));
    if (object === undefined) continue;
    if (action.kind === 'merge') put(action.object, applyMergePatch(object, action.patch) as KubeObject);
    else {
      touched.add(keyText(action.object));
      objects.delete(keyText(action.object));
      const again = isPruned(action.object, objects) ? undefined : recreated(object, objects);
      if (again !== undefined) objects.set(keyText(action.object), again);
    }
  }
  return touched;
}

/** An application says that git has it no more: nobody puts it back. */
function isPruned(key: Key, objects: ReadonlyMap<string, KubeObject>): boolean {
  const id = keyText(key);
  return [...objects.values()].some(
    (object) =>
      object.kind === 'Application' &&
      objectsAt(object, 'status', 'resources').some((row) => {
        const listed = listedKey(row);
        return (
          row.requiresPruning === true &&
          keyText({ ...listed, namespace: listed.namespace || (key.kind === 'Application' ? key.namespace : '') }) ===
            id
        );
      }),
  );
}

/** The owner or application recreates an object from its current definition, healthy; without either it is gone. */
function recreated(object: KubeObject, objects: ReadonlyMap<string, KubeObject>): KubeObject | undefined {
  const [owner] = ownersOf(object);
  if (owner === undefined && object.metadata.annotations?.[TRACKED] === undefined) return undefined;
  const template = templateOf(owner === undefined ? undefined : objects.get(keyText(owner)));
  // The owner of a claim decides its class.
  const { storageClassName, ...spec } = objectAt(object, 'spec') ?? {};
  if (template?.spec !== undefined) return { ...object, spec: template.spec };
  const isOfNoClass = storageClassName === undefined || object.kind !== 'PersistentVolumeClaim';
  return isOfNoClass ? { ...object } : { ...object, spec };
}

/** Everything owned by these, transitively. */
function descendants(objects: ReadonlyMap<string, KubeObject>, owners: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  for (let size = -1; size < found.size; ) {
    size = found.size;
    for (const [id, object] of objects)
      if (
        ['Pod', 'ReplicaSet', 'Job'].includes(object.kind) &&
        !found.has(id) &&
        ownersOf(object).some((key) => owners.has(keyText(key)) || found.has(keyText(key)))
      )
        found.add(id);
  }
  return found;
}

/** Applications that deploy changed objects are reconciled too. */
function applicationsOf(objects: ReadonlyMap<string, KubeObject>, touched: ReadonlySet<string>): string[] {
  return [...objects]
    .filter(
      ([id, object]) =>
        object.kind === 'Application' &&
        (touched.has(id) ||
          objectsAt(object, 'status', 'resources').some((resource) => touched.has(keyText(listedKey(resource))))),
    )
    .map(([id]) => id);
}

/** The object that its creator will have created. */
function stub({ group, kind, namespace, name }: Key): KubeObject {
  return {
    apiVersion: group === '' ? 'v1' : `${group}/v1`,
    kind,
    metadata: { name, ...(namespace === '' ? {} : { namespace }) },
  };
}

function nextPod(workload: KubeObject | undefined): KubeObject[] | undefined {
  const template = templateOf(workload);
  if (
    workload === undefined ||
    template === undefined ||
    workload.kind === 'CronJob' ||
    (workload.spec as { replicas?: unknown } | undefined)?.replicas === 0
  )
    return undefined;
  const { labels } = (template.metadata ?? {}) as { labels?: Record<string, string> };
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${workload.metadata.name ?? ''}-next`,
      ...(workload.metadata.namespace === undefined ? {} : { namespace: workload.metadata.namespace }),
      ...(labels === undefined ? {} : { labels }),
      ownerReferences: [
        {
          apiVersion: workload.apiVersion,
          kind: workload.kind,
          name: workload.metadata.name ?? '',
          uid: workload.metadata.uid ?? '',
          controller: true,
        },
      ],
    },
    spec: template.spec ?? {},
  };
  return [pod];
}
