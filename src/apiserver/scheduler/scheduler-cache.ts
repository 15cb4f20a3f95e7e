import { equal, own } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { LocalClient, WatchedObject } from '../rest/index.js';
import { count, items, maybe, text } from '../resources/index.js';
import type { ClusterSnapshot } from './filter.js';
import { NodeInfo, podInfo, type PodInfo } from './node-info.js';

type Change = (of: 'node' | 'pod' | 'volume' | 'other', event: WatchedObject) => void;

/**
 * The objects that scheduling reads, kept current by watches. Pods count on their node from the moment they are
 * assumed.
 */
export class SchedulerCache {
  readonly #nodes = new Map<string, NodeInfo>();
  /** Pods on nodes that are not (or no longer) known. */
  readonly #placed = new Map<string, { readonly node: string; readonly facts: PodInfo }>();
  readonly #closers: { close(): void }[] = [];

  constructor(readonly client: LocalClient) {}

  /** Starts watching; `onChange` hears of everything that could let a waiting pod in, and of every pod. */
  start(onChange: Change): void {
    this.#watch('', 'nodes', (event) => {
      if (this.#nodeChanged(event)) onChange('node', event);
    });
    this.#watch('', 'pods', (event) => {
      this.#podChanged(event);
      onChange('pod', event);
    });
    for (const [group, plural] of [
      ['', 'persistentvolumeclaims'],
      ['', 'persistentvolumes'],
      ['storage.k8s.io', 'storageclasses'],
      ['storage.k8s.io', 'csinodes'],
      ['storage.k8s.io', 'volumeattachments'],
    ] as const) {
      this.#watch(group, plural, (event) => onChange('volume', event));
    }
    this.#watch('', 'namespaces', (event) => {
      if (event.previous && !equal(event.previous.metadata.labels, event.object.metadata.labels))
        onChange('other', event);
    });
  }

  close(): void {
    for (const each of this.#closers) each.close();
  }

  /** Counts the pod on the node before the API server knows it is there. */
  assume(facts: PodInfo, node: string): void {
    const uid = facts.pod.metadata.uid ?? '';
    this.#forget(uid);
    this.#placed.set(uid, { node, facts });
    this.#nodes.get(node)?.add(facts);
  }

  /** The pod did not get there after all. */
  unassume(uid: string): void {
    this.#forget(uid);
  }

  /** `nominated` pods count on the node that was cleared for them. */
  snapshot(nominated: readonly { readonly facts: PodInfo; readonly node: string }[] = []): ClusterSnapshot {
    const { client } = this;
    const nodes = [...this.#nodes.values()].map((state) => {
      const expected = nominated.filter(({ node }) => node === state.name);
      if (expected.length === 0) return state;
      const copy = state.without(new Set());
      for (const { facts } of expected) copy.add(facts);
      return copy;
    });
    return {
      nodes,
      claim: (namespace, name) => client.get({ group: '', plural: 'persistentvolumeclaims' }, namespace, name),
      volume: (name) => (name === '' ? undefined : client.get({ group: '', plural: 'persistentvolumes' }, '', name)),
      volumes: () => client.list({ group: '', plural: 'persistentvolumes' }),
      storageClass: (name) =>
        name === '' ? undefined : client.get({ group: 'storage.k8s.io', plural: 'storageclasses' }, '', name),
      namespaceLabels: (name) => client.get({ group: '', plural: 'namespaces' }, '', name)?.metadata.labels ?? {},
      volumeLimit: (node, driver) =>
        volumeLimit(client.get({ group: 'storage.k8s.io', plural: 'csinodes' }, '', node), driver),
      attachedVolumes: (node) => attachedVolumes(client, node),
    };
  }

  #watch(group: string, plural: string, listener: (event: WatchedObject) => void): void {
    this.#closers.push(this.client.watch({ group, plural }, listener));
  }

  #nodeChanged({ type, object }: WatchedObject): boolean {
    const name = object.metadata.name ?? '';
    const known = this.#nodes.get(name);
    if (type === 'DELETED') return this.#nodes.delete(name);
    if (known) return known.update(object);
    const state = new NodeInfo(object);
    this.#nodes.set(name, state);
    for (const { node, facts } of this.#placed.values()) if (node === name) state.add(facts);
    return true;
  }

  #podChanged({ type, object }: WatchedObject): void {
    const uid = object.metadata.uid ?? '';
    const node = text(maybe(object, 'spec'), 'nodeName');
    if (type === 'DELETED' || hasEnded(object)) this.#forget(uid);
    else if (node !== '') this.assume(podInfo(object), node);
  }

  #forget(uid: string): void {
    const placed = this.#placed.get(uid);
    if (!placed) return;
    this.#placed.delete(uid);
    this.#nodes.get(placed.node)?.remove(uid);
  }
}

export function hasEnded(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(text(maybe(pod, 'status'), 'phase'));
}

function volumeLimit(csiNode: KubeObject | undefined, driver: string): number | undefined {
  const entry = items(maybe(csiNode, 'spec'), 'drivers').find((each) => text(each, 'name') === driver);
  const allocatable = maybe(entry, 'allocatable');
  return allocatable && own(allocatable, 'count') !== undefined ? count(allocatable, 'count') : undefined;
}

function attachedVolumes(client: LocalClient, node: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const attachment of client.list({ group: 'storage.k8s.io', plural: 'volumeattachments' })) {
    const spec = maybe(attachment, 'spec');
    if (text(spec, 'nodeName') !== node) continue;
    const csi = maybe(
      client.get({ group: '', plural: 'persistentvolumes' }, '', text(maybe(spec, 'source'), 'persistentVolumeName')),
      'spec.csi',
    );
    const handle = text(csi, 'volumeHandle');
    if (handle !== '')
      found.set(text(spec, 'attacher'), (found.get(text(spec, 'attacher')) ?? new Set<string>()).add(handle));
  }
  return found;
}
