/**
 * report: the results that a runner prints into its log, cell by cell, and the conclusion from them. Takes lines; never
 * trusts one without the nonce of the run.
 */
export { concludeRun, progressMessage, successMessage, type LogState } from './conclude.js';
export { NO_REPORT, ReportReader, type RunReport } from './report.js';
export { withReport } from './results.js';
