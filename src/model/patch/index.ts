/**
 * patch: CONTRACT.
 */
export { applyJsonPatch, parseJsonPatch, type JsonPatch } from './json-patch.js';
export { applyMergePatch, createMergePatch } from './merge-patch.js';
export { PatchFault } from './patch-fault.js';
export { applyStrategicMergePatch } from './strategic-merge-patch.js';
