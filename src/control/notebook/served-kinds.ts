import { isArray, isObject } from '../../model/json/index.js';
import { joinApiVersion } from '../../model/kubernetes/index.js';
import { type Clock, type Cluster, ClusterError } from '../../cluster/index.js';
import type { ResourceRef } from '../../model/resources/index.js';

const MAX_AGE = 30_000;

/** The resource of a kind, by discovery; refreshed from time to time, since kinds come and go. */
export class ServedKinds {
  readonly #known = new Map<string, { readonly at: number; readonly kinds: Promise<readonly ResourceRef[]> }>();

  constructor(
    readonly cluster: Cluster,
    readonly clock: Clock,
  ) {}

  async find(group: string, version: string, kind: string): Promise<ResourceRef | undefined> {
    return (await this.#kindsOf(group, version)).find((each) => each.kind === kind);
  }

  #kindsOf(group: string, version: string): Promise<readonly ResourceRef[]> {
    const name = joinApiVersion(group, version);
    const known = this.#known.get(name);
    if (known !== undefined && this.clock.steady() - known.at < MAX_AGE) return known.kinds;
    const kinds = this.#fetch(group, version);
    this.#known.set(name, { at: this.clock.steady(), kinds });
    kinds.catch(() => this.#known.delete(name));
    return kinds;
  }

  async #fetch(group: string, version: string): Promise<ResourceRef[]> {
    try {
      const answer = await this.cluster.document(
        group === ''
          ? `/api/${encodeURIComponent(version)}`
          : `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`,
      );
      const resources =
        isObject(answer) && isArray(answer.resources) ? answer.resources.filter((each) => isObject(each)) : [];
      return resources.flatMap(({ name, kind, namespaced }) =>
        typeof name === 'string' && typeof kind === 'string' && !name.includes('/')
          ? [{ group, version, kind, plural: name, namespaced: namespaced === true }]
          : [],
      );
    } catch (error) {
      if (error instanceof ClusterError && error.isNotFound) return [];
      throw error;
    }
  }
}
