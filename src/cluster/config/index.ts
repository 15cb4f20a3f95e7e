/**
 * config: how to reach a cluster: from a kubeconfig, an Argo CD cluster Secret or the service account of a pod. Gives a
 * ClusterConfig or a KUBECONFIG_INVALID fault with the place in the file. Reads files and the given environment only;
 * connects to nothing.
 */
export type { ClusterConfig, Environment, ExecPlugin, Impersonation, PemSource, UserConfig } from './cluster-config.js';
export { clusterSecretConfig } from './cluster-secret.js';
export { inClusterConfig, isInCluster } from './in-cluster.js';
export { loadKubeconfig, type KubeconfigOptions } from './kubeconfig.js';
