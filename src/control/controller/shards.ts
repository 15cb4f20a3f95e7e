import { createHash } from 'node:crypto';
import { fnv1a } from '../../model/formats/index.js';
import { isObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ShardingAlgorithm } from '../../model/settings/index.js';
import type { Clusters, KnownCluster } from '../cache/index.js';
import { serverOf } from '../telemetry/index.js';

/** The part of all applications that a process reconciles: number `index`, from 0, of `count`. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

export const SINGLE_SHARD: Shard = { index: 0, count: 1 };

export interface ShardRules {
  readonly algorithm: ShardingAlgorithm;
  /** Applications are divided, not clusters: one cluster may be too much for one process. */
  readonly byApplication: boolean;
}

/**
 * Divides applications among processes as Argo CD does: each cluster belongs to one shard, and so do its applications.
 * Every process computes the same answer. For a moment after a change two may differ; conditional writes then keep them
 * from undoing each other's work.
 */
export class Shards {
  readonly #shard: Shard;
  readonly #clusters: Clusters;
  readonly #rules: () => ShardRules;
  #assignments:
    | {
        readonly of: readonly KnownCluster[];
        readonly algorithm: ShardingAlgorithm;
        readonly byServer: ReadonlyMap<string, number>;
      }
    | undefined;

  constructor(shard: Shard, clusters: Clusters, rules: () => ShardRules) {
    this.#shard = shard;
    this.#clusters = clusters;
    this.#rules = rules;
  }

  owns(application: KubeObject): boolean {
    const { index, count } = this.#shard;
    if (count === 1) return true;
    if (this.#rules().byApplication) return fnv1a(application.metadata.uid ?? '') % count === index;
    const server = serverOf(this.#clusters, isObject(application.spec) ? application.spec : {});
    // One with an unknown destination needs a shard that reports it.
    return (this.#byServer().get(server) ?? 0) === index;
  }

  /** Whether any application of the cluster may be ours. */
  needs(cluster: KnownCluster): boolean {
    return this.#rules().byApplication || (this.#byServer().get(cluster.server) ?? 0) === this.#shard.index;
  }

  #byServer(): ReadonlyMap<string, number> {
    const all = this.#clusters.all();
    const { algorithm } = this.#rules();
    if (this.#assignments?.of !== all || this.#assignments.algorithm !== algorithm)
      this.#assignments = { of: all, algorithm, byServer: assignClusters(all, algorithm, this.#shard.count) };
    return this.#assignments.byServer;
  }
}

/** The shard of each cluster, by server. The shard in its Secret counts if it exists. */
export function assignClusters(
  clusters: readonly Pick<KnownCluster, 'server' | 'uid' | 'shard'>[],
  algorithm: ShardingAlgorithm,
  count: number,
): ReadonlyMap<string, number> {
  const sorted = [...clusters].sort((a, b) => (a.uid < b.uid ? -1 : 1));
  return new Map(
    sorted.map(({ server, uid, shard }, position) => [
      server,
      shard !== undefined && shard < count ? shard : shardOf(uid, position, algorithm, count),
    ]),
  );
}

function shardOf(uid: string, position: number, algorithm: ShardingAlgorithm, count: number): number {
  // The in-cluster destination without a Secret.
  if (uid === '') return 0;
  switch (algorithm) {
    case 'legacy':
      return fnv1a(uid) % count;
    case 'round-robin':
      return position % count;
    case 'consistent-hashing':
      return highestWeight(uid, count);
    default:
      return algorithm satisfies never;
  }
}

/** The shard with the highest hash (rendezvous hashing): clusters move only to a new shard. */
function highestWeight(uid: string, count: number): number {
  const numbers = Array.from({ length: count }, (_, shard) =>
    createHash('sha256').update(`${shard} ${uid}`).digest().readUInt32BE(0),
  );
  return numbers.indexOf(Math.max(...numbers));
}
