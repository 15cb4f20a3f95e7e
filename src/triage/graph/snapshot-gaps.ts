import { keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { textAt } from '../json/index.js';
import { numberAt, objectsAt } from '../../model/json/index.js';
import { conditionIs } from './conditions.js';
import { listedKey } from './listed-key.js';

/** Objects that others prove to exist, and how many of them are not in the snapshot although their kind was listed. */
export interface SnapshotGaps {
  /** A sentence where there are too many to believe in absence; empty otherwise. */
  readonly says: string;
  /** Whether absence of objects of a kind proves nothing. */
  hasGaps(group: string, kind: string): boolean;
}

interface SnapshotIndex {
  readonly objects: readonly KubeObject[];
  has(key: Key): boolean;
  wasListed(group: string, kind: string, namespace: string): boolean;
  ownersOf(object: KubeObject): readonly Key[];
}

interface Tally {
  proved: number;
  absent: number;
}

/** A busy cluster has a few: references to objects deleted a moment ago. An incomplete dump has many. */
const MANY = { everywhere: { absent: 5, share: 0.05 }, ofAKind: { absent: 3, share: 0.2 } } as const;

/**
 * What must exist because something else depends on it: the owner of an object, the node of a running pod, the synced
 * resources of an application.
 */
export function findSnapshotGaps(seen: SnapshotIndex): SnapshotGaps {
  const proved = new Set<string>();
  const byKind = new Map<string, Tally>();
  const prove = (key: Key): void => {
    const id = keyText(key);
    if (proved.has(id) || !seen.wasListed(key.group, key.kind, key.namespace)) return;
    proved.add(id);
    count(byKind, key, 1, seen.has(key) ? 0 : 1);
  };
  const readyPods = new Map<string, number>();
  for (const object of seen.objects) {
    for (const key of witnessed(object, seen)) prove(key);
    if (object.kind !== 'Pod' || !conditionIs(object, 'Ready', 'True')) continue;
    for (const owner of seen.ownersOf(object)) readyPods.set(keyText(owner), (readyPods.get(keyText(owner)) ?? 0) + 1);
  }
  for (const object of seen.objects) countPods(object, readyPods, byKind, seen);
  const all = [...byKind.values()].reduce(
    (sum, one) => ({ proved: sum.proved + one.proved, absent: sum.absent + one.absent }),
    { proved: 0, absent: 0 },
  );
  const isEverywhere = isMany(all, MANY.everywhere);
  const holed = new Set([...byKind].flatMap(([kind, tally]) => (isMany(tally, MANY.ofAKind) ? [kind] : [])));
  const says =
    isEverywhere || holed.size > 0
      ? `${all.absent} of ${all.proved} objects that must exist are missing from the snapshot: ` +
        `absence proves nothing${isEverywhere ? '' : ` for ${kindNames(holed)}`}`
      : '';
  return { says, hasGaps: (group, kind) => isEverywhere || holed.has(`${group}/${kind}`) };
}

function kindNames(kinds: ReadonlySet<string>): string {
  return [...kinds]
    .sort()
    .map((kind) => kind.slice(kind.indexOf('/') + 1))
    .join(', ');
}

function isMany(
  { proved, absent }: Tally,
  { absent: least, share }: { readonly absent: number; readonly share: number },
): boolean {
  return absent >= least && absent >= proved * share;
}

function count(
  byKind: Map<string, Tally>,
  { group, kind }: Pick<Key, 'group' | 'kind'>,
  proved: number,
  absent: number,
): void {
  const tally = byKind.get(`${group}/${kind}`) ?? { proved: 0, absent: 0 };
  byKind.set(`${group}/${kind}`, { proved: tally.proved + proved, absent: tally.absent + absent });
}

function* witnessed(object: KubeObject, { has, ownersOf }: SnapshotIndex): Iterable<Key> {
  const { kind, metadata } = object;
  const namespace = metadata.namespace ?? '';
  // An owner may be cluster-scoped; a reference does not say.
  for (const owner of ownersOf(object)) yield has({ ...owner, namespace: '' }) ? { ...owner, namespace: '' } : owner;
  if (namespace !== '') yield { group: '', kind: 'Namespace', namespace: '', name: namespace };
  if (kind === 'Pod' && textAt(object, 'status', 'phase') === 'Running' && textAt(object, 'spec', 'nodeName') !== '')
    yield { group: '', kind: 'Node', namespace: '', name: textAt(object, 'spec', 'nodeName') };
  if (kind === 'PersistentVolumeClaim' && textAt(object, 'status', 'phase') === 'Bound')
    yield { group: '', kind: 'PersistentVolume', namespace: '', name: textAt(object, 'spec', 'volumeName') };
  if (kind !== 'Application') return;
  for (const resource of objectsAt(object, 'status', 'resources')) {
    if (textAt(resource, 'status') !== 'Synced' || textAt(resource, 'health', 'status') === 'Missing') continue;
    yield listedKey(resource);
  }
}

/** A set that counts more ready pods than can be seen. */
function countPods(
  object: KubeObject,
  readyPods: ReadonlyMap<string, number>,
  byKind: Map<string, Tally>,
  { wasListed }: SnapshotIndex,
): void {
  const { kind, metadata } = object;
  if ((kind !== 'ReplicaSet' && kind !== 'StatefulSet') || !wasListed('', 'Pod', metadata.namespace ?? '')) return;
  const ready = numberAt(object, 'status', 'readyReplicas') ?? 0;
  const found =
    readyPods.get(keyText({ group: 'apps', kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' })) ??
    0;
  count(byKind, { group: '', kind: 'Pod' }, ready, Math.max(0, ready - found));
}
