/**
 * output: text for people and programs: tables, JSON, progress lines, and the width and colours of a terminal. Takes
 * values and a stream; gives text. Progress is written only to a terminal.
 */
export { formatTable } from './format-table.js';
export { prettyJson } from './pretty-json.js';
export { openProgress } from './progress.js';
export { forMessages, forTerminal } from './terminal.js';
