/**
 * output: differences as people read them: unified diffs, pointers, masked Secrets. Takes differences and objects;
 * gives text and masked copies. Never lets a value of a Secret through.
 */
export { applyDifferences } from './apply-differences.js';
export { maskDifferences, maskSecrets, type MaskOptions } from './mask-secrets.js';
export { type UnifiedOptions, unifiedDiff } from './unified-diff.js';
