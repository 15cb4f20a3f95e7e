/**
 * notebook: CONTRACT.
 */
export { NotebookOperator } from './notebook-operator.js';
export { readNotebookSettings } from './operator-options.js';
