import { type JobStatus, type NotebookJob, timeText } from '../job/index.js';
import { planTriggers } from '../effects/index.js';
import type { JobPlan } from './job-plan.js';

/** The end of a run that went well, with the triggers that are due now. */
export function planSuccess(job: NotebookJob, status: JobStatus, message: string, now: number): JobPlan {
  const triggers = planTriggers(job, status.runId ?? '');
  return {
    status: {
      ...status,
      phase: 'Succeeded',
      completionTime: timeText(now),
      message,
      ...(triggers.length === 0 ? {} : { triggers }),
    },
    actions: [],
  };
}
