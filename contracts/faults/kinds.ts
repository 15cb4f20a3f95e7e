import type { ResourceRef } from '../../src/cluster/index.js';

const core = (kind: string, plural: string, namespaced = true): ResourceRef => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
});

export const APPLICATIONS: ResourceRef = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Application',
  plural: 'applications',
  namespaced: true,
};
export const PROJECTS: ResourceRef = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'AppProject',
  plural: 'appprojects',
  namespaced: true,
};
export const CRDS: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
export const LEASES: ResourceRef = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
export const JOBS: ResourceRef = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
export const DEPLOYMENTS: ResourceRef = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
export const CLUSTER_ROLES: ResourceRef = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};
export const CLUSTER_ROLE_BINDINGS: ResourceRef = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};
export const API_SERVICES: ResourceRef = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
};
export const PODS = core('Pod', 'pods');
export const CONFIG_MAPS = core('ConfigMap', 'configmaps');
export const SECRETS = core('Secret', 'secrets');
export const SERVICES = core('Service', 'services');
export const SERVICE_ACCOUNTS = core('ServiceAccount', 'serviceaccounts');
export const NAMESPACES = core('Namespace', 'namespaces', false);
export const EVENTS = core('Event', 'events');
export const REPLICA_SETS: ResourceRef = { ...DEPLOYMENTS, kind: 'ReplicaSet', plural: 'replicasets' };
export const ROLES: ResourceRef = { ...CLUSTER_ROLES, kind: 'Role', plural: 'roles', namespaced: true };
export const ROLE_BINDINGS: ResourceRef = {
  ...CLUSTER_ROLES,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
};
export const NOTEBOOKS: ResourceRef = {
  group: 'mlops.mlops.dev',
  version: 'v1alpha1',
  kind: 'NotebookValidationJob',
  plural: 'notebookvalidationjobs',
  namespaced: true,
};
export const BUILDS: ResourceRef = {
  group: 'build.openshift.io',
  version: 'v1',
  kind: 'Build',
  plural: 'builds',
  namespaced: true,
};
export const BUILD_CONFIGS: ResourceRef = { ...BUILDS, kind: 'BuildConfig', plural: 'buildconfigs' };
export const IMAGE_STREAMS: ResourceRef = {
  group: 'image.openshift.io',
  version: 'v1',
  kind: 'ImageStream',
  plural: 'imagestreams',
  namespaced: true,
};
