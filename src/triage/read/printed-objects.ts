import { isArray, isObject, type Json, type JsonObject, own, put } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { textAt } from '../json/index.js';
import { namedByEvents, stubsOf } from './event-stubs.js';
import { ownedByName, withImpliedOwners } from './owned-by-name.js';
import type { SnapshotBuilder } from './snapshot-builder.js';
import type { PrintedEvent, TextFacts } from './printed-facts.js';

type Shown = 'table' | 'described';

/** Kinds that no namespace has; a command with `-n` prints them all the same. */
const OF_THE_CLUSTER = new Set([
  'Node',
  'PersistentVolume',
  'StorageClass',
  'Namespace',
  'PriorityClass',
  'ClusterSecretStore',
  'ClusterIssuer',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleBinding',
  'IngressClass',
]);

/** What a text shows of objects, a part in a table and more where they are described, put together. */
export class PrintedObjects {
  readonly #objects: { readonly shown: Shown; object: KubeObject; readonly age: number | undefined }[] = [];
  readonly #events: PrintedEvent[] = [];

  add({ objects, events }: TextFacts, shown: Shown, namespace: string | undefined): void {
    const inNamespace = (kind: string, own: string | undefined): string | undefined =>
      own ?? (OF_THE_CLUSTER.has(kind) ? undefined : namespace);
    for (const { object, age } of objects)
      this.#objects.push({
        shown,
        age,
        object: withNamespace(object, inNamespace(object.kind, object.metadata.namespace)),
      });
    for (const event of events) {
      const { kind, namespace: known } = event.about;
      const place = inNamespace(kind, known === '' ? undefined : known) ?? '';
      this.#events.push({ ...event, about: { ...event.about, namespace: place } });
    }
  }

  /** Gives the objects that were found. */
  addTo(builder: SnapshotBuilder, file: string, now: number | undefined): KubeObject[] {
    this.#settleNamespaces();
    const printed = this.#printedAt() ?? now;
    const seen = this.#merged(printed);
    const all = [...seen, ...stubsOf(this.#events, seen)];
    const objects = namedByEvents(withKnownLabels(withTemplates(ownedByName(withImpliedOwners(all)))), this.#events);
    for (const object of objects) builder.add(object, file);
    for (const { age, ...event } of this.#events)
      builder.addEvent({
        ...event,
        time: age === undefined || printed === undefined ? undefined : printed - age,
      });
    if (printed !== undefined && objects.length + this.#events.length > 0) builder.sawTime(printed);
    return objects;
  }

  /** A row without a namespace is of the one in which the object stands elsewhere, or of the only one in the text. */
  #settleNamespaces(): void {
    const byName = new Map<string, Set<string>>();
    const all = new Set<string>();
    for (const { object } of this.#objects) {
      const { namespace } = object.metadata;
      if (namespace === undefined) continue;
      all.add(namespace);
      const id = `${object.kind}/${object.metadata.name ?? ''}`;
      byName.set(id, (byName.get(id) ?? new Set()).add(namespace));
    }
    const placeOf = (kind: string, name: string): string | undefined => {
      const known = byName.get(`${kind}/${name}`) ?? all;
      const [only] = known;
      return known.size === 1 && !OF_THE_CLUSTER.has(kind) ? only : undefined;
    };
    for (const each of this.#objects)
      if (each.object.metadata.namespace === undefined)
        each.object = withNamespace(each.object, placeOf(each.object.kind, each.object.metadata.name ?? ''));
    this.#events.forEach((event, index) => {
      const place = event.about.namespace === '' ? placeOf(event.about.kind, event.about.name) : undefined;
      if (place !== undefined) this.#events[index] = { ...event, about: { ...event.about, namespace: place } };
    });
  }

  /** When the text was printed: by an object that shows its age and when it began, else the latest time in it. */
  #printedAt(): number | undefined {
    const began = new Map<string, number>();
    let latest: number | undefined;
    const saw = (time: number): void => {
      if (time > (latest ?? 0)) latest = time;
    };
    for (const { object } of this.#objects) {
      const time = Date.parse(object.metadata.creationTimestamp ?? '');
      if (!Number.isNaN(time)) began.set(idOf(object), time);
      forEachTime(object, saw);
    }
    for (const { object, age } of this.#objects) {
      const start = age === undefined ? undefined : began.get(idOf(object));
      if (start !== undefined) saw(start + (age ?? 0));
    }
    return latest;
  }

  #merged(printed: number | undefined): KubeObject[] {
    const merged = new Map<string, { shown: Shown; object: KubeObject }>();
    const inOrder = [
      ...this.#objects.filter(({ shown }) => shown === 'table'),
      ...this.#objects.filter(({ shown }) => shown === 'described'),
    ];
    for (const { object, shown, age } of inOrder) {
      const dated =
        age === undefined || printed === undefined || object.metadata.creationTimestamp !== undefined
          ? object
          : { ...object, metadata: { ...object.metadata, creationTimestamp: isoOf(printed - age) } };
      const before = merged.get(idOf(object));
      const whole = before === undefined ? dated : overlay(before.object, dated, before.shown !== shown);
      merged.set(idOf(object), { shown, object: whole });
    }
    return [...merged.values()].map(({ object, shown }) =>
      shown === 'table' ? { ...object, unseen: UNSEEN_IN_TABLES } : object,
    );
  }
}

/** What no table prints. */
const UNSEEN_IN_TABLES = ['metadata.labels', 'spec.template', 'spec.ports[].targetPort'];

const idOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

const isoOf = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

function withNamespace(object: KubeObject, namespace: string | undefined): KubeObject {
  return namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } };
}

function forEachTime(value: Json, saw: (time: number) => void): void {
  if (typeof value === 'string') {
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(time)) saw(time);
  } else if (isArray(value)) for (const each of value) forEachTime(each, saw);
  else if (isObject(value)) for (const key of Object.keys(value)) forEachTime(own(value, key) ?? null, saw);
}

/**
 * The later of two views of an object over the earlier; where it shows more, its lists replace those of a table. How
 * many pods are ready is in the table only: sets are described by the pods that run.
 */
function overlay(below: KubeObject, above: KubeObject, showsMore: boolean): KubeObject {
  const whole = mergeObjects(below, above, showsMore) as KubeObject;
  const [counted, status] = [own(ownObject(below, 'status'), 'readyReplicas'), ownObject(whole, 'status')];
  return showsMore && counted !== undefined && /^(?:ReplicaSet|StatefulSet)$/.test(above.kind)
    ? { ...whole, status: { ...status, readyReplicas: counted, availableReplicas: counted } }
    : whole;
}

function mergeObjects(below: JsonObject, above: JsonObject, showsMore: boolean): JsonObject {
  const merged: JsonObject = { ...below };
  for (const key of Object.keys(above)) {
    const [one, other] = [own(below, key), own(above, key)];
    if (other === undefined || (other === '' && one !== undefined)) continue;
    if (isObject(one) && isObject(other)) put(merged, key, mergeObjects(one, other, showsMore));
    else if (isArray(one) && isArray(other) && other.length === 0 && !showsMore) put(merged, key, one);
    else put(merged, key, other);
  }
  return merged;
}

/** What a pod of a table runs is in the template of what made it, where that is described and made no others. */
function withTemplates(objects: readonly KubeObject[]): KubeObject[] {
  const byId = new Map(objects.map((object) => [idOf(object), object]));
  const makerOf = ({ metadata }: KubeObject): KubeObject | undefined => {
    const [owner] = metadata.ownerReferences ?? [];
    return owner === undefined ? undefined : byId.get(`${owner.kind}/${metadata.namespace ?? ''}/${owner.name}`);
  };
  const sets = new Map<KubeObject, number>();
  for (const object of objects) {
    const deployment = object.kind === 'ReplicaSet' ? makerOf(object) : undefined;
    if (deployment !== undefined && own(ownObject(object, 'spec'), 'replicas') !== 0)
      sets.set(deployment, (sets.get(deployment) ?? 0) + 1);
  }
  const templateOf = (maker: KubeObject | undefined): JsonObject | undefined => {
    if (maker === undefined) return undefined;
    const template = own(ownObject(maker, 'spec'), 'template');
    if (isObject(template) && own(maker, 'unseen') === undefined) return template;
    const above = makerOf(maker);
    return above !== undefined && sets.get(above) === 1 ? templateOf(above) : undefined;
  };
  return objects.map((object) => {
    const template =
      object.kind === 'Pod' && own(object, 'unseen') !== undefined ? templateOf(makerOf(object)) : undefined;
    return template === undefined ? object : made(object, template);
  });
}

function made(pod: KubeObject, template: JsonObject): KubeObject {
  const spec = ownObject(template, 'spec');
  const labels = own(ownObject(template, 'metadata'), 'labels');
  const { unseen: _unseen, ...rest } = pod;
  // A table has no state of single containers: it is that of the only one.
  const containers = own(spec, 'containers');
  const [first] = isArray(containers) ? containers : [];
  const status = ownObject(pod, 'status');
  const statuses = own(status, 'containerStatuses');
  const named =
    isArray(containers) && containers.length === 1 && isArray(statuses)
      ? {
          containerStatuses: statuses.map((each) => (isObject(each) ? { ...each, name: textAt(first, 'name') } : each)),
        }
      : { containerStatuses: [] };
  return {
    ...rest,
    metadata: { ...pod.metadata, ...(isObject(labels) ? { labels: labels as Record<string, string> } : {}) },
    spec: { ...spec, ...ownObject(pod, 'spec'), ...(containers === undefined ? {} : { containers }) },
    status: { ...status, ...named },
  };
}

/** Pods of a table have at least the labels by which what made them finds them. */
function withKnownLabels(objects: readonly KubeObject[]): KubeObject[] {
  const selectors = new Map(objects.map((object) => [idOf(object), own(ownObject(object, 'spec'), 'selector')]));
  return objects.map((object) => {
    if (object.kind !== 'Pod' || object.metadata.labels !== undefined) return object;
    const [owner] = object.metadata.ownerReferences ?? [];
    if (owner === undefined) return object;
    const selector = selectors.get(`${owner.kind}/${object.metadata.namespace ?? ''}/${owner.name}`);
    const matchLabels = isObject(selector) ? own(selector, 'matchLabels') : undefined;
    if (!isObject(matchLabels) || Object.keys(matchLabels).length === 0) return object;
    const labels = Object.fromEntries(Object.keys(matchLabels).map((key) => [key, textAt(matchLabels, key)]));
    return { ...object, metadata: { ...object.metadata, labels } };
  });
}

function ownObject(object: JsonObject, key: string): JsonObject {
  const found = own(object, key);
  return isObject(found) ? found : {};
}
