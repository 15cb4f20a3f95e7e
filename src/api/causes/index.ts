/**
 * causes: what a person may see of the causes that triage found in the whole cluster. Takes causes and the person's
 * Authoriser; gives causes in which no object, name or sentence of another project is left. Reads, never writes.
 */
export { visibleTo } from './visible-to.js';
