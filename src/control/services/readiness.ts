import { type Clock, type Cluster, ClusterError } from '../../cluster/index.js';

/** Milliseconds for which an answer counts: probes of strangers cost the API server one request in that time. */
const MAX_AGE = 1000;
/** Probes of a kubelet wait for a second by default. */
const TIMEOUT = 900;

/** Whether the API server of the control plane can be reached and its store be written, as it says itself. */
export class Readiness {
  readonly #cluster: Cluster;
  readonly #clock: Pick<Clock, 'steady' | 'after'>;
  #last: { readonly at: number; readonly problem: Promise<string> } | undefined;

  constructor(cluster: Cluster, clock: Pick<Clock, 'steady' | 'after'>) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** Empty where it is ready. Tells a stranger nothing about where the server is. */
  problem(): Promise<string> {
    const now = this.#clock.steady();
    if (this.#last === undefined || now - this.#last.at >= MAX_AGE) this.#last = { at: now, problem: this.#ask() };
    return this.#last.problem;
  }

  async #ask(): Promise<string> {
    const timeout = new AbortController();
    const cancel = this.#clock.after(TIMEOUT, () => {
      timeout.abort();
    });
    try {
      await this.#cluster.text('/readyz', { signal: timeout.signal, limits: { tries: 1 } });
      return '';
    } catch (error) {
      if (!(error instanceof ClusterError)) return 'the Kubernetes API server cannot be reached';
      // Who may not ask for it, or asks a server that has no such page, is answered all the same.
      return error.status < 500 ? '' : `the Kubernetes API server is not ready: its /readyz answers ${error.status}`;
    } finally {
      cancel();
    }
  }
}
