/**
 * graph: the objects of a snapshot as nodes, and what needs what as edges with the field that says so and a grade.
 * Distinguishes absent objects from those that were not collected. Never decides whether an object is healthy.
 */
export { conditionIs, conditionOf, isNodeReady, isUnfinished, sinceOf } from './conditions.js';
export { applicationSources } from './edges/argo.js';
export { edgesOf } from './edges/edges-of.js';
export { hostNames } from './edges/host-names.js';
export { hostSettings, type HostSetting } from './edges/host-settings.js';
export { storageUris } from './edges/machine-learning.js';
export { selectedPods } from './edges/network.js';
export { containersOf } from './edges/pod-spec.js';
export { ESO, controllersOf, makersOf } from './edges/secrets.js';
export { consumers, driverControllers } from './edges/storage.js';
export { TEMPLATES } from './edges/workload.js';
export { APPLICATION, Graph } from './graph.js';
export { listedKey } from './listed-key.js';
export { CUT_COST, PHASES, UNNAMED, nodeText, isUnseen, type Edge, type Grade, type Node, type Phase } from './node.js';
export { ownersOf } from './object-store.js';
