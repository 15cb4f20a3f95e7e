/**
 * cache: CONTRACT.
 */
export { ClusterCache, type ObjectChange } from './cluster-cache.js';
export { Clusters, type KnownCluster } from './clusters.js';
export { ControlPlaneCache } from './control-plane-cache.js';
export { UnchangedCache, digestOf, type UnchangedApplication } from './unchanged-cache.js';
