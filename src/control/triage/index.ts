/**
 * triage: everything around the pure room `triage` that needs files or a cluster. Gives snapshots of a cluster, of
 * one application or of dump files, an opened triage, and patches of git for its causes. Never changes a cluster or
 * a repository.
 */
export { collectApplication } from './collect-application.js';
export { collectCluster, collectInto, type SnapshotSink } from './collect-cluster.js';
export { collectHook, descendantsOf } from './collect-hook.js';
export { collectFiles, type CollectFilesOptions } from './collect-files.js';
export { collectPrometheus } from './collect-prometheus.js';
export { type Checkout } from './fix/checkout.js';
export { locateFields } from './fix/locate-fields.js';
export { gitDiff, makePatches, type Expect, type FilePatch, type PatchSet } from './fix/make-patches.js';
export { openTriage, openWhatIf } from './open-triage.js';
