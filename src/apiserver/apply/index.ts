/**
 * apply: CONTRACT.
 */
export { applyPatch } from './apply-patch.js';
export { conflictError } from './conflict.js';
export { keepUnchangedTimes } from './keep-unchanged-times.js';
export { managerName } from './manager-name.js';
export { resetFieldsOf } from './reset-fields.js';
export { fromScaleEntries, toScaleEntries, type ReplicasPath } from './scale-entries.js';
export { trackUpdate } from './track-update.js';
export type { WriteScope } from './versions.js';
