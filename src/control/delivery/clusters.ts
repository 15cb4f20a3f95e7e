import { Fault, type ClusterRecord, type Destination } from '../../model/index.js';
import type { Cluster } from '../../cluster/index.js';
import type { ClusterView } from './cluster-view.js';

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
  readonly home: Cluster;
  readonly isHomeAllowed: () => boolean;
  /** The clusters that Secrets describe, as they are now. */
  readonly records: () => readonly ClusterRecord[];
  readonly connect: (record: ClusterRecord) => Cluster;
  readonly openView: (server: string, cluster: Cluster) => Promise<ClusterView>;
}

/** The clusters that applications name, each opened when the first one needs it. */
export class Clusters {
  readonly #options: ClustersOptions;
  readonly #views = new Map<string, Promise<ClusterView>>();
  readonly #opened = new Map<string, ClusterView>();
  #known: readonly KnownCluster[] | undefined;

  constructor(options: ClustersOptions) {
    this.#options = options;
  }

  /** The cluster of a destination; a Fault says why there is none. */
  find({ server, name }: Destination): KnownCluster {
    if (server !== '' && name !== '')
      throw invalid(`application destination can't have both name and server defined: ${name} ${server}`);
    if (server === '' && name === '') throw invalid('Destination server missing from app spec');
    const found = this.all().find((each) => (server === '' ? each.name === name : sameServer(each.server, server)));
    if (found !== undefined) return found;
    if (server !== '' ? sameServer(server, IN_CLUSTER) : name === IN_CLUSTER_NAME)
      throw invalid(`cluster "${IN_CLUSTER}" is disabled`);
    throw invalid(
      server === '' ? `there are no clusters with this name: ${name}` : `cluster '${server}' has not been configured`,
    );
  }

  all(): readonly KnownCluster[] {
    return (this.#known ??= this.#read());
  }

  view(known: KnownCluster): Promise<ClusterView> {
    const open = this.#views.get(known.server);
    if (open !== undefined) return open;
    const opening = known.open().then((cluster) => this.#options.openView(known.server, cluster));
    this.#views.set(known.server, opening);
    // A cluster that does not answer now may answer later.
    opening.then(
      (view) => {
        if (this.#views.get(known.server) === opening) this.#opened.set(known.server, view);
      },
      () => this.#views.delete(known.server),
    );
    return opening;
  }

  /** Those that could be opened, without waiting for others. */
  open(): readonly { readonly known: KnownCluster; readonly view: ClusterView }[] {
    return this.all().flatMap((known) => {
      const view = this.#opened.get(known.server);
      return view === undefined ? [] : [{ known, view }];
    });
  }

  /** Views that are open now. */
  async views(): Promise<ClusterView[]> {
    const settled = await Promise.allSettled(this.#views.values());
    return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  /** Closes all views, or that of one server: they are opened again when somebody needs them, with other settings. */
  async reopen(server?: string): Promise<void> {
    const servers = server === undefined ? [...this.#views.keys()] : [server];
    const old = servers.flatMap((each) => this.#views.get(each) ?? []);
    for (const each of servers) {
      this.#views.delete(each);
      this.#opened.delete(each);
    }
    for (const view of await Promise.allSettled(old)) if (view.status === 'fulfilled') view.value.close();
  }

  /** Secrets changed: they are read again at the next look. Views stay open. */
  forget(): void {
    this.#known = undefined;
  }

  async close(): Promise<void> {
    for (const view of await this.views()) {
      view.close();
      if (view.cluster !== this.#options.home) await view.cluster.close();
    }
    this.#views.clear();
    this.#opened.clear();
  }

  #read(): KnownCluster[] {
    const { records, connect, home, isHomeAllowed } = this.#options;
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
    const here = told.find(({ server }) => sameServer(server, IN_CLUSTER));
    const own: KnownCluster = {
      server: IN_CLUSTER,
      name: here?.name ?? IN_CLUSTER_NAME,
      uid: here?.uid ?? '',
      shard: here?.shard,
      project: here?.project ?? '',
      isSkipped: here?.isSkipped ?? false,
      open: () => Promise.resolve(home),
    };
    return [...(isHomeAllowed() ? [own] : []), ...told.filter((each) => each !== here)];
  }
}

function sameServer(a: string, b: string): boolean {
  return a.replace(/(?<!\/)\/+$/, '') === b.replace(/(?<!\/)\/+$/, '');
}

function invalid(message: string): Fault {
  return new Fault('VALUE_INVALID', message, { where: 'spec.destination' });
}
