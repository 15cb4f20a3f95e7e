/**
 * effects: what a notebook job shows and sets off: conditions, events, wave annotations, the summary on its Application
 * and triggers. Takes job and status; gives values for others to write.
 */
export { applicationOf, hasSummary, mayReportTo, summaryOf, type ApplicationName } from './aggregate.js';
export { withConditions } from './conditions.js';
export { eventsOf, type JobEvent } from './events.js';
export { planTriggers, triggerAnnotation, triggerDue } from './triggers.js';
export { waveAnnotations } from './waves.js';
