import type { JobStatus, NotebookJob } from '../../notebook/index.js';
import type { JobContext } from './job-context.js';
import { NOTEBOOK_VALIDATION_JOBS } from '../../model/resources/index.js';

/** Only over the version it was planned from: of two writers, the later one gets a conflict and reconciles again. */
export async function storeStatus(job: NotebookJob, status: JobStatus, context: JobContext): Promise<void> {
  const {
    options: { cluster },
    jobs,
  } = context.dependencies;
  jobs.recordWrite(
    await cluster.update(NOTEBOOK_VALIDATION_JOBS, { ...job.object, status }, { subresource: 'status' }),
  );
}
