import { matchesLabels, type KubeObject, type LabelSelector } from '../../model/kubernetes/index.js';

/** What the reconcile of one object read, so that it is reconciled again when that changes. */
export type Dependency =
  | { readonly kind: 'one'; readonly of: string; readonly namespace: string; readonly name: string }
  | { readonly kind: 'all'; readonly of: string; readonly namespace: string; readonly selector: LabelSelector };

/** `group/Kind`, the first half of every entry. */
export const kindText = (group: string, kind: string): string => `${group}/${kind}`;

/** Stands for a kind where a pass depends on the answer of a probe; the question is the name. */
export const PROBES = 'probes';

type All = Dependency & { kind: 'all' };

/** From a target back to the keys that read it. */
export class RefIndex {
  readonly #of = new Map<string, readonly Dependency[]>();
  readonly #ones = new Map<string, Set<string>>();
  readonly #alls = new Map<string, Map<string, readonly All[]>>();

  /** What `key` depends on from now on; nothing forgets it. */
  set(key: string, dependencies: readonly Dependency[]): void {
    for (const old of this.#of.get(key) ?? []) this.#forget(key, old);
    if (dependencies.length === 0) this.#of.delete(key);
    else this.#of.set(key, dependencies);
    for (const dependency of dependencies) this.#remember(key, dependency);
  }

  /** Keys that a change from one state of an object to another concerns. */
  *keysFor(of: string, states: readonly (KubeObject | undefined)[]): Iterable<string> {
    const { namespace = '', name = '' } = states.find((state) => state !== undefined)?.metadata ?? {};
    yield* this.#ones.get(oneText(of, namespace, name)) ?? [];
    for (const [key, alls] of this.#alls.get(of) ?? []) {
      const concerned = alls.some(
        (all) =>
          (all.namespace === '' || all.namespace === namespace) &&
          states.some((state) => state !== undefined && matchesLabels(all.selector, state.metadata.labels)),
      );
      if (concerned) yield key;
    }
  }

  /** Keys that read one object by its name. */
  keysOfOne(of: string, namespace: string, name: string): readonly string[] {
    return [...(this.#ones.get(oneText(of, namespace, name)) ?? [])];
  }

  /** Keys that read any object of a kind. */
  *keysOfKind(of: string): Iterable<string> {
    for (const [key, dependencies] of this.#of) if (dependencies.some((dependency) => dependency.of === of)) yield key;
  }

  #remember(key: string, dependency: Dependency): void {
    if (dependency.kind === 'one') {
      const at = oneText(dependency.of, dependency.namespace, dependency.name);
      this.#ones.set(at, (this.#ones.get(at) ?? new Set()).add(key));
    } else {
      const keys = this.#alls.get(dependency.of) ?? new Map<string, readonly All[]>();
      this.#alls.set(dependency.of, keys.set(key, [...(keys.get(key) ?? []), dependency]));
    }
  }

  #forget(key: string, dependency: Dependency): void {
    if (dependency.kind === 'all') {
      this.#alls.get(dependency.of)?.delete(key);
      return;
    }
    const at = oneText(dependency.of, dependency.namespace, dependency.name);
    const keys = this.#ones.get(at);
    keys?.delete(key);
    if (keys?.size === 0) this.#ones.delete(at);
  }
}

function oneText(of: string, namespace: string, name: string): string {
  return `${of}/${namespace}/${name}`;
}
