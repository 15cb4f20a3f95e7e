/**
 * plan: the next status and actions of one job. Takes job, status and what is in the cluster; gives what to create,
 * delete and write, and when to reconcile again. Performs nothing.
 */
export type { JobAction, JobFacts, JobPlan } from './job-plan.js';
export { planJob } from './plan-job.js';
