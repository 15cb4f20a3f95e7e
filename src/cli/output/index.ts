/**
 * output: CONTRACT.
 */
export { formatTable } from './format-table.js';
export { prettyJson } from './pretty-json.js';
export { openProgress } from './progress.js';
export { forTerminal } from './terminal.js';
