import type { JsonObject, KubeObject } from '../../model/index.js';

const GROUP = 'rbac.authorization.k8s.io';
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

/** What people deploy and look at, by API group. */
const WORKLOADS: Readonly<Record<string, readonly string[]>> = {
  '': ['configmaps', 'endpoints', 'persistentvolumeclaims', 'pods', 'replicationcontrollers', 'replicationcontrollers/scale', 'serviceaccounts', 'services'],
  apps: ['daemonsets', 'deployments', 'deployments/scale', 'replicasets', 'replicasets/scale', 'statefulsets', 'statefulsets/scale'],
  autoscaling: ['horizontalpodautoscalers'],
  batch: ['cronjobs', 'jobs'],
  policy: ['poddisruptionbudgets'],
  'networking.k8s.io': ['ingresses', 'networkpolicies'],
};
/** What can be read but not written by `view` and `edit`. */
const STATUS: Readonly<Record<string, readonly string[]>> = {
  '': ['bindings', 'events', 'limitranges', 'namespaces', 'namespaces/status', 'persistentvolumeclaims/status', 'pods/log', 'pods/status', 'replicationcontrollers/status', 'resourcequotas', 'resourcequotas/status', 'services/status'],
  apps: ['controllerrevisions', 'daemonsets/status', 'deployments/status', 'replicasets/status', 'statefulsets/status'],
  autoscaling: ['horizontalpodautoscalers/status'],
  batch: ['cronjobs/status', 'jobs/status'],
  policy: ['poddisruptionbudgets/status'],
  'networking.k8s.io': ['ingresses/status'],
  'discovery.k8s.io': ['endpointslices'],
};

const rules = (table: Readonly<Record<string, readonly string[]>>, verbs: readonly string[]): JsonObject[] =>
  Object.entries(table).map(([group, resources]) => ({ apiGroups: [group], resources: [...resources], verbs: [...verbs] }));

const VIEW = [...rules(WORKLOADS, READ), ...rules(STATUS, READ)];
const EDIT = [
  ...rules(WORKLOADS, WRITE),
  { apiGroups: [''], resources: ['secrets'], verbs: [...READ, ...WRITE] },
  { apiGroups: [''], resources: ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'services/proxy'], verbs: ['create', 'get'] },
  { apiGroups: [''], resources: ['pods/eviction', 'serviceaccounts/token', 'events'], verbs: ['create'] },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: [...READ, ...WRITE] },
];
const ADMIN = [
  { apiGroups: [GROUP], resources: ['rolebindings', 'roles'], verbs: [...READ, ...WRITE] },
  { apiGroups: ['authorization.k8s.io'], resources: ['localsubjectaccessreviews'], verbs: ['create'] },
];
const HEALTH = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const DISCOVERY = ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*', '/readyz', '/version', '/version/'];

/** The roles and bindings that every cluster starts with; missing ones are added at each start. */
export function bootstrapPolicy(): KubeObject[] {
  return [
    clusterRole('cluster-admin', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }, { nonResourceURLs: ['*'], verbs: ['*'] }]),
    aggregated('admin', ['admin']), aggregated('edit', ['edit'], 'admin'), aggregated('view', ['view'], 'edit'),
    part('view', VIEW), part('edit', EDIT), part('admin', ADMIN),
    clusterRole('system:basic-user', [
      { apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], verbs: ['create'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
    ]),
    clusterRole('system:discovery', [{ nonResourceURLs: DISCOVERY, verbs: ['get'] }]),
    clusterRole('system:public-info-viewer', [{ nonResourceURLs: HEALTH, verbs: ['get'] }]),
    clusterRole('system:monitoring', [{ nonResourceURLs: ['/healthz', '/healthz/*', '/livez', '/livez/*', '/metrics', '/metrics/slis', '/readyz', '/readyz/*'], verbs: ['get'] }]),
    clusterRole('system:auth-delegator', [
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ]),
    binding('cluster-admin', 'cluster-admin', ['system:masters']),
    binding('system:basic-user', 'system:basic-user', ['system:authenticated']),
    binding('system:discovery', 'system:discovery', ['system:authenticated']),
    binding('system:monitoring', 'system:monitoring', ['system:monitoring']),
    binding('system:public-info-viewer', 'system:public-info-viewer', ['system:authenticated', 'system:unauthenticated']),
  ];
}

const AUTO_UPDATE = { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' } };

function clusterRole(name: string, list: readonly JsonObject[], labels: Record<string, string> = {}): KubeObject {
  return { kind: 'ClusterRole', apiVersion: `${GROUP}/v1`, metadata: { name, labels: { ...LABELS, ...labels }, ...AUTO_UPDATE }, rules: [...list] };
}

const aggregateLabel = (role: string): string => `${GROUP}/aggregate-to-${role}`;

/** A role whose rules are the union of the roles that carry its label. */
function aggregated(name: string, from: readonly string[], into?: string): KubeObject {
  const { rules: _, ...role } = clusterRole(name, [], into === undefined ? {} : { [aggregateLabel(into)]: 'true' });
  return { ...role, aggregationRule: { clusterRoleSelectors: from.map((each) => ({ matchLabels: { [aggregateLabel(each)]: 'true' } })) } };
}

function part(role: string, list: readonly JsonObject[]): KubeObject {
  return clusterRole(`system:aggregate-to-${role}`, list, { [aggregateLabel(role)]: 'true' });
}

function binding(name: string, role: string, groups: readonly string[]): KubeObject {
  return {
    kind: 'ClusterRoleBinding', apiVersion: `${GROUP}/v1`, metadata: { name, labels: LABELS, ...AUTO_UPDATE },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
    subjects: groups.map((group) => ({ apiGroup: GROUP, kind: 'Group', name: group })),
  };
}
