import type { Cluster } from '../../cluster/index.js';
import { compareText, gvkOf, keyOf, keyText, type KubeObject } from '../../model/index.js';
import { readable, type Kinds } from './live-objects.js';

/** A live object and what it owns. */
export interface TreeNode {
  readonly object: KubeObject;
  readonly children: readonly TreeNode[];
}

/** Kinds that nobody looks for in a tree. Endpoints are deprecated, and EndpointSlices tell the same. */
const NOT_IN_TREES = new Set(['/Event', 'events.k8s.io/Event', 'coordination.k8s.io/Lease', '/Endpoints']);

/** What belongs to these objects, by ownerReferences and by the names that Kubernetes gives, in their namespaces. */
export async function readTree(cluster: Cluster, kinds: Kinds, roots: readonly KubeObject[]): Promise<TreeNode[]> {
  const namespaces = [...new Set(roots.map(({ metadata }) => metadata.namespace ?? '').filter((name) => name !== ''))];
  const listed = kinds.all.filter((kind) => kind.namespaced && kind.preferred && kind.verbs.includes('list') && !NOT_IN_TREES.has(`${kind.group}/${kind.kind}`));
  const found = await Promise.all(namespaces.flatMap((namespace) => listed.map((kind) => readable(() => cluster.list(kind, { namespace })))));
  return growTree(roots, found.flatMap((list) => list?.items ?? []));
}

/** Every object hangs below its first owner that is there. */
export function growTree(roots: readonly KubeObject[], others: readonly KubeObject[]): TreeNode[] {
  const byOwner = new Map<string, KubeObject[]>();
  const rootKeys = new Set(roots.map((object) => keyText(keyOf(object))));
  const seen = new Set<string>();
  for (const object of others) {
    const uid = object.metadata.uid ?? keyText(keyOf(object));
    if (rootKeys.has(keyText(keyOf(object))) || seen.has(uid)) continue;
    seen.add(uid);
    for (const owner of ownersOf(object)) byOwner.set(owner, [...byOwner.get(owner) ?? [], object]);
  }
  const grow = (object: KubeObject, above: ReadonlySet<string>): TreeNode => {
    const uid = object.metadata.uid ?? '';
    const inside = new Set([...above, uid]);
    const children = [...byOwner.get(uid) ?? [], ...byOwner.get(keyText(keyOf(object))) ?? []].filter((child) => !inside.has(child.metadata.uid ?? ''));
    return { object, children: [...new Set(children)].sort(byKey).map((child) => grow(child, inside)) };
  };
  return [...roots].sort(byKey).map((root) => grow(root, new Set()));
}

function byKey(a: KubeObject, b: KubeObject): number {
  return compareText(keyText(keyOf(a)), keyText(keyOf(b)));
}

/** The uid of the first owner; without one, the keys of those that Kubernetes made it for. */
function ownersOf(object: KubeObject): string[] {
  const [owner] = object.metadata.ownerReferences ?? [];
  if (owner !== undefined) return [owner.uid];
  const { group, kind } = gvkOf(object);
  const { namespace = '', name = '' } = object.metadata;
  if (group === '' && kind === 'PersistentVolumeClaim') return statefulSetsOf(name).map((set) => keyText({ group: 'apps', kind: 'StatefulSet', namespace, name: set }));
  return [];
}

/** A claim `data-web-0` may be made for the StatefulSet `web`, or `data-web`: every cut is possible. */
function statefulSetsOf(claim: string): string[] {
  const stem = /^(.+)-\d+$/.exec(claim)?.[1] ?? '';
  const parts = stem.split('-');
  return parts.slice(1).map((_, index) => parts.slice(index + 1).join('-'));
}

/** Lines of a tree with what is printed before each: `├─`, `└─` and bars. */
export function treeLines(nodes: readonly TreeNode[]): { readonly node: TreeNode; readonly prefix: string }[] {
  const below = (node: TreeNode, indent: string): { node: TreeNode; prefix: string }[] => node.children.flatMap((child, index) => {
    const isLast = index === node.children.length - 1;
    return [{ node: child, prefix: `${indent}${isLast ? '└─' : '├─'}` }, ...below(child, `${indent}${isLast ? '  ' : '│ '}`)];
  });
  return nodes.flatMap((node) => [{ node, prefix: '' }, ...below(node, '')]);
}
