/**
 * effects: CONTRACT.
 */
export { applicationOf, hasSummary, mayReportTo, summaryOf, type ApplicationName } from './aggregate.js';
export { withConditions } from './conditions.js';
export { eventsOf, type JobEvent } from './events.js';
export { planTriggers, triggerAnnotation, triggerDue } from './triggers.js';
export { waveAnnotations } from './waves.js';
