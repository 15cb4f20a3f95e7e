import { Fault } from '../../model/faults/index.js';
import type { ClusterRecord, Destination } from '../../model/argo/index.js';
import type { Cluster } from '../../cluster/index.js';
import type { ClusterCache } from './cluster-cache.js';

export const IN_CLUSTER = 'https://kubernetes.default.svc';
const IN_CLUSTER_NAME = 'in-cluster';

/** A cluster that applications may go to. */
export interface KnownCluster {
  readonly server: string;
  readonly name: string;
  /** Of its Secret; empty for the cluster that we run in, where it has none. */
  readonly uid: string;
  /** The process that looks after it, where its Secret chooses one. */
  readonly shard: number | undefined;
  /** The only project that may use it; empty for all. */
  readonly project: string;
  readonly isSkipped: boolean;
  open(): Promise<Cluster>;
}

export interface ClustersOptions {
  readonly controlPlane: Cluster;
  readonly isInClusterEnabled: () => boolean;
  /** The clusters that Secrets describe, as they are now. */
  readonly records: () => readonly ClusterRecord[];
  readonly connect: (record: ClusterRecord) => Cluster;
  readonly openCache: (server: string, cluster: Cluster) => Promise<ClusterCache>;
}

/** The clusters that applications name, each opened when the first one needs it. */
export class Clusters {
  readonly #options: ClustersOptions;
  readonly #caches = new Map<string, Promise<ClusterCache>>();
  readonly #opened = new Map<string, ClusterCache>();
  #known: readonly KnownCluster[] | undefined;

  constructor(options: ClustersOptions) {
    this.#options = options;
  }

  /** The cluster of a destination; a Fault says why there is none. */
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
    const opening = known.open().then((cluster) => this.#options.openCache(known.server, cluster));
    this.#caches.set(known.server, opening);
    // A cluster that does not answer now may answer later.
    opening.then(
      (view) => {
        if (this.#caches.get(known.server) === opening) this.#opened.set(known.server, view);
      },
      () => this.#caches.delete(known.server),
    );
    return opening;
  }

  /** Those that could be opened, without waiting for others. */
  opened(): readonly { readonly known: KnownCluster; readonly view: ClusterCache }[] {
    return this.all().flatMap((known) => {
      const view = this.#opened.get(known.server);
      return view === undefined ? [] : [{ known, view }];
    });
  }

  /** Views that are open now. */
  async caches(): Promise<ClusterCache[]> {
    const settled = await Promise.allSettled(this.#caches.values());
    return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  /** Closes all views, or that of one server: they are opened again when somebody needs them, with other settings. */
  async reopen(server?: string): Promise<void> {
    const servers = server === undefined ? [...this.#caches.keys()] : [server];
    const old = servers.flatMap((each) => this.#caches.get(each) ?? []);
    for (const each of servers) {
      this.#caches.delete(each);
      this.#opened.delete(each);
    }
    for (const view of await Promise.allSettled(old)) if (view.status === 'fulfilled') view.value.close();
  }

  /** Secrets changed: they are read again at the next look. Views stay open. */
  forget(): void {
    this.#known = undefined;
  }

  async close(): Promise<void> {
    for (const view of await this.caches()) {
      view.close();
      if (view.cluster !== this.#options.controlPlane) await view.cluster.close();
    }
    this.#caches.clear();
    this.#opened.clear();
  }

  #read(): KnownCluster[] {
    const { records, connect, controlPlane, isInClusterEnabled } = this.#options;
    const told = records().map(
      (record): KnownCluster => ({
        server: record.server,
        name: record.name,
        uid: record.uid,
        shard: record.shard,
        project: record.project,
        isSkipped: record.skipReconcile,
        open: () => Promise.resolve().then(() => connect(record)),
      }),
    );
    const here = told.find(({ server }) => isSameServer(server, IN_CLUSTER));
    const own: KnownCluster = {
      server: IN_CLUSTER,
      name: here?.name ?? IN_CLUSTER_NAME,
      uid: here?.uid ?? '',
      shard: here?.shard,
      project: here?.project ?? '',
      isSkipped: here?.isSkipped ?? false,
      open: () => Promise.resolve(controlPlane),
    };
    return [...(isInClusterEnabled() ? [own] : []), ...told.filter((each) => each !== here)];
  }
}

function isSameServer(a: string, b: string): boolean {
  return a.replace(/(?<!\/)\/+$/, '') === b.replace(/(?<!\/)\/+$/, '');
}

function invalidDestination(message: string): Fault {
  return new Fault('VALUE_INVALID', message, { where: 'spec.destination' });
}
