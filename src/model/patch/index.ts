/**
 * patch: JSON patch, merge patch and strategic merge patch with the API server's results and messages. Takes an object
 * and a patch; gives a new object or a Fault, and never changes its input.
 */
export { applyJsonPatch, parseJsonPatch, type JsonPatch } from './json-patch.js';
export { applyMergePatch, createMergePatch } from './merge-patch.js';
export { PatchFault } from './patch-fault.js';
export { applyStrategicMergePatch } from './strategic-merge-patch.js';
