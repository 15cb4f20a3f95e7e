/** How a kind is addressed. */
export interface ResourceRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

const CORE = { group: '', version: 'v1', namespaced: true };
const APPS = { group: 'apps', version: 'v1', namespaced: true };
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true };
const ARGO = { group: 'argoproj.io', version: 'v1alpha1', namespaced: true };
const BUILD = { group: 'build.openshift.io', version: 'v1', namespaced: true };

export const CONFIG_MAPS: ResourceRef = { ...CORE, kind: 'ConfigMap', plural: 'configmaps' };
export const SECRETS: ResourceRef = { ...CORE, kind: 'Secret', plural: 'secrets' };
export const PODS: ResourceRef = { ...CORE, kind: 'Pod', plural: 'pods' };
export const EVENTS: ResourceRef = { ...CORE, kind: 'Event', plural: 'events' };
export const SERVICES: ResourceRef = { ...CORE, kind: 'Service', plural: 'services' };
export const SERVICE_ACCOUNTS: ResourceRef = { ...CORE, kind: 'ServiceAccount', plural: 'serviceaccounts' };
export const PERSISTENT_VOLUME_CLAIMS: ResourceRef = {
  ...CORE,
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
};
export const NAMESPACES: ResourceRef = { ...CORE, kind: 'Namespace', plural: 'namespaces', namespaced: false };
export const NODES: ResourceRef = { ...CORE, kind: 'Node', plural: 'nodes', namespaced: false };

export const DEPLOYMENTS: ResourceRef = { ...APPS, kind: 'Deployment', plural: 'deployments' };
export const REPLICA_SETS: ResourceRef = { ...APPS, kind: 'ReplicaSet', plural: 'replicasets' };
export const STATEFUL_SETS: ResourceRef = { ...APPS, kind: 'StatefulSet', plural: 'statefulsets' };
export const JOBS: ResourceRef = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
export const HORIZONTAL_POD_AUTOSCALERS: ResourceRef = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
};
export const LEASES: ResourceRef = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
export const STORAGE_CLASSES: ResourceRef = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
};
export const CRDS: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
export const API_SERVICES: ResourceRef = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
};
export const SUBJECT_ACCESS_REVIEWS: ResourceRef = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
};
export const ROLES: ResourceRef = { ...RBAC, kind: 'Role', plural: 'roles' };
export const ROLE_BINDINGS: ResourceRef = { ...RBAC, kind: 'RoleBinding', plural: 'rolebindings' };
export const CLUSTER_ROLES: ResourceRef = { ...RBAC, kind: 'ClusterRole', plural: 'clusterroles', namespaced: false };
export const CLUSTER_ROLE_BINDINGS: ResourceRef = {
  ...RBAC,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};

export const APPLICATIONS: ResourceRef = { ...ARGO, kind: 'Application', plural: 'applications' };
export const APP_PROJECTS: ResourceRef = { ...ARGO, kind: 'AppProject', plural: 'appprojects' };
export const APPLICATION_SETS: ResourceRef = { ...ARGO, kind: 'ApplicationSet', plural: 'applicationsets' };
export const ARGOCDS: ResourceRef = { ...ARGO, version: 'v1beta1', kind: 'ArgoCD', plural: 'argocds' };

export const NOTEBOOK_VALIDATION_JOBS: ResourceRef = {
  group: 'mlops.mlops.dev',
  version: 'v1alpha1',
  kind: 'NotebookValidationJob',
  plural: 'notebookvalidationjobs',
  namespaced: true,
};
export const BUILDS: ResourceRef = { ...BUILD, kind: 'Build', plural: 'builds' };
export const BUILD_CONFIGS: ResourceRef = { ...BUILD, kind: 'BuildConfig', plural: 'buildconfigs' };
export const IMAGE_STREAMS: ResourceRef = {
  group: 'image.openshift.io',
  version: 'v1',
  kind: 'ImageStream',
  plural: 'imagestreams',
  namespaced: true,
};
export const INFERENCE_SERVICES: ResourceRef = {
  group: 'serving.kserve.io',
  version: 'v1beta1',
  kind: 'InferenceService',
  plural: 'inferenceservices',
  namespaced: true,
};
export const SCALED_OBJECTS: ResourceRef = {
  group: 'keda.sh',
  version: 'v1alpha1',
  kind: 'ScaledObject',
  plural: 'scaledobjects',
  namespaced: true,
};
