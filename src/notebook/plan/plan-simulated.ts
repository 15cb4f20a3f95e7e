import type { JobStatus, NotebookJob } from '../job/index.js';
import type { JobFacts, JobPlan } from './job-plan.js';
import { planSuccess } from './plan-success.js';

/**
 * The pod of a run was only simulated, so there is no verdict on its notebook: the job stays Pending, and what waits
 * for it waits on, unless the administrator lets such notebooks pass.
 */
export function planSimulated(
  job: NotebookJob,
  status: JobStatus,
  { now, passesSimulated = false }: Pick<JobFacts, 'now' | 'passesSimulated'>,
): JobPlan {
  const image = status.buildStatus?.imageReference || job.image;
  const why = `this cluster only simulates containers of image ${image}`;
  if (passesSimulated)
    return planSuccess(job, status, `Passed without being executed: ${why} (argosy.simulated-notebooks: pass)`, now);
  return {
    status: {
      ...status,
      phase: 'Pending',
      message:
        `Not executed: ${why}. To execute the notebook, start Argosy with --runtime process --process-image ` +
        `${image}, then give the annotation mlops.dev/rerun of the job a new value`,
    },
    actions: [],
  };
}
