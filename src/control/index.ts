/**
 * control: the order of things. Combines rooms that do not know each other: delivers Applications from git to clusters
 * (`delivery/application.ts` is the line that everything follows), and looks at one without changing anything.
 * Takes a cluster, a data directory and the opened rooms. Writes only conditionally, so a second controller does no harm.
 * Never holds state of its own that matters: caches can be thrown away at any time.
 */
export { makeManifests, type MakeRequest, type MadeManifests, type MadeSource, type Workshop } from './make-manifests.js';
export { RenderPool, type RenderPoolOptions } from './render-pool.js';
export { installCrds, readCrds } from './install-crds.js';
export { excludedObjects, exclusionAdvice, type ExcludedObject } from './exclusion-advice.js';
export { type Inspection, type InspectedResource } from './inspection.js';
export { FrontDesk } from './front/front-desk.js';
export { ClusterError, type Cluster, type ResourceRef } from '../cluster/index.js';
export { inspect, inspectMany, openFront, startController, type DeliveryOptions, type StartOptions, type RunningController, type OpenFront } from './start-controller.js';
export { checkSignatures, type SignatureCheck } from './check-signatures.js';
export { collectFiles, type CollectFilesOptions } from './triage/collect-files.js';
export { collectApplication, type ApplicationSurroundings } from './triage/collect-application.js';
export { collectCluster } from './triage/collect-cluster.js';
export { openTriage, openWhatIf } from './triage/open-triage.js';
export { makePatches, type FilePatch, type PatchSet } from './triage/fix/make-patches.js';
export { type Checkout } from './triage/fix/checkout.js';
export { adviseDrift, advisedApplication, onRevision, retargeted, type DriftAdvice } from './drift/advise-drift.js';
