/**
 * config: CONTRACT.
 */
export type { ClusterConfig, Environment, ExecPlugin, Impersonation, PemSource, UserConfig } from './cluster-config.js';
export { clusterSecretConfig } from './cluster-secret.js';
export { inClusterConfig, isInCluster } from './in-cluster.js';
export { loadKubeconfig, type KubeconfigOptions } from './kubeconfig.js';
