/**
 * report: triage itself and its output. Takes a snapshot and rules, gives a Report as plain data and as text, Markdown,
 * HTML, JSON or SARIF; compares it with an earlier one. Equal snapshots give equal bytes; untrusted texts are
 * sanitised.
 */
export { causesBehind } from './causes-behind.js';
export { compareReports } from './compare-reports.js';
export { toHtml } from './html.js';
export { causeId } from './make-report.js';
export { toMarkdown } from './markdown.js';
export { readReport } from './read-report.js';
export type { ChainStep, Consequence, NodePool, Report, ReportedCause } from './report.js';
export { toSarif } from './sarif.js';
export { toTerminal, type FilePlaces } from './terminal.js';
export { triage, type TriageOptions } from './triage.js';
export { watchedChanges } from './watched-changes.js';
