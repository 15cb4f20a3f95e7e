/**
 * causes: why applications are not well, as triage finds it, for the commands that print an application: `app get`,
 * `check` and `drift`. Takes an open session and Applications; gives the causes of the whole report that reach them,
 * with ids, chains and remedies unchanged.
 */
export { causesOf, type CausesByName } from './causes-of.js';
export { causeFacts, formatCauses, printCauses } from './print-causes.js';
