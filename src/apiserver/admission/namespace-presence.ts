import { prefixOf, type RestContext } from '../rest/index.js';

/**
 * Which namespaces hold objects of a built-in resource ('' for cluster scope). Every write asks whether there is a
 * quota or a policy at all, so the answer must cost nothing; it is about durable objects.
 */
export class NamespacePresence {
  readonly #counts = new Map<string, number>();

  constructor({ store, types }: RestContext, group: string, plural: string) {
    const type = types.preferred(group, plural);
    if (!type) return;
    const prefix = prefixOf(type);
    const add = (key: string, by: number): void => {
      const namespace = type.namespaced ? (key.slice(prefix.length).split('/')[0] ?? '') : '';
      this.#counts.set(namespace, (this.#counts.get(namespace) ?? 0) + by);
    };
    for (const { key } of store.range(prefix)) add(key, 1);
    // Ends with the store.
    store.watch(prefix, store.revision, ({ type: change, current }) => {
      if (change !== 'MODIFIED') add(current.key, change === 'ADDED' ? 1 : -1);
    });
  }

  has(namespace: string): boolean {
    return (this.#counts.get(namespace) ?? 0) > 0;
  }
}
