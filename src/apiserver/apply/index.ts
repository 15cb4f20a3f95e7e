/**
 * apply: server-side apply and field ownership: merges a configuration into a live object, tracks managers through
 * updates and scale writes, and reports conflicts in the words of structured-merge-diff. Functions of objects and
 * schemas; never reads the store or the clock.
 */
export { applyPatch } from './apply-patch.js';
export { conflictError } from './conflict.js';
export { keepUnchangedTimes } from './keep-unchanged-times.js';
export { managerName } from './manager-name.js';
export { resetFieldsOf } from './reset-fields.js';
export { fromScaleEntries, toScaleEntries, type ReplicasPath } from './scale-entries.js';
export { trackUpdate } from './track-update.js';
export type { WriteScope } from './versions.js';
