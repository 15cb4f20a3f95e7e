import { readJob, REFRESH, rerunsOnCommit } from '../../notebook/index.js';
import { type Cluster, ClusterError } from '../../cluster/index.js';
import type { RepositoryAccess } from '../../source/index.js';
import { NOTEBOOK_VALIDATION_JOBS } from '../../model/resources/index.js';
import type { ReconcileContext } from '../delivery/index.js';

/** A notebook that is run again by commits, and where they come from. */
export interface FollowedNotebook {
  readonly namespace: string;
  readonly name: string;
  readonly url: string;
  readonly ref: string;
}

/** NotebookValidationJobs with `mlops.dev/rerun-on: commit`. */
export class NotebookService {
  readonly #cluster: Cluster;

  constructor(private readonly context: Pick<ReconcileContext, 'cluster' | 'renderer'>) {
    this.#cluster = context.cluster;
  }

  /** The commit that a ref means now, as its server says it to somebody with this access. */
  async resolve(url: string, ref: string, access: RepositoryAccess): Promise<string> {
    return (await this.context.renderer.sources.peek(url, ref, access)).commit;
  }

  async following(): Promise<FollowedNotebook[]> {
    try {
      const { items } = await this.#cluster.list(NOTEBOOK_VALIDATION_JOBS, {});
      return items
        .map((object) => readJob(object))
        .filter(rerunsOnCommit)
        .map(({ namespace, name, notebook: { url, ref } }) => ({ namespace, name, url, ref }));
    } catch (error) {
      // The cluster has no such kind, or its jobs are not ours to read.
      if (error instanceof ClusterError && (error.status === 404 || error.status === 403)) return [];
      throw error;
    }
  }

  /** Its operator asks for the commit at once. */
  async requestRefresh({ namespace, name }: FollowedNotebook, at: string): Promise<void> {
    await this.#cluster.patch(
      NOTEBOOK_VALIDATION_JOBS,
      { namespace, name },
      { type: 'merge', body: { metadata: { annotations: { [REFRESH]: at } } } },
    );
  }
}
