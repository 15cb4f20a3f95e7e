/**
 * report: CONTRACT.
 */
export { concludeRun, progressMessage, successMessage, type LogState } from './conclude.js';
export { NO_REPORT, ReportReader, type RunReport } from './report.js';
export { withReport } from './results.js';
