/**
 * repair: the fixes of triage as files, as a commit on a new branch, or applied to the cluster. Takes a report and
 * clones; gives what was written. Never pushes, and applies nothing without a dry run and a confirmation.
 */
export { applyFixes, rejectFiles } from './apply-fixes.js';
export { commitBranch } from './commit-branch.js';
export { openCheckouts } from './open-checkouts.js';
export { patchText, writeFixes } from './write-fixes.js';
