import type { JobStatus, NotebookJob } from '../../notebook/index.js';
import type { JobContext } from './job-context.js';
import { JOBS } from './kinds.js';

/** Only over the version that it was decided from: of two who decide, one comes too late and looks again. */
export async function storeStatus(job: NotebookJob, status: JobStatus, desk: JobContext): Promise<void> {
  const {
    options: { cluster },
    jobs,
  } = desk.dependencies;
  jobs.recordWrite(await cluster.update(JOBS, { ...job.object, status }, { subresource: 'status' }));
}
