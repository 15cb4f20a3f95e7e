import { Fault } from '../../model/faults/index.js';
import { WHOLE_CLUSTER, type ClusterRecord, type ClusterScope, type Destination } from '../../model/argo/index.js';
import type { Cluster } from '../../cluster/index.js';
import type { ClusterCache } from './cluster-cache.js';

export const IN_CLUSTER = 'https://kubernetes.default.svc';
export const IN_CLUSTER_NAME = 'in-cluster';

/** A cluster that can be a destination. */
export interface KnownCluster {
  readonly server: string;
  readonly name: string;
  /** Of its Secret; empty for the in-cluster one without a Secret. */
  readonly uid: string;
  /** The shard that its Secret chooses, if any. */
  readonly shard: number | undefined;
  /** The only project that may use it; empty for all. */
  readonly project: string;
  readonly isSkipped: boolean;
  /** What of it is managed. */
  readonly scope: ClusterScope;
  open(): Promise<Cluster>;
}

export interface ClustersOptions {
  readonly controlPlane: Cluster;
  readonly isInClusterEnabled: () => boolean;
  /** The clusters that Secrets describe now. */
  readonly records: () => readonly ClusterRecord[];
  readonly connect: (record: ClusterRecord) => Cluster;
  readonly openCache: (known: KnownCluster, cluster: Cluster) => Promise<ClusterCache>;
}

/** The known clusters; the cache of each is opened when the first application needs it. */
export class Clusters {
  readonly #options: ClustersOptions;
  readonly #caches = new Map<string, Promise<ClusterCache>>();
  readonly #opened = new Map<string, ClusterCache>();
  #known: readonly KnownCluster[] | undefined;

  constructor(options: ClustersOptions) {
    this.#options = options;
  }

  /** The cluster of a destination, or a Fault. */
  find({ server, name }: Destination): KnownCluster {
    if (server !== '' && name !== '')
      throw invalidDestination(`application destination can't have both name and server defined: ${name} ${server}`);
    if (server === '' && name === '') throw invalidDestination('Destination server missing from app spec');
    const found = this.all().find((each) => (server === '' ? each.name === name : isSameServer(each.server, server)));
    if (found !== undefined) return found;
    if (server !== '' ? isSameServer(server, IN_CLUSTER) : name === IN_CLUSTER_NAME)
      throw invalidDestination(`cluster "${IN_CLUSTER}" is disabled`);
    throw invalidDestination(
      server === '' ? `there are no clusters with this name: ${name}` : `cluster '${server}' has not been configured`,
    );
  }

  all(): readonly KnownCluster[] {
    return (this.#known ??= this.#read());
  }

  cacheOf(known: KnownCluster): Promise<ClusterCache> {
    const open = this.#caches.get(known.server);
    if (open !== undefined) return open;
    const opening = known.open().then((cluster) => this.#options.openCache(known, cluster));
    this.#caches.set(known.server, opening);
    // A cluster that does not answer now may answer later.
    opening.then(
      (cache) => {
        if (this.#caches.get(known.server) === opening) this.#opened.set(known.server, cache);
      },
      () => this.#caches.delete(known.server),
    );
    return opening;
  }

  /** Clusters whose cache is open, without waiting for others. */
  opened(): readonly { readonly known: KnownCluster; readonly clusterCache: ClusterCache }[] {
    return this.all().flatMap((known) => {
      const clusterCache = this.#opened.get(known.server);
      return clusterCache === undefined ? [] : [{ known, clusterCache }];
    });
  }

  /** All caches, once those that are being opened are open. */
  async caches(): Promise<ClusterCache[]> {
    const settled = await Promise.allSettled(this.#caches.values());
    return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  /** Closes all caches, or that of one server; they are opened again, with the current settings, when needed. */
  async reopen(server?: string): Promise<void> {
    const servers = server === undefined ? [...this.#caches.keys()] : [server];
    const old = servers.flatMap((each) => this.#caches.get(each) ?? []);
    for (const each of servers) {
      this.#caches.delete(each);
      this.#opened.delete(each);
    }
    for (const cache of await Promise.allSettled(old)) if (cache.status === 'fulfilled') cache.value.close();
  }

  /** Secrets have changed: they are read again when needed. Caches stay open. */
  forget(): void {
    this.#known = undefined;
  }

  async close(): Promise<void> {
    for (const cache of await this.caches()) {
      cache.close();
      if (cache.cluster !== this.#options.controlPlane) await cache.cluster.close();
    }
    this.#caches.clear();
    this.#opened.clear();
  }

  #read(): KnownCluster[] {
    const { records, connect, controlPlane, isInClusterEnabled } = this.#options;
    const described = records().map(
      (record): KnownCluster => ({
        server: record.server,
        name: record.name,
        uid: record.uid,
        shard: record.shard,
        project: record.project,
        isSkipped: record.skipReconcile,
        scope: record,
        open: () => Promise.resolve().then(() => connect(record)),
      }),
    );
    const here = described.find(({ server }) => isSameServer(server, IN_CLUSTER));
    const own: KnownCluster = {
      server: IN_CLUSTER,
      name: here?.name ?? IN_CLUSTER_NAME,
      uid: here?.uid ?? '',
      shard: here?.shard,
      project: here?.project ?? '',
      isSkipped: here?.isSkipped ?? false,
      scope: here?.scope ?? WHOLE_CLUSTER,
      open: () => Promise.resolve(controlPlane),
    };
    return [...(isInClusterEnabled() ? [own] : []), ...described.filter((each) => each !== here)];
  }
}

function isSameServer(a: string, b: string): boolean {
  return a.replace(/(?<!\/)\/+$/, '') === b.replace(/(?<!\/)\/+$/, '');
}

function invalidDestination(message: string): Fault {
  return new Fault('VALUE_INVALID', message, { where: 'spec.destination' });
}
