import { Fault } from '../model/faults/index.js';
import { formatMicroTime, instantOf } from '../model/formats/index.js';
import { isObject, type JsonObject } from '../model/json/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import { pause, type ClientDependencies } from './timing/index.js';
import type { Cluster } from './client/index.js';
import { ClusterError } from './transport/index.js';
import { LEASES } from '../model/resources/index.js';

export interface LeaderElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** Who we are; different for every process. */
  readonly identity: string;
  /** Others wait this long without a renewal before they take over. */
  readonly leaseMs?: number;
  /** A leader that could not renew for this long steps down; shorter than the lease. */
  readonly renewMs?: number;
  readonly retryMs?: number;
  /** We lead from now on. */
  readonly onStartedLeading: () => void;
  /** We do not lead any more. Writes on their way are stopped by their own conditions. */
  readonly onStoppedLeading: () => void;
}

export interface LeaderElection {
  /** By the clock, not by events: a process that stood still hears of the end of its term only after it goes on. */
  readonly isLeader: boolean;
  /** Who holds the lease, as last read. */
  readonly holder: string;
  /** Stops; a leader gives the lease back, so that the next one need not wait. */
  stop(): Promise<void>;
}

const DEFAULTS = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 };

/**
 * Takes part in the election of a leader by a Lease, as client-go does. A lease of somebody else counts from when we
 * saw it change, by steady time: clocks may differ. Two leaders for a moment are possible, so writes stay conditional.
 */
export function startLeaderElection(
  cluster: Cluster,
  dependencies: ClientDependencies,
  options: LeaderElectionOptions,
): LeaderElection {
  const candidate = new LeaderElector(cluster, dependencies, { ...DEFAULTS, ...options });
  const done = candidate.run();
  return {
    get isLeader() {
      return candidate.isLeader && dependencies.clock.steady() < candidate.until;
    },
    get holder() {
      return candidate.holder;
    },
    async stop() {
      candidate.stopping.abort();
      await done;
    },
  };
}

class LeaderElector {
  readonly stopping = new AbortController();
  isLeader = false;
  holder = '';
  /** Steady time of the end of our term. */
  until = 0;
  /** The lease as last read, and when it was first read so. */
  /** Of the last try. */
  #failure: string | undefined;
  #observed: { readonly version: string; readonly at: number } | undefined;
  #stopTerm = (): void => undefined;

  constructor(
    readonly cluster: Cluster,
    readonly dependencies: ClientDependencies,
    readonly options: LeaderElectionOptions & typeof DEFAULTS,
  ) {}

  async run(): Promise<void> {
    const { clock, random } = this.dependencies;
    const { retryMs, identity } = this.options;
    while (!this.stopping.signal.aborted) {
      const started = clock.steady();
      if (await this.#try()) this.#renew(started);
      else if (this.holder !== identity) this.#lead(false);
      await pause(clock, this.isLeader ? retryMs : retryMs * (1 + random() * 0.2), this.stopping.signal);
    }
    this.#stopTerm();
    await this.#release();
  }

  /** A leader leads through failures until its term is over, counted from before the request that renewed it. */
  #renew(started: number): void {
    const { clock } = this.dependencies;
    this.#stopTerm();
    this.until = started + this.options.renewMs;
    const left = this.until - clock.steady();
    this.#lead(left > 0);
    if (left > 0)
      this.#stopTerm = clock.after(left, () => {
        this.#lead(false);
      });
  }

  #lead(isLeader: boolean): void {
    if (this.isLeader === isLeader) return;
    this.isLeader = isLeader;
    try {
      if (isLeader) this.options.onStartedLeading();
      else this.options.onStoppedLeading();
    } catch (error) {
      this.dependencies.report(
        `lease ${this.options.namespace}/${this.options.name}: its handler failed: ${String(error)}`,
      );
    }
  }

  /** One attempt to get or renew; true when the lease is ours now. */
  async #try(): Promise<boolean> {
    const { namespace, name, identity, leaseMs, renewMs } = this.options;
    const limits = { tries: 1, timeout: Math.min(renewMs / 2, 5000) };
    try {
      const lease = await this.cluster.get(LEASES, { namespace, name }, { limits });
      if (lease === undefined) {
        await this.cluster.create(LEASES, this.#next(undefined), { limits });
        this.holder = identity;
        return true;
      }
      this.#observe(lease);
      const isFree = this.holder === '' || this.dependencies.clock.steady() - (this.#observed?.at ?? 0) > leaseMs;
      if (this.holder !== identity && !isFree) return false;
      await this.cluster.update(LEASES, this.#next(lease), { limits });
      this.#failure = undefined;
      this.holder = identity;
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // Somebody else was quicker, which is what an election is for; anything else is worth a line.
      if (!(error instanceof ClusterError && (error.isConflict || error.isAlreadyExists)))
        this.#reportFailure(error.message);
      return false;
    }
  }

  /** Tries come every few seconds: the same failure is reported once. */
  #reportFailure(message: string): void {
    if (this.#failure !== message)
      this.dependencies.report(`lease ${this.options.namespace}/${this.options.name}: ${message}`);
    this.#failure = message;
  }

  #observe(lease: KubeObject): void {
    const spec = isObject(lease.spec) ? lease.spec : {};
    this.holder = typeof spec.holderIdentity === 'string' ? spec.holderIdentity : '';
    const version = lease.metadata.resourceVersion ?? '';
    if (this.#observed?.version !== version) this.#observed = { version, at: this.dependencies.clock.steady() };
  }

  #next(lease: KubeObject | undefined): KubeObject {
    const { namespace, name, identity, leaseMs } = this.options;
    const now = formatMicroTime(instantOf(this.dependencies.clock.now().getTime()));
    const old: JsonObject = isObject(lease?.spec) ? lease.spec : {};
    const changesHands = old.holderIdentity !== identity;
    const transitions = typeof old.leaseTransitions === 'number' ? old.leaseTransitions : 0;
    return {
      ...(lease ?? { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name } }),
      spec: {
        ...old,
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(leaseMs / 1000),
        acquireTime: changesHands ? now : (old.acquireTime ?? now),
        renewTime: now,
        leaseTransitions: lease !== undefined && changesHands ? transitions + 1 : transitions,
      },
    };
  }

  async #release(): Promise<void> {
    if (!this.isLeader) return;
    this.#lead(false);
    const { namespace, name, identity } = this.options;
    try {
      const lease = await this.cluster.get(LEASES, { namespace, name }, { limits: { tries: 1, timeout: 2000 } });
      if (lease === undefined || !isObject(lease.spec) || lease.spec.holderIdentity !== identity) return;
      await this.cluster.update(
        LEASES,
        { ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 } },
        { limits: { tries: 1, timeout: 2000 } },
      );
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.dependencies.report(
        `lease ${namespace}/${name} was not given back, it runs out by itself: ${error.message}`,
      );
    }
  }
}
