import type { Cluster } from '../../cluster/index.js';
import { childrenOf, NOT_IN_TREES, type ObjectLister } from '../../control/index.js';
import { compareText } from '../../model/go/index.js';
import { gvkOf, keyOf, keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { readIfPermitted, type Kinds } from './live-objects.js';

/** A live object and what it owns. */
export interface TreeNode {
  readonly object: KubeObject;
  readonly children: readonly TreeNode[];
}

/** Deprecated, and EndpointSlices tell the same. */
const ENDPOINTS = '/Endpoints';

/** What belongs to these objects in their namespaces. */
export async function readTree(cluster: Cluster, kinds: Kinds, roots: readonly KubeObject[]): Promise<TreeNode[]> {
  const namespaces = [...new Set(roots.map(({ metadata }) => metadata.namespace ?? '').filter((name) => name !== ''))];
  const listed = kinds.all.filter(
    ({ group, kind, namespaced, preferred, verbs }) =>
      namespaced &&
      preferred &&
      verbs.includes('list') &&
      !NOT_IN_TREES.has(`${group}/${kind}`) &&
      `${group}/${kind}` !== ENDPOINTS,
  );
  const found = await Promise.all(
    namespaces.flatMap((namespace) => listed.map((kind) => readIfPermitted(() => cluster.list(kind, { namespace })))),
  );
  return growTree(
    roots,
    found.flatMap((list) => list?.items ?? []),
  );
}

/** Every object hangs below what it belongs to; what is a root itself hangs nowhere. */
export function growTree(roots: readonly KubeObject[], others: readonly KubeObject[]): TreeNode[] {
  const rootKeys = new Set(roots.map((object) => keyText(keyOf(object))));
  const known = knownObjects(others.filter((object) => !rootKeys.has(keyText(keyOf(object)))));
  const grow = (object: KubeObject, above: ReadonlySet<string>): TreeNode => {
    const inside = new Set([...above, keyText(keyOf(object))]);
    const children = childrenOf(object, known).filter((child) => !inside.has(keyText(keyOf(child))));
    return {
      object,
      children: [...new Map(children.map((child) => [keyText(keyOf(child)), child])).values()]
        .sort(byKey)
        .map((child) => grow(child, inside)),
    };
  };
  return [...roots].sort(byKey).map((root) => grow(root, new Set()));
}

/** What was listed, found by owner, key and kind. */
function knownObjects(objects: readonly KubeObject[]): ObjectLister {
  const [byOwner, byKeyText, byKind] = [
    new Map<string, KubeObject[]>(),
    new Map<string, KubeObject>(),
    new Map<string, KubeObject[]>(),
  ];
  const add = (to: Map<string, KubeObject[]>, at: string, object: KubeObject): void => {
    const list = to.get(at);
    if (list === undefined) to.set(at, [object]);
    else list.push(object);
  };
  for (const object of objects) {
    const { group, kind } = gvkOf(object);
    byKeyText.set(keyText(keyOf(object)), object);
    add(byKind, `${group}/${kind}`, object);
    for (const { uid } of object.metadata.ownerReferences ?? []) add(byOwner, uid, object);
  }
  return {
    childrenOf: (uid) => byOwner.get(uid) ?? [],
    get: (key) => byKeyText.get(keyText(key)),
    listOf: ({ group, kind }) => byKind.get(`${group}/${kind}`) ?? [],
  };
}

function byKey(a: KubeObject, b: KubeObject): number {
  return compareText(keyText(keyOf(a)), keyText(keyOf(b)));
}

/** Lines of a tree with what is printed before each: `├─`, `└─` and bars. */
export function treeLines(nodes: readonly TreeNode[]): { readonly node: TreeNode; readonly prefix: string }[] {
  const below = (node: TreeNode, indent: string): { node: TreeNode; prefix: string }[] =>
    node.children.flatMap((child, index) => {
      const isLast = index === node.children.length - 1;
      return [
        { node: child, prefix: `${indent}${isLast ? '└─' : '├─'}` },
        ...below(child, `${indent}${isLast ? '  ' : '│ '}`),
      ];
    });
  return nodes.flatMap((node) => [{ node, prefix: '' }, ...below(node, '')]);
}
