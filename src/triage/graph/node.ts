import type { Key, KubeObject } from '../../model/kubernetes/index.js';

/**
 * present: it is in the snapshot. ghost: something refers to it and it is known to be absent. unknown: it could not be
 * read, so it is neither blamed nor cleared. virtual: no object of the cluster (an image, a host).
 */
export type NodeState = 'present' | 'ghost' | 'unknown' | 'virtual';

export interface Node {
  /** `group/Kind/namespace/name`, the same text for the same thing. */
  readonly id: string;
  readonly key: Key;
  readonly object: KubeObject | undefined;
  readonly state: NodeState;
}

/** What people call it: `Deployment shop/cart`. */
export function nodeText({ key }: Pick<Node, 'key'>): string {
  return key.namespace === '' ? `${key.kind} ${key.name}` : `${key.kind} ${key.namespace}/${key.name}`;
}

/** The name of a container where what was read does not show it: a table of kubectl prints none. */
export const UNNAMED = '(unnamed)';

/** Whether a field may exist although the object does not have it: a table of kubectl prints only a few. */
export function isUnseen({ object }: Node, field: string): boolean {
  const unseen = object?.['unseen'];
  return Array.isArray(unseen) && unseen.includes(field);
}

/**
 * When a part of an object's life needs another: a fault of one phase is never explained by what another phase needs.
 */
export const PHASES = [
  'render',
  'compare',
  'admit',
  'create',
  'schedule',
  'attach',
  'pull',
  'configure',
  'init',
  'run',
  'ready',
  'reconcile',
  'serve',
] as const;
export type Phase = (typeof PHASES)[number];

/**
 * A: the field names it. B: the field names it and it does not exist. C: by convention (host names, labels). D: from
 * text only.
 */
export type Grade = 'A' | 'B' | 'C' | 'D';

/** Where to break a cycle of objects that wait for each other: the lower, the cheaper. */
export const CUT_COST = { wave: 0, optional: 1, config: 2, data: 3, owner: 4 } as const;
export type EdgeType = keyof typeof CUT_COST;

/** One object needs another, by a field. */
export interface Edge {
  readonly to: Node;
  /** Path in the object that needs. */
  readonly field: string;
  readonly type: EdgeType;
  readonly phases: readonly Phase[];
  /** Optional references explain nothing. */
  readonly hard: boolean;
  readonly grade: Grade;
}
