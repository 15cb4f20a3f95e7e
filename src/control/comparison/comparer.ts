import { compare, confirm, dryRunKey, type DiffRules, type Difference } from '../../diff/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ClusterError, type Cluster, type ResourceKind } from '../../cluster/index.js';
import type { ClusterCache } from '../cache/index.js';

export interface Comparison {
  readonly differences: readonly Difference[];
  /** Why the server rejects the target; it was asked because something differs. */
  readonly rejection?: string;
  /** The server has dry-run the target. */
  readonly isChecked: boolean;
}

/** A destination as the user whose rights a sync would have; empty for the controller itself. */
export interface DryRunRights {
  readonly cluster: Cluster;
  readonly user: string;
}

const NO_DIFFERENCES: Comparison = { differences: [], isChecked: false };
/** Dry runs that are cached. */
const MAX_CACHED_RESULTS = 20_000;

/**
 * Compares targets with live objects. A difference may be none for the server (defaults, webhooks, order of a list), so
 * it is confirmed by a dry run, once for each version of both.
 */
export class Comparer {
  readonly #results = new Map<string, Comparison>();
  readonly #rules = new WeakMap<DiffRules, number>();
  #count = 0;
  /** Dry runs sent, for the metrics. */
  dryRuns = 0;

  async compare(
    target: KubeObject,
    live: KubeObject,
    rules: DiffRules,
    clusterCache: ClusterCache,
    rights: DryRunRights | undefined,
  ): Promise<Comparison> {
    const local = compare(target, live, rules);
    if (local.length === 0) return NO_DIFFERENCES;
    if (rights === undefined) return { differences: local, isChecked: false };
    const key = `${clusterCache.server}\n${rights.user}\n${this.#numberOf(rules)}\n${dryRunKey(target, live)}`;
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const answer = await this.#dryRun(target, live, local, rules, clusterCache.kindOf(target), rights.cluster);
    if (answer === undefined) return { differences: local, isChecked: false };
    this.#results.set(key, answer);
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= MAX_CACHED_RESULTS) break;
      this.#results.delete(oldest);
    }
    return answer;
  }

  /** Results hold for the rules they were compared with. */
  #numberOf(rules: DiffRules): number {
    const known = this.#rules.get(rules);
    if (known !== undefined) return known;
    this.#rules.set(rules, ++this.#count);
    return this.#count;
  }

  async #dryRun(
    target: KubeObject,
    live: KubeObject,
    local: readonly Difference[],
    rules: DiffRules,
    kind: ResourceKind | undefined,
    cluster: Cluster,
  ): Promise<Comparison | undefined> {
    if (kind === undefined) return undefined;
    try {
      this.dryRuns++;
      const predicted = await cluster.apply(kind, target, {
        dryRun: true,
        force: true,
        fieldValidation: 'Ignore',
        ...(live.metadata.uid === undefined ? {} : { uid: live.metadata.uid }),
      });
      return { differences: confirm(target, live, predicted, rules), isChecked: true };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // No answer now: the local comparison counts until there is one.
      if (
        !(error instanceof ClusterError) ||
        !(error.status === 422 || error.isSchemaMismatch) ||
        error.causes.some(({ field }) => field === 'metadata.uid')
      )
        return undefined;
      return { differences: local, rejection: error.message, isChecked: true };
    }
  }
}
