import { matchesLabels, type Key, type KubeObject, type LabelSelector } from '../../model/kubernetes/index.js';
import { textAt } from '../json/index.js';
import { objectsAt } from '../../model/json/index.js';
import type { AlertFact, EventFact, HostServiceFact, LogFact, SeriesFact, Snapshot } from '../snapshot/index.js';
import { listedKey } from './listed-key.js';
import { nodeText, type Edge, type Node } from './node.js';
import { ObjectStore, ownersOf } from './object-store.js';

/** What an extractor of edges may ask. */
export type EdgesOf = (node: Node, graph: Graph) => Edge[];

export const APPLICATION = { group: 'argoproj.io', kind: 'Application' } as const;

/** No real chain of owners is longer. */
const MAX_OWNERS = 30;

/** The snapshot as a dependency graph. Edges are computed on demand, so a healthy fleet is cheap. */
export class Graph {
  readonly store: ObjectStore;
  readonly time: number;
  readonly applications: readonly Node[];
  readonly alerts: readonly AlertFact[];
  readonly hostServices: readonly HostServiceFact[];
  readonly #series = new Map<string, SeriesFact[]>();
  readonly #edgesOf: EdgesOf;
  readonly #edges = new Map<string, readonly Edge[]>();
  readonly #events = new Map<string, EventFact[]>();
  readonly #logs = new Map<string, LogFact[]>();
  readonly #apps = new Map<string, readonly Node[]>();
  readonly #listed = new Map<string, Node[]>();
  readonly #facts = new Map<string, unknown>();
  readonly #oddities = new Set<string>();

  constructor(snapshot: Snapshot, edgesOf: EdgesOf) {
    this.store = new ObjectStore(snapshot);
    this.time = snapshot.time;
    this.#edgesOf = edgesOf;
    this.applications = this.store.ofKind(APPLICATION.group, APPLICATION.kind);
    for (const event of snapshot.events)
      put(this.#events, `${event.about.kind}/${event.about.namespace}/${event.about.name}`, event);
    for (const list of this.#events.values())
      list.sort((a, b) => (b.time ?? 0) - (a.time ?? 0) || (a.message < b.message ? -1 : 1));
    this.alerts = snapshot.alerts ?? [];
    this.hostServices = snapshot.hostServices ?? [];
    for (const series of snapshot.series ?? []) put(this.#series, series.name, series);
    for (const log of snapshot.logs) put(this.#logs, `${log.namespace}/${log.pod}`, log);
    for (const app of this.applications) this.#listResources(app);
  }

  /** What a node needs, by its fields. */
  edges(node: Node): readonly Edge[] {
    const known = this.#edges.get(node.id);
    if (known !== undefined) return known;
    const edges = this.attempt(node, () => this.#edgesOf(node, this));
    this.#edges.set(node.id, edges);
    return edges;
  }

  /** Events about a node, the latest first; those of an earlier object of the same name are left out. */
  events(node: Node): readonly EventFact[] {
    const { kind, namespace, name } = node.key;
    const uid = node.object?.metadata.uid;
    const found = this.#events.get(`${kind}/${namespace}/${name}`) ?? [];
    return found.filter((event) => event.uid === '' || uid === undefined || event.uid === uid || namespace === '');
  }

  /** What was measured under a name. */
  series(name: string): readonly SeriesFact[] {
    return this.#series.get(name) ?? [];
  }

  get seriesNames(): readonly string[] {
    return [...this.#series.keys()];
  }

  logs(pod: Node): readonly LogFact[] {
    return this.#logs.get(`${pod.key.namespace}/${pod.key.name}`) ?? [];
  }

  /** The controller of an object, where the snapshot has it. */
  owner(node: Node): Node | undefined {
    if (node.object === undefined) return undefined;
    for (const key of ownersOf(node.object)) {
      const owner = this.store.get(key) ?? this.store.get({ ...key, namespace: '' });
      if (owner?.object !== undefined && owner.id !== node.id) return owner;
    }
    return undefined;
  }

  /** The topmost owner; a cycle of owners ends at the first repeated one. */
  top(node: Node): Node {
    const seen = new Set([node.id]);
    let here = node;
    for (;;) {
      const owner = this.owner(here);
      if (
        owner === undefined ||
        seen.size > MAX_OWNERS ||
        seen.has(owner.id) ||
        owner.key.kind === APPLICATION.kind ||
        owner.key.kind === 'Node'
      )
        return here;
      seen.add(owner.id);
      here = owner;
    }
  }

  /** What defines an object: the topmost owner, even if it is only referenced and could not be read. */
  maker(node: Node): Node {
    const top = this.top(node);
    const [owner] = top.object === undefined ? [] : ownersOf(top.object);
    if (owner === undefined || owner.kind === APPLICATION.kind || owner.kind === 'Node') return top;
    return this.store.refer(makerOfOwner(owner, textAt(top.object, 'metadata', 'labels', 'pod-template-hash')));
  }

  /** The applications an object belongs to, directly or through its owners. */
  appsOf(node: Node): readonly Node[] {
    const known = this.#apps.get(node.id);
    if (known !== undefined) return known;
    let here: Node | undefined = node;
    let apps: readonly Node[] = [];
    for (let step = 0; here !== undefined && apps.length === 0 && step < MAX_OWNERS; step++) {
      apps = this.#directApps(here);
      here = this.owner(here);
    }
    this.#apps.set(node.id, apps);
    return apps;
  }

  /**
   * Pods of a namespace with these labels. One label is looked up, the others are compared: a namespace may have
   * thousands of Services and pods.
   */
  pods(namespace: string, selector: LabelSelector): Node[] {
    const named = selector.requirements.filter(
      ({ operator, values }) => (operator === '=' || operator === '==' || operator === 'in') && values.length === 1,
    );
    const byLabel = named.length === 0 ? undefined : this.#podsByLabel(namespace);
    const fewest = named
      .map(({ key, values }) => byLabel?.get(labelText(key, values[0] ?? '')) ?? [])
      .sort((a, b) => a.length - b.length)[0];
    return (fewest ?? this.store.inNamespace('', 'Pod', namespace)).filter(
      ({ object }) => object !== undefined && matchesLabels(selector, object.metadata.labels ?? {}),
    );
  }

  /** One malformed object must not break the evaluation of the others: the report names it instead. */
  attempt<T>(node: Node, evaluate: () => readonly T[]): readonly T[] {
    try {
      return evaluate();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#oddities.add(`${nodeText(node)} is malformed and was only partly evaluated: ${reason}`);
      return [];
    }
  }

  /** Objects that could only be evaluated in part. */
  get oddities(): readonly string[] {
    return [...this.#oddities].sort();
  }

  /** A fact about the whole snapshot, computed once. */
  once<T>(name: string, make: () => T): T {
    if (!this.#facts.has(name)) this.#facts.set(name, make());
    return this.#facts.get(name) as T;
  }

  #podsByLabel(namespace: string): ReadonlyMap<string, Node[]> {
    return this.once(`pods by label in ${namespace}`, () => {
      const map = new Map<string, Node[]>();
      for (const pod of this.store.inNamespace('', 'Pod', namespace))
        for (const [key, value] of Object.entries(pod.object?.metadata.labels ?? {}))
          put(map, labelText(key, value), pod);
      return map;
    });
  }

  #directApps(node: Node): readonly Node[] {
    if (node.key.kind === APPLICATION.kind && node.key.group === APPLICATION.group)
      return node.object === undefined ? [] : [node];
    return this.deliverersOf(node);
  }

  /** The applications that deliver an object, which may be an application itself. */
  deliverersOf(node: Node): readonly Node[] {
    const apps = new Map((this.#listed.get(node.id) ?? []).map((app) => [app.id, app]));
    for (const name of trackingNames(node.object)) {
      const app = this.#appByName(name);
      if (app !== undefined) apps.set(app.id, app);
    }
    return [...apps.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  #appByName(name: string): Node | undefined {
    const byName = this.once(
      'applications by name',
      () =>
        new Map(
          this.applications.flatMap(
            (app) =>
              [
                [app.key.name, app],
                [`${app.key.namespace}_${app.key.name}`, app],
              ] as const,
          ),
        ),
    );
    return byName.get(name);
  }

  #listResources(app: Node): void {
    for (const resource of objectsAt(app.object, 'status', 'resources')) {
      const key = listedKey(resource);
      put(this.#listed, [key.group, key.kind, key.namespace, key.name].join('/'), app);
    }
  }
}

function put<T>(map: Map<string, T[]>, key: string, value: T): T[] {
  const list = map.get(key);
  if (list === undefined) {
    const first = [value];
    map.set(key, first);
    return first;
  }
  list.push(value);
  return list;
}

/** Deployments and CronJobs name what they make after themselves. */
function makerOfOwner(owner: Key, hash: string): Key {
  if (owner.kind === 'ReplicaSet' && hash !== '' && owner.name.endsWith(`-${hash}`))
    return { ...owner, kind: 'Deployment', name: owner.name.slice(0, -hash.length - 1) };
  const scheduled = owner.kind === 'Job' ? /^(.+)-\d{8,10}$/.exec(owner.name)?.[1] : undefined;
  return scheduled === undefined ? owner : { ...owner, kind: 'CronJob', name: scheduled };
}

const labelText = (key: string, value: string): string => `${key}=${value}`;

/** Names of applications as Argo CD writes them on tracked objects. */
function trackingNames(object: KubeObject | undefined): string[] {
  const tracking = textAt(object, 'metadata', 'annotations', 'argocd.argoproj.io/tracking-id');
  if (tracking !== '') return [tracking.slice(0, tracking.indexOf(':') < 0 ? undefined : tracking.indexOf(':'))];
  const label =
    textAt(object, 'metadata', 'labels', 'argocd.argoproj.io/instance') ||
    textAt(object, 'metadata', 'labels', 'app.kubernetes.io/instance');
  return label === '' ? [] : [label];
}
