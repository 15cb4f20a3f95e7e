import type { Key } from '../../../model/kubernetes/index.js';
import type { Graph } from '../graph.js';
import type { Edge, EdgeType, Grade, Node, Phase } from '../node.js';

/** A reference as a field makes it; by default in the namespace of the referrer. */
export interface Reference {
  readonly group?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly field: string;
  readonly phases: readonly Phase[];
  readonly type?: EdgeType;
  readonly optional?: boolean;
  readonly grade?: Grade;
}

/** The edges of one node, as they are found. */
export class EdgeList {
  readonly edges: Edge[] = [];
  readonly #graph: Graph;
  readonly #node: Node;

  constructor(node: Node, graph: Graph) {
    this.#node = node;
    this.#graph = graph;
  }

  /** A reference by name; one without a name is none. */
  refer({
    group = '',
    kind,
    name,
    namespace = this.#node.key.namespace,
    field,
    phases,
    type = 'config',
    optional = false,
    grade,
  }: Reference): void {
    if (name === '') return;
    const to = this.#graph.store.refer({ group, kind, namespace, name });
    this.edges.push({
      to,
      field,
      type: optional ? 'optional' : type,
      phases,
      hard: !optional,
      grade: grade ?? (to.state === 'ghost' ? 'B' : 'A'),
    });
  }

  /** Whether an object is known not to exist, or was not read. */
  isAbsent(key: Key): boolean {
    return this.#graph.store.get(key)?.object === undefined;
  }

  /** A reference to something without a namespace. */
  referCluster(reference: Omit<Reference, 'namespace'>): void {
    this.refer({ ...reference, namespace: '' });
  }

  add(to: Node, edge: Omit<Edge, 'to' | 'hard' | 'grade'> & { readonly hard?: boolean; readonly grade?: Grade }): void {
    this.edges.push({ hard: true, grade: 'A', ...edge, to });
  }

  /** Everything a controller created. */
  children(phases: readonly Phase[]): void {
    for (const child of this.#graph.store.children(this.#node))
      this.add(child, { field: 'metadata.ownerReferences', type: 'owner', phases });
  }
}
