/**
 * plan: CONTRACT.
 */
export type { JobAction, JobFacts, JobPlan } from './job-plan.js';
export { planJob } from './plan-job.js';
