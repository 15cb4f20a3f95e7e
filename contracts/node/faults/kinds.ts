/** Where the API has each kind that a fault or a dump is made of. */
const KINDS = {
  ConfigMap: ['/api/v1', 'configmaps'],
  Endpoints: ['/api/v1', 'endpoints'],
  Event: ['/api/v1', 'events'],
  LimitRange: ['/api/v1', 'limitranges'],
  PersistentVolumeClaim: ['/api/v1', 'persistentvolumeclaims'],
  Pod: ['/api/v1', 'pods'],
  ResourceQuota: ['/api/v1', 'resourcequotas'],
  Secret: ['/api/v1', 'secrets'],
  Service: ['/api/v1', 'services'],
  ServiceAccount: ['/api/v1', 'serviceaccounts'],
  ControllerRevision: ['/apis/apps/v1', 'controllerrevisions'],
  DaemonSet: ['/apis/apps/v1', 'daemonsets'],
  Deployment: ['/apis/apps/v1', 'deployments'],
  ReplicaSet: ['/apis/apps/v1', 'replicasets'],
  StatefulSet: ['/apis/apps/v1', 'statefulsets'],
  HorizontalPodAutoscaler: ['/apis/autoscaling/v2', 'horizontalpodautoscalers'],
  CronJob: ['/apis/batch/v1', 'cronjobs'],
  Job: ['/apis/batch/v1', 'jobs'],
  Lease: ['/apis/coordination.k8s.io/v1', 'leases'],
  EndpointSlice: ['/apis/discovery.k8s.io/v1', 'endpointslices'],
  Ingress: ['/apis/networking.k8s.io/v1', 'ingresses'],
  NetworkPolicy: ['/apis/networking.k8s.io/v1', 'networkpolicies'],
  PodDisruptionBudget: ['/apis/policy/v1', 'poddisruptionbudgets'],
  Role: ['/apis/rbac.authorization.k8s.io/v1', 'roles'],
  RoleBinding: ['/apis/rbac.authorization.k8s.io/v1', 'rolebindings'],
} as const;

const CLUSTER_KINDS = {
  Namespace: ['/api/v1', 'namespaces'],
  Node: ['/api/v1', 'nodes'],
  PersistentVolume: ['/api/v1', 'persistentvolumes'],
  MutatingWebhookConfiguration: ['/apis/admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations'],
  ValidatingWebhookConfiguration: ['/apis/admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations'],
  APIService: ['/apis/apiregistration.k8s.io/v1', 'apiservices'],
  CustomResourceDefinition: ['/apis/apiextensions.k8s.io/v1', 'customresourcedefinitions'],
  IngressClass: ['/apis/networking.k8s.io/v1', 'ingressclasses'],
  RuntimeClass: ['/apis/node.k8s.io/v1', 'runtimeclasses'],
  ClusterRoleBinding: ['/apis/rbac.authorization.k8s.io/v1', 'clusterrolebindings'],
  PriorityClass: ['/apis/scheduling.k8s.io/v1', 'priorityclasses'],
  CSIDriver: ['/apis/storage.k8s.io/v1', 'csidrivers'],
  CSINode: ['/apis/storage.k8s.io/v1', 'csinodes'],
  StorageClass: ['/apis/storage.k8s.io/v1', 'storageclasses'],
  VolumeAttachment: ['/apis/storage.k8s.io/v1', 'volumeattachments'],
} as const;

type Place = readonly [group: string, resource: string];

const PLACES = new Map<string, Place>([...Object.entries(KINDS), ...Object.entries(CLUSTER_KINDS)]);

/** Every kind, with the path of all its objects in the cluster. */
export function everyKind(): { readonly kind: string; readonly apiVersion: string; readonly path: string }[] {
  return [...PLACES].map(([kind, [group, resource]]) => ({
    kind,
    apiVersion: group.replace(/^\/apis?\//, ''),
    path: `${group}/${resource}`,
  }));
}

export function isNamespaced(kind: string): boolean {
  return Object.hasOwn(KINDS, kind);
}

/** The path of one object. */
export function pathOf(kind: string, name: string, namespace: string): string {
  const place = PLACES.get(kind);
  if (place === undefined) throw new Error(`the lab does not know the kind ${kind}`);
  const [group, resource] = place;
  return `${group}/${isNamespaced(kind) ? `namespaces/${namespace}/` : ''}${resource}/${name}`;
}
