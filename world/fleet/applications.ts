import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Component, Domain } from './component.js';
import type { Environment } from './environments.js';

/** Where the Applications find the repository, and which of its states they want. */
export interface RepositoryAddress {
  readonly url: string;
  readonly revision: string;
}

/** Secrets before what needs them, and so on; operators of the cluster before all. */
const WAVES: Readonly<Record<Domain | 'cluster', number>> = {
  cluster: 0,
  foundation: 10,
  data: 20,
  platform: 30,
  apps: 40,
};

const CLUSTER = 'https://kubernetes.default.svc';

interface Plan {
  readonly name: string;
  readonly project: string;
  readonly namespace: string;
  readonly domain: Domain | 'cluster';
  readonly component: string;
  readonly environment?: string;
  readonly sources: readonly JsonObject[];
}

function application({ name, project, namespace, domain, component, environment, sources }: Plan): KubeObject {
  const [first] = sources;
  const labels = {
    'ameide.io/domain': domain,
    'ameide.io/component': component,
    ...(environment === undefined ? {} : { 'ameide.io/environment': environment }),
  };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: 'argocd',
      labels,
      annotations: { 'argocd.argoproj.io/sync-wave': String(WAVES[domain]) },
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
    },
    spec: {
      project,
      destination: { server: CLUSTER, namespace },
      ...(sources.length === 1 && first !== undefined ? { source: first } : { sources: [...sources] }),
      syncPolicy: {
        automated: { prune: true, selfHeal: true },
        syncOptions: ['CreateNamespace=true', 'ServerSideApply=true'],
        retry: { limit: 5, backoff: { duration: '5s', factor: 2, maxDuration: '3m' } },
      },
    },
  };
}

/** `ENV-DOMAIN-NAME`, as an ApplicationSet over environments and components names them. */
export function environmentApplication(
  { domain, name, source }: Component,
  environment: Environment,
  { url, revision }: RepositoryAddress,
): KubeObject {
  const from = { repoURL: url, targetRevision: revision };
  const values = (path: string): string => `$values/sources/values/${path}.yaml`;
  const sources: JsonObject[] =
    source.kind === 'kustomize'
      ? [{ ...from, path: `sources/kustomize/${domain}/${name}/overlays/${environment.name}` }]
      : [
          {
            ...from,
            path: `sources/charts/${source.chart}`,
            helm: {
              releaseName: `${domain}-${name}`,
              ignoreMissingValueFiles: true,
              valueFiles: [
                values(`env/${environment.name}/globals`),
                values(`_shared/${domain}/${name}`),
                values(`env/${environment.name}/${domain}/${name}`),
              ],
            },
          },
          { ...from, ref: 'values' },
        ];
  return application({
    name: `${environment.name}-${domain}-${name}`,
    project: environment.name,
    namespace: environment.namespace,
    domain,
    component: name,
    environment: environment.name,
    sources,
  });
}

/** What the cluster has once, beside all environments. */
export function clusterApplications({ url, revision }: RepositoryAddress): KubeObject[] {
  const from = { repoURL: url, targetRevision: revision };
  const plain = (path: string): JsonObject[] => [
    { ...from, path: `sources/plain/${path}`, directory: { recurse: true } },
  ];
  const chart = (path: string, values: string): JsonObject[] => [
    { ...from, path: `sources/charts/${path}`, helm: { valueFiles: [`/sources/values/cluster/${values}.yaml`] } },
  ];
  const make = (name: string, namespace: string, sources: JsonObject[]): KubeObject =>
    application({ name, project: 'cluster', namespace, domain: 'cluster', component: name, sources });
  return [
    make('cluster-storage-classes', 'kube-system', plain('storage-classes')),
    make('cluster-cert-manager', 'cert-manager', chart('cluster/operator', 'cert-manager')),
    make('cluster-external-secrets', 'external-secrets', chart('cluster/operator', 'external-secrets')),
    make('argocd-cert-manager', 'argocd', chart('foundation/certificates', 'argocd-certificates')),
    make('cluster-serving-runtimes', 'kserve', plain('serving-runtimes')),
  ];
}

export function projects(environments: readonly Environment[], { url }: RepositoryAddress): KubeObject[] {
  const project = (name: string, description: string, destinations: JsonObject[]): KubeObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: 'argocd' },
    spec: { description, sourceRepos: [url], destinations, clusterResourceWhitelist: [{ group: '*', kind: '*' }] },
  });
  return [
    project('cluster', 'What the cluster has once', [{ server: CLUSTER, namespace: '*' }]),
    ...environments.map(({ name, namespace }) =>
      project(name, `The environment ${name}`, [{ server: CLUSTER, namespace }]),
    ),
  ];
}
