/**
 * notebook: the operator of NotebookValidationJobs and models. Takes a cluster and its options; runs notebooks as
 * pods, writes their status and triggers syncs where a job allows it. Only the leader writes.
 */
export { NotebookOperator } from './notebook-operator.js';
export { readNotebookSettings } from './operator-options.js';
