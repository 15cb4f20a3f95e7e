import type { JsonObject } from '../model/json/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import { clusterName, type ComponentName, CONTROLLER, type Installation, labelsOf, objectOf, SERVER } from './names.js';

/** One rule of a role. */
export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** What an account may do: in the whole cluster, in its own namespace, and in each namespace that it delivers to. */
export interface Rights {
  readonly cluster: readonly Rule[];
  readonly own: readonly Rule[];
  readonly destinations: readonly Rule[];
}

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
const rule = (apiGroup: string, resources: readonly string[], verbs: readonly string[]): Rule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});

/** Settings, credentials and Applications of the control plane are in its namespace. */
const CONTROLLER_OWN: readonly Rule[] = [
  rule('argoproj.io', ['applications', 'applicationsets'], [...READ, 'create', 'update', 'patch', 'delete']),
  rule('argoproj.io', ['applicationsets/status'], ['update', 'patch']),
  rule('argoproj.io', ['appprojects'], [...READ, 'create']),
  rule('argoproj.io', ['argocds'], ['list', 'watch']),
  rule('argoproj.io', ['argocds/status', 'argocds/finalizers'], ['update']),
  rule('', ['configmaps'], [...READ, 'create', 'update', 'delete']),
  rule('', ['secrets'], [...READ, 'create', 'update']),
  rule('', ['events'], ['create', 'patch']),
  rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update']),
  // Whether Argo CD or its operator runs here.
  rule('apps', ['deployments', 'statefulsets'], ['list', 'watch']),
];

const SERVER_OWN: readonly Rule[] = [
  rule(
    'argoproj.io',
    ['applications', 'applicationsets', 'appprojects'],
    [...READ, 'create', 'update', 'patch', 'delete'],
  ),
  rule('', ['configmaps', 'secrets'], [...READ, 'create', 'update', 'patch', 'delete']),
  rule('', ['events'], ['create', 'list']),
];

/** Sessions, the key that signs them, and the first password; nothing that delivers. */
const SERVER_OWN_READ_ONLY: readonly Rule[] = [
  rule('argoproj.io', ['applications', 'applicationsets', 'appprojects'], READ),
  rule('', ['configmaps'], READ),
  rule('', ['secrets'], [...READ, 'create', 'update', 'patch']),
  rule('', ['events'], ['list']),
];

const EVERYTHING: readonly Rule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];
const READ_EVERYTHING: readonly Rule[] = [rule('*', ['*'], READ), { nonResourceURLs: ['*'], verbs: ['get'] }];

/** Notebooks in the namespaces that are delivered to: their definition, and jobs found wherever they are. */
const NOTEBOOKS_CLUSTER: readonly Rule[] = [
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: ['notebookvalidationjobs.mlops.mlops.dev'],
    verbs: ['get'],
  },
  rule('mlops.mlops.dev', ['notebookvalidationjobs'], ['list', 'watch']),
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
];

/** What the page does to live objects: actions, deletion, logs, terminals, server-side differences. */
const SERVER_ON_OBJECTS: readonly Rule[] = [
  rule('*', ['*'], [...READ, 'patch', 'delete']),
  rule('', ['pods/exec'], ['create']),
  rule('batch', ['jobs'], ['create']),
];

export function rightsOf({ values }: Installation, component: ComponentName): Rights {
  const { readOnly, rights, notebooks } = values;
  const isWide = rights === 'wide';
  if (component === CONTROLLER) {
    const deliver: readonly Rule[] = [rule('*', ['*'], [...READ, 'create', 'update', 'patch', 'delete'])];
    if (readOnly)
      return isWide ? only(READ_EVERYTHING) : { cluster: [], own: READ_OWN, destinations: [rule('*', ['*'], READ)] };
    if (isWide) return only(EVERYTHING);
    return { cluster: notebooks ? NOTEBOOKS_CLUSTER : [], own: CONTROLLER_OWN, destinations: deliver };
  }
  if (readOnly)
    return {
      cluster: isWide ? READ_EVERYTHING : [],
      own: SERVER_OWN_READ_ONLY,
      destinations: isWide ? [] : [rule('*', ['*'], READ)],
    };
  return {
    cluster: isWide
      ? [
          ...SERVER_ON_OBJECTS,
          rule('argoproj.io', ['applications', 'applicationsets'], ['create', 'update']),
          rule('', ['events'], ['create']),
        ]
      : [],
    own: SERVER_OWN,
    destinations: isWide ? [] : SERVER_ON_OBJECTS,
  };
}

const READ_OWN: readonly Rule[] = [
  rule('argoproj.io', ['applications', 'applicationsets', 'appprojects'], READ),
  rule('', ['configmaps', 'secrets'], READ),
  rule('apps', ['deployments', 'statefulsets'], ['list']),
];

function only(cluster: readonly Rule[]): Rights {
  return { cluster, own: [], destinations: [] };
}

/** The accounts of controller and server with their roles. */
export function accounts(installation: Installation): KubeObject[] {
  const components = [CONTROLLER, SERVER] as const;
  return [
    ...components.map((name) => objectOf(installation, ['v1', 'ServiceAccount', name], {}, name)),
    ...components.flatMap((name) => roles(installation, name)),
    ...(installation.values.rights === 'narrow' ? [limitedCluster(installation)] : []),
  ];
}

function roles(installation: Installation, component: ComponentName): KubeObject[] {
  const { cluster, own, destinations } = rightsOf(installation, component);
  const { namespace, values } = installation;
  return [
    ...(cluster.length === 0
      ? []
      : bound(installation, component, { name: clusterName(installation, component), rules: cluster })),
    ...(own.length === 0 ? [] : bound(installation, component, { name: component, rules: own, namespace })),
    ...(destinations.length === 0
      ? []
      : values.namespaces.flatMap((each) =>
          bound(installation, component, {
            name: `${component}-${namespace}-delivery`,
            rules: destinations,
            namespace: each,
          }),
        )),
  ];
}

/** A role, and the binding of an account to it. */
function bound(
  installation: Installation,
  component: ComponentName,
  role: { readonly name: string; readonly rules: readonly Rule[]; readonly namespace?: string },
): KubeObject[] {
  const kind = role.namespace === undefined ? 'ClusterRole' : 'Role';
  const metadata = {
    name: role.name,
    ...(role.namespace === undefined ? {} : { namespace: role.namespace }),
    labels: labelsOf(installation, component),
  };
  return [
    { apiVersion: `${RBAC}/v1`, kind, metadata, rules: role.rules.map(ruleObject) },
    {
      apiVersion: `${RBAC}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind, name: role.name },
      subjects: [{ kind: 'ServiceAccount', name: component, namespace: installation.namespace }],
    },
  ];
}

function ruleObject({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: Rule): JsonObject {
  return {
    ...(apiGroups === undefined ? {} : { apiGroups: [...apiGroups] }),
    ...(resources === undefined ? {} : { resources: [...resources] }),
    ...(resourceNames === undefined ? {} : { resourceNames: [...resourceNames] }),
    ...(nonResourceURLs === undefined ? {} : { nonResourceURLs: [...nonResourceURLs] }),
    verbs: [...verbs],
  };
}

/** Says to controller and server that of this cluster they list, watch and deliver to these namespaces alone. */
function limitedCluster(installation: Installation): KubeObject {
  const object = objectOf(installation, ['v1', 'Secret', 'cluster-in-cluster'], {
    type: 'Opaque',
    stringData: {
      name: 'in-cluster',
      server: 'https://kubernetes.default.svc',
      namespaces: installation.values.namespaces.join(','),
      clusterResources: 'false',
      config: '{}',
    },
  });
  const labels = { ...object.metadata.labels, 'argocd.argoproj.io/secret-type': 'cluster' };
  return { ...object, metadata: { ...object.metadata, labels } };
}
