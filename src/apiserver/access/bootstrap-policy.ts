import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

const GROUP = 'rbac.authorization.k8s.io';
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const READ_WRITE = [...READ, ...WRITE].sort();

const rule = (verbs: readonly string[], group: string, ...resources: readonly string[]): JsonObject => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
});

/** What viewers may read in a namespace: nothing that gives more rights, so no secrets. */
const VIEW = [
  rule(
    READ,
    '',
    'configmaps',
    'endpoints',
    'persistentvolumeclaims',
    'persistentvolumeclaims/status',
    'pods',
    'replicationcontrollers',
    'replicationcontrollers/scale',
    'serviceaccounts',
    'services',
    'services/status',
  ),
  rule(
    READ,
    '',
    'bindings',
    'events',
    'limitranges',
    'namespaces/status',
    'pods/log',
    'pods/status',
    'replicationcontrollers/status',
    'resourcequotas',
    'resourcequotas/status',
  ),
  rule(READ, '', 'namespaces'),
  rule(READ, 'discovery.k8s.io', 'endpointslices'),
  rule(
    READ,
    'apps',
    'controllerrevisions',
    'daemonsets',
    'daemonsets/status',
    'deployments',
    'deployments/scale',
    'deployments/status',
    'replicasets',
    'replicasets/scale',
    'replicasets/status',
    'statefulsets',
    'statefulsets/scale',
    'statefulsets/status',
  ),
  rule(READ, 'autoscaling', 'horizontalpodautoscalers', 'horizontalpodautoscalers/status'),
  rule(READ, 'batch', 'cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'),
  // A group that is no longer served; existing bindings still name it.
  rule(
    READ,
    'extensions',
    'daemonsets',
    'daemonsets/status',
    'deployments',
    'deployments/scale',
    'deployments/status',
    'ingresses',
    'ingresses/status',
    'networkpolicies',
    'replicasets',
    'replicasets/scale',
    'replicasets/status',
    'replicationcontrollers/scale',
  ),
  rule(READ, 'policy', 'poddisruptionbudgets', 'poddisruptionbudgets/status'),
  rule(READ, 'networking.k8s.io', 'ingresses', 'ingresses/status', 'networkpolicies'),
  rule(READ, 'resource.k8s.io', 'resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates'),
];
/** What people deploy. Endpoints are not among it: they could point at other namespaces. */
const EDIT = [
  rule(READ, '', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'),
  rule(['impersonate'], '', 'serviceaccounts'),
  rule(WRITE, '', 'pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'),
  rule(['create'], '', 'pods/eviction'),
  rule(
    WRITE,
    '',
    'configmaps',
    'events',
    'persistentvolumeclaims',
    'replicationcontrollers',
    'replicationcontrollers/scale',
    'secrets',
    'serviceaccounts',
    'services',
    'services/proxy',
  ),
  rule(['create'], '', 'serviceaccounts/token'),
  rule(
    WRITE,
    'apps',
    'daemonsets',
    'deployments',
    'deployments/rollback',
    'deployments/scale',
    'replicasets',
    'replicasets/scale',
    'statefulsets',
    'statefulsets/scale',
  ),
  rule(WRITE, 'autoscaling', 'horizontalpodautoscalers'),
  rule(WRITE, 'batch', 'cronjobs', 'jobs'),
  rule(
    WRITE,
    'extensions',
    'daemonsets',
    'deployments',
    'deployments/rollback',
    'deployments/scale',
    'ingresses',
    'networkpolicies',
    'replicasets',
    'replicasets/scale',
    'replicationcontrollers/scale',
  ),
  rule(WRITE, 'policy', 'poddisruptionbudgets'),
  rule(WRITE, 'networking.k8s.io', 'ingresses', 'networkpolicies'),
  rule(READ_WRITE, 'coordination.k8s.io', 'leases'),
  rule(WRITE, 'resource.k8s.io', 'resourceclaims', 'resourceclaimtemplates'),
];
const ADMIN = [
  rule(['create'], 'authorization.k8s.io', 'localsubjectaccessreviews'),
  rule(READ_WRITE, GROUP, 'rolebindings', 'roles'),
];
const HEALTH = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const DISCOVERY = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];

/** The roles and bindings that every cluster starts with; missing ones are added at each start. */
export function bootstrapPolicy(): KubeObject[] {
  return [
    clusterRole('cluster-admin', [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ]),
    aggregated('admin', ['admin']),
    aggregated('edit', ['edit'], 'admin'),
    aggregated('view', ['view'], 'edit'),
    part('view', VIEW),
    part('edit', EDIT),
    part('admin', ADMIN),
    clusterRole('system:basic-user', [
      {
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        verbs: ['create'],
      },
      { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
    ]),
    clusterRole('system:discovery', [{ nonResourceURLs: DISCOVERY, verbs: ['get'] }]),
    clusterRole('system:public-info-viewer', [{ nonResourceURLs: HEALTH, verbs: ['get'] }]),
    clusterRole('system:monitoring', [
      {
        nonResourceURLs: [
          '/healthz',
          '/healthz/*',
          '/livez',
          '/livez/*',
          '/metrics',
          '/metrics/slis',
          '/readyz',
          '/readyz/*',
        ],
        verbs: ['get'],
      },
      rule(['get'], '', 'nodes/metrics'),
    ]),
    clusterRole('system:auth-delegator', [
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ]),
    binding('cluster-admin', 'cluster-admin', ['system:masters']),
    binding('system:basic-user', 'system:basic-user', ['system:authenticated']),
    binding('system:discovery', 'system:discovery', ['system:authenticated']),
    binding('system:monitoring', 'system:monitoring', ['system:monitoring']),
    binding('system:public-info-viewer', 'system:public-info-viewer', [
      'system:authenticated',
      'system:unauthenticated',
    ]),
  ];
}

const AUTO_UPDATE = { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' } };

function clusterRole(name: string, list: readonly JsonObject[], labels: Record<string, string> = {}): KubeObject {
  return {
    kind: 'ClusterRole',
    apiVersion: `${GROUP}/v1`,
    metadata: { name, labels: { ...LABELS, ...labels }, ...AUTO_UPDATE },
    rules: [...list],
  };
}

const aggregateLabel = (role: string): string => `${GROUP}/aggregate-to-${role}`;

/** A role whose rules are the union of the roles that carry its label. */
function aggregated(name: string, from: readonly string[], into?: string): KubeObject {
  const role = clusterRole(name, [], into === undefined ? {} : { [aggregateLabel(into)]: 'true' });
  return {
    ...role,
    rules: null,
    aggregationRule: {
      clusterRoleSelectors: from.map((each) => ({ matchLabels: { [aggregateLabel(each)]: 'true' } })),
    },
  };
}

function part(role: string, list: readonly JsonObject[]): KubeObject {
  return clusterRole(`system:aggregate-to-${role}`, list, { [aggregateLabel(role)]: 'true' });
}

function binding(name: string, role: string, groups: readonly string[]): KubeObject {
  return {
    kind: 'ClusterRoleBinding',
    apiVersion: `${GROUP}/v1`,
    metadata: { name, labels: LABELS, ...AUTO_UPDATE },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
    subjects: groups.map((group) => ({ apiGroup: GROUP, kind: 'Group', name: group })),
  };
}
