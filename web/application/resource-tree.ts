import type { WireApplication, WireNode, WireNodeRef, WireResource, WireTree } from '../http/wire';

/** One object on the page, with what belongs to it. */
export interface TreeItem {
  readonly id: string;
  readonly ref: WireNodeRef & { readonly version: string };
  readonly health: string;
  readonly message: string;
  /** Empty for what nobody compares: hooks, and objects that controllers made. */
  readonly sync: string;
  readonly isHook: boolean;
  readonly info: readonly string[];
  readonly createdAt: string;
  readonly children: readonly TreeItem[];
  /** How many objects hang below it, at any depth. */
  readonly below: number;
}

/** Several objects of one kind in one wave, told as one line until somebody opens it. */
export interface TreeGroup {
  readonly kind: string;
  readonly items: readonly TreeItem[];
  /** The worst of them decides what the line shows. */
  readonly health: string;
  readonly sync: string;
}

export interface WaveColumn {
  readonly wave: number;
  readonly count: number;
  readonly groups: readonly TreeGroup[];
}

export function idOf({ group = '', kind, namespace = '', name }: WireNodeRef): string {
  return [group, kind, namespace, name].join('|');
}

const WORST_FIRST = ['Degraded', 'Missing', 'Unknown', 'Progressing', 'Suspended', 'Healthy', ''];

export function worstHealth(healths: readonly string[]): string {
  return WORST_FIRST.find((health) => healths.includes(health)) ?? '';
}

/**
 * Every managed object with what hangs below it, in columns by wave. Objects of a wave stand by kind, the worst first.
 */
export function waveColumns(application: WireApplication, tree: WireTree | undefined, search = ''): WaveColumn[] {
  const managed = application.status?.resources ?? [];
  const nodes = new Map((tree?.nodes ?? []).map((node) => [idOf(node), node]));
  const children = childrenOf(nodes);
  const items = managed.map((resource) => ({
    wave: resource.syncWave ?? 0,
    item: itemOf(resource, nodes.get(idOf(resource)), nodes, children),
  }));
  const found = search.trim() === '' ? items : items.filter(({ item }) => matches(item, search.trim().toLowerCase()));
  const waves = [...new Set(found.map(({ wave }) => wave))].sort((a, b) => a - b);
  return waves.map((wave) => {
    const own = found.filter((each) => each.wave === wave).map(({ item }) => item);
    return { wave, count: own.length, groups: groupsOf(own) };
  });
}

function groupsOf(items: readonly TreeItem[]): TreeGroup[] {
  const byKind = new Map<string, TreeItem[]>();
  for (const item of items) byKind.set(item.ref.kind, [...(byKind.get(item.ref.kind) ?? []), item]);
  const rank = (health: string): number => WORST_FIRST.indexOf(health);
  return [...byKind]
    .map(
      ([kind, own]): TreeGroup => ({
        kind,
        items: own.toSorted(
          (a, b) =>
            rank(a.health) - rank(b.health) ||
            Number(a.sync !== 'OutOfSync') - Number(b.sync !== 'OutOfSync') ||
            a.ref.name.localeCompare(b.ref.name),
        ),
        health: worstHealth(own.map(({ health }) => health)),
        sync: own.some(({ sync }) => sync === 'OutOfSync') ? 'OutOfSync' : (own[0]?.sync ?? ''),
      }),
    )
    .sort(
      (a, b) =>
        rank(a.health) - rank(b.health) ||
        Number(a.sync !== 'OutOfSync') - Number(b.sync !== 'OutOfSync') ||
        a.kind.localeCompare(b.kind),
    );
}

function childrenOf(nodes: ReadonlyMap<string, WireNode>): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const [id, { parentRefs = [] }] of nodes) {
    for (const parent of parentRefs) children.set(idOf(parent), [...(children.get(idOf(parent)) ?? []), id]);
  }
  return children;
}

function itemOf(
  resource: WireResource,
  node: WireNode | undefined,
  nodes: ReadonlyMap<string, WireNode>,
  children: ReadonlyMap<string, readonly string[]>,
): TreeItem {
  const below = descend(idOf(resource), nodes, children, new Set([idOf(resource)]));
  return {
    id: idOf(resource),
    ref: { ...resource, version: resource.version ?? node?.version ?? '' },
    health: resource.health?.status ?? node?.health?.status ?? '',
    message: resource.health?.message ?? node?.health?.message ?? '',
    sync: resource.hook === true ? '' : (resource.status ?? ''),
    isHook: resource.hook === true,
    info: infoOf(node),
    createdAt: node?.createdAt ?? '',
    children: below,
    below: sizeOf(below),
  };
}

/** Owners may form a circle in a broken cluster: nothing is shown below itself. */
function descend(
  id: string,
  nodes: ReadonlyMap<string, WireNode>,
  children: ReadonlyMap<string, readonly string[]>,
  seen: ReadonlySet<string>,
): TreeItem[] {
  return (children.get(id) ?? [])
    .filter((child) => !seen.has(child))
    .flatMap((child) => {
      const node = nodes.get(child);
      if (node === undefined) return [];
      const below = descend(child, nodes, children, new Set([...seen, child]));
      return [
        {
          id: child,
          ref: { ...node, version: node.version ?? '' },
          health: node.health?.status ?? '',
          message: node.health?.message ?? '',
          sync: '',
          isHook: false,
          info: infoOf(node),
          createdAt: node.createdAt ?? '',
          children: below,
          below: sizeOf(below),
        },
      ];
    })
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || a.ref.name.localeCompare(b.ref.name));
}

const infoOf = (node: WireNode | undefined): string[] =>
  (node?.info ?? [])
    .filter(({ name }) => !['Status Reason', 'Revision'].includes(name) || name === 'Status Reason')
    .map(({ value }) => value);
const sizeOf = (items: readonly TreeItem[]): number => items.reduce((sum, { below }) => sum + 1 + below, 0);

function matches(item: TreeItem, search: string): boolean {
  return (
    `${item.ref.kind}/${item.ref.name} ${item.ref.namespace ?? ''} ${item.health} ${item.sync}`
      .toLowerCase()
      .includes(search) || item.children.some((child) => matches(child, search))
  );
}

export function findItem(columns: readonly WaveColumn[], id: string): TreeItem | undefined {
  const look = (items: readonly TreeItem[]): TreeItem | undefined => {
    for (const item of items) {
      const found = item.id === id ? item : look(item.children);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return look(columns.flatMap(({ groups }) => groups.flatMap(({ items }) => items)));
}
