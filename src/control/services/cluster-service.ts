import type { ClusterRecord } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ReconcileContext } from '../delivery/index.js';
import { rotateAccountToken } from './account-token.js';
import type { ApplicationService } from './application-service.js';
import { summarizeClusters, type ClusterSummary } from './cluster-summary.js';
import { readServerVersion } from './read-server-version.js';
import { refreshCluster } from './refresh-cluster.js';

/** The clusters that applications are delivered to. */
export class ClusterService {
  readonly #context: ReconcileContext;
  readonly #applications: ApplicationService;

  constructor(context: ReconcileContext, applications: ApplicationService) {
    this.#context = context;
    this.#applications = applications;
  }

  /** Clusters that Secrets describe. `config` of each holds credentials: never print it. */
  get records(): readonly ClusterRecord[] {
    return this.#context.controlPlane.clusters;
  }

  get summaries(): readonly ClusterSummary[] {
    const { controlPlane, clusters } = this.#context;
    return summarizeClusters(clusters, controlPlane.clusters, this.#applications.list(), (name) =>
      controlPlane.secret(name),
    );
  }

  /** The version of the cluster that a Secret describes; a Fault where the connection fails. */
  check(secret: KubeObject): Promise<string> {
    return readServerVersion(this.#context.connect(secret));
  }

  /**
   * A new token for the account that the Secret of a cluster uses; `keep` writes the Secret, once the new token was
   * tried.
   */
  rotateToken(secret: KubeObject, keep: (changed: KubeObject) => Promise<KubeObject>): Promise<void> {
    const { connect, clock } = this.#context;
    return rotateAccountToken({
      secret,
      connect,
      keep: async (changed) => {
        await this.check(changed);
        return keep(changed);
      },
      after: (milliseconds, act) => clock.after(milliseconds, act),
    });
  }

  /** Drops the cache of a cluster here and in every other process. */
  refresh(server: string): Promise<void> {
    return refreshCluster(server, this.#context);
  }
}
