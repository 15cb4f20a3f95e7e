import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Graph, Node } from '../graph/index.js';
import type { Finding } from './finding.js';

/** Takes one object and returns what is wrong with it. */
export type Rule = (node: Node, graph: Graph) => readonly Finding[];

/** The rules of one subject by `group/Kind`, such as `apps/Deployment` or `/Pod`. */
export type RuleTable = Readonly<Record<string, readonly Rule[]>>;

/** Every rule. */
export interface RuleSet {
  readonly byKind: ReadonlyMap<string, readonly Rule[]>;
  readonly forAll: readonly Rule[];
  /** For referenced objects that do not exist. */
  readonly forGhosts: Rule;
  /** For objects without findings of other rules. */
  readonly otherwise: Rule;
}

/** An external health check, for kinds without rules. */
export type Assess = (object: KubeObject) => { readonly status: string; readonly message?: string } | undefined;

/** A mistake in the health checks of Argo CD's settings, found by the Lua linter. */
export interface LintFact {
  readonly rule: string;
  /** The object, as `Kind namespace/name`. */
  readonly of: string;
  readonly key: string;
  readonly message: string;
  readonly hint: string;
}

export type Lint = (settings: {
  readonly configMaps: readonly KubeObject[];
  readonly argocds: readonly KubeObject[];
  readonly crds: readonly KubeObject[];
}) => readonly LintFact[];

/** Which sync window of a project keeps an application from syncing at that moment, by its place in the list. */
export type BlockingWindow = (project: KubeObject, application: KubeObject, time: number) => number | undefined;

/**
 * What other rooms know and rules need. Without `lint` health checks are not checked, without `blockingWindow` sync
 * windows are not.
 */
export interface RuleServices {
  /** The health of an object as Argo CD assesses it; for kinds without rules. */
  readonly assess: Assess;
  readonly lint?: Lint;
  readonly blockingWindow?: BlockingWindow;
}

/** Runs the rules of each node once. */
export class RuleEngine {
  readonly #graph: Graph;
  readonly #rules: RuleSet;
  readonly #known = new Map<string, readonly Finding[]>();

  constructor(graph: Graph, rules: RuleSet) {
    this.#graph = graph;
    this.#rules = rules;
  }

  findings(node: Node): readonly Finding[] {
    const known = this.#known.get(node.id);
    if (known !== undefined) return known;
    const found = this.#graph.attempt(node, () => this.#check(node));
    this.#known.set(node.id, found);
    return found;
  }

  #check(node: Node): readonly Finding[] {
    if (node.state === 'ghost') return this.#rules.forGhosts(node, this.#graph);
    const special = this.#rules.byKind.get(`${node.key.group}/${node.key.kind}`) ?? [];
    if (node.state === 'present') {
      const found = [...special, ...this.#rules.forAll].flatMap((rule) => rule(node, this.#graph));
      return found.length > 0 ? found : this.#rules.otherwise(node, this.#graph);
    }
    return node.state === 'virtual' ? special.flatMap((rule) => rule(node, this.#graph)) : [];
  }
}
