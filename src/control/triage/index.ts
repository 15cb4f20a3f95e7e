/**
 * triage: CONTRACT.
 */
export { collectApplication, type ApplicationSurroundings } from './collect-application.js';
export { collectCluster, collectInto, type SnapshotSink } from './collect-cluster.js';
export { collectFiles, type CollectFilesOptions } from './collect-files.js';
export { checkoutOf, type Checkout } from './fix/checkout.js';
export { gitDiff, makePatches, type Expect, type FilePatch, type PatchSet } from './fix/make-patches.js';
export { openTriage, openWhatIf } from './open-triage.js';
