/**
 * repair: CONTRACT.
 */
export { applyFixes, rejectFiles } from './apply-fixes.js';
export { commitBranch } from './commit-branch.js';
export { openCheckouts } from './open-checkouts.js';
export { patchText, writeFixes } from './write-fixes.js';
