import { writeYaml } from '../../../src/model/yaml/index.js';
import type { JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { makeFleet, type Commit, type Environment } from '../../fleet/index.js';
import { pipelineFiles } from './pipeline.js';

/** What the demo is made of. The same addresses give the same. */
export interface DemoFleet {
  readonly commits: readonly Commit[];
  /** What is there before the first delivery, and is not in git. */
  readonly outside: readonly KubeObject[];
  readonly projects: readonly KubeObject[];
  readonly applications: readonly KubeObject[];
  /** Applications that are not to become well. */
  readonly ill: ReadonlySet<string>;
}

export interface DemoAddresses {
  /** The repository as Applications name it. */
  readonly repository: string;
  /** The same repository as a pod can reach it. */
  readonly notebooks: string;
}

/** Names of their own: stories use those of the documents, and both are in one cluster. */
const ENVIRONMENTS: readonly Environment[] = [
  { name: 'dev', namespace: 'shop-dev', pool: 'shop-dev', imageTag: 'dev' },
  { name: 'test', namespace: 'shop-test', pool: 'shop-test', imageTag: 'main' },
  { name: 'prod', namespace: 'shop-prod', pool: 'shop-prod', imageTag: 'main' },
];
/** Where nobody gave Vault its key after a restart. */
export const SEALED = 'shop-test';
const COMPONENTS = [
  'vault-core',
  'vault-bootstrap',
  'vault-secret-store',
  'ghcr-pull-secret',
  'minio',
  'grafana',
  'transformation',
  'postgres-clusters',
  'kafka-cluster',
  'agents',
  'agents-runtime',
  'www-ameide',
];
const ALL_COMPONENTS = 35;
/** Those whose shared values hide the tolerations of their environment. */
const UNPLACED = ['agents', 'agents-runtime'];
const TEAMS = ['portal', 'reports', 'checkout', 'fraud-detection'];
const SERVER = 'https://kubernetes.default.svc';

/** Three environments of one platform and four teams; seven things in it are broken or under way from the start. */
export function makeDemoFleet({ repository, notebooks }: DemoAddresses): DemoFleet {
  const fleet = makeFleet({
    environments: ENVIRONMENTS,
    applications: ALL_COMPONENTS,
    only: COMPONENTS,
    unplaced: UNPLACED.length,
    repository: { url: repository, revision: 'main' },
  });
  const files = new Map([...fleet.files, ...Object.entries(brokenValues()), ...teamFiles(notebooks)]);
  return {
    commits: [
      { message: 'The platform and its teams', files },
      {
        message: 'Reports move on: the rest is on main',
        branch: 'release-1',
        from: 'main',
        files: new Map([['teams/reports/deployment.yaml', undefined]]),
      },
    ],
    outside: [...fleet.outside, ...namespaces(), imageRules(), forgottenDeployment(), notebookSettings()],
    projects: fleet.projects,
    applications: [...fleet.applications.map(renamed), ...teamApplications(repository)],
    ill: new Set([
      ...TEAMS,
      ...ENVIRONMENTS.flatMap(({ name }) => UNPLACED.map((app) => `${name}-apps-${app}`)),
      'prod-apps-transformation',
    ]),
  };
}

/** Applications of the whole cluster have names that stories use too. */
function renamed(application: KubeObject): KubeObject {
  const { metadata } = application;
  const name = (metadata.name ?? '')
    .replace(/^cluster-/, 'shared-')
    .replace(/^argocd-cert-manager$/, 'shared-certificates');
  return { ...application, metadata: { ...metadata, name } };
}

/**
 * A tag that no pipeline has pushed; and a rollout that gives up soon, so that nobody waits ten minutes to see that it
 * does.
 */
function brokenValues(): Record<string, string> {
  return {
    'sources/values/env/prod/apps/transformation.yaml': writeYaml({
      image: { tag: '2.4.0' },
      progressDeadlineSeconds: 30,
    }),
    ...Object.fromEntries(
      ENVIRONMENTS.flatMap(({ name }) =>
        UNPLACED.map((app) => [
          `sources/values/env/${name}/apps/${app}.yaml`,
          writeYaml({ progressDeadlineSeconds: 30 }),
        ]),
      ),
    ),
  };
}

function imageRules(): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'registry-tags', namespace: 'shop-prod', labels: { 'argosy.dev/image-rules': 'true' } },
    data: { 'rules.yaml': '- {registry: ghcr.io, repository: ameideio/transformation, tags: [dev, main, "2.3.*"]}\n' },
  };
}

/** In the demo a notebook that no process executes passes, and says so; everywhere else it waits. */
function notebookSettings(): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'argocd-cmd-params-cm',
      namespace: 'argocd',
      labels: { 'app.kubernetes.io/part-of': 'argocd' },
    },
    data: { 'argosy.simulated-notebooks': 'pass' },
  };
}

function namespaces(): KubeObject[] {
  const namespace = (name: string, annotations: Record<string, string> = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
  });
  return [
    namespace('portal', { 'world.argosy.dev/route-domain': 'apps.demo.example.com' }),
    namespace('reports'),
    namespace('checkout'),
    namespace('fraud-detection'),
  ];
}

const deployment = (name: string, image: string, labels: Record<string, string>, namespace?: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name, image, ports: [{ name: 'http', containerPort: 8080 }] }] },
    },
  },
});

const service = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
});

/** From a branch that was merged with other labels since: the selector of a Deployment cannot be changed. */
function forgottenDeployment(): KubeObject {
  return deployment('checkout', 'ghcr.io/shop/checkout:1.8.2', { app: 'checkout', track: 'new-labels' }, 'checkout');
}

function teamFiles(notebooks: string): [string, string][] {
  const documents = (...objects: readonly KubeObject[]): string =>
    objects.map((object) => writeYaml(object)).join('---\n');
  // The cluster gives the Route a host of its own domain, and git says another one.
  const route: KubeObject = {
    apiVersion: 'route.openshift.io/v1',
    kind: 'Route',
    metadata: { name: 'portal' },
    spec: {
      host: 'portal.example.com',
      to: { kind: 'Service', name: 'portal' },
      port: { targetPort: 'http' },
      tls: { termination: 'edge' },
    },
  };
  return [
    [
      'teams/portal/portal.yaml',
      documents(deployment('portal', 'ghcr.io/shop/portal:3.1.0', { app: 'portal' }), service('portal'), route),
    ],
    ['teams/reports/kustomization.yaml', 'resources: [deployment.yaml, service.yaml]\n'],
    [
      'teams/reports/deployment.yaml',
      documents(deployment('reports', 'ghcr.io/shop/reports:0.9.4', { app: 'reports' })),
    ],
    ['teams/reports/service.yaml', documents(service('reports'))],
    [
      'teams/checkout/checkout.yaml',
      documents(deployment('checkout', 'ghcr.io/shop/checkout:1.9.0', { app: 'checkout' }), service('checkout')),
    ],
    ...pipelineFiles(notebooks),
  ];
}

function teamApplications(repoURL: string): KubeObject[] {
  const application = (name: string, source: JsonObject): KubeObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: 'argocd',
      labels: { team: name },
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
    },
    spec: {
      project: 'default',
      destination: { server: SERVER, namespace: name },
      source: { repoURL, targetRevision: 'main', path: `teams/${name}`, ...source },
      syncPolicy: {
        automated: { prune: true },
        syncOptions: ['ServerSideApply=true'],
        retry: { limit: 1, backoff: { duration: '2s' } },
      },
    },
  });
  return [
    application('portal', {}),
    application('reports', { targetRevision: 'release-1' }),
    application('checkout', {}),
    application('fraud-detection', { path: 'teams/fraud-detection/manifests' }),
  ];
}
