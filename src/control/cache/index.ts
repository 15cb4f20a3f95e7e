/**
 * cache: what the controller knows of the control plane and of each cluster, kept current by watches, and the
 * applications that were last found unchanged.
 * Takes connected clusters; gives objects, kinds, settings and credentials without a request, and reports changes.
 * Never writes to a cluster. Every cache may be thrown away: it is read again.
 */
export { ConnectionStates } from './connection-states.js';
export { ClusterCache, type ObjectChange } from './cluster-cache.js';
export { Clusters, type KnownCluster, IN_CLUSTER, IN_CLUSTER_NAME } from './clusters.js';
export { ControlPlaneCache } from './control-plane-cache.js';
export { UnchangedCache, digestOf, type UnchangedApplication } from './unchanged-cache.js';
