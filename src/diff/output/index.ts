/**
 * output: CONTRACT.
 */
export { applyDifferences } from './apply-differences.js';
export { maskDifferences, maskSecrets, type MaskOptions } from './mask-secrets.js';
export { type UnifiedOptions, unifiedDiff } from './unified-diff.js';
