import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { applicationOf } from './application.js';
import { APPLICATIONS, APP_PROJECTS, CONFIG_MAPS, SECRETS, type ResourceRef } from '../../src/model/resources/index.js';

/** An object that no controller should have to meet, stored before it starts. */
export interface Poison {
  readonly name: string;
  readonly kind: ResourceRef;
  readonly object: KubeObject;
}

const LONG = 'x'.repeat(200_000);

/** Applications that the schema of the CRD lets pass, or may; what it refuses is counted. */
const SPECS: Readonly<Record<string, JsonObject>> = {
  'no source': { source: null },
  'an empty source': { source: { repoURL: '' } },
  'an address that is none': { source: { repoURL: 'ht!tp://[', path: 'app' } },
  'a program as address': { source: { repoURL: 'ext::sh -c touch% /tmp/x', path: 'app' } },
  'an option as address': { source: { repoURL: '--upload-pack=x', path: 'app' } },
  'a path that climbs out': { source: { path: '../../../etc' } },
  'an absolute path': { source: { path: '/etc' } },
  'a revision that is an option': { source: { targetRevision: '--help' } },
  'a revision of one NUL': { source: { targetRevision: '\u0000' } },
  'a revision of 200 kB': { source: { targetRevision: LONG } },
  'sources without end': {
    sources: Array.from({ length: 500 }, () => ({ repoURL: 'file:///nowhere', path: 'a', targetRevision: 'main' })),
  },
  'two kinds of source at once': { source: { helm: { values: 'a: 1' }, kustomize: { namePrefix: 'b' } } },
  'helm values that are no YAML': { source: { helm: { values: '[' } } },
  'a chart without a version': { source: { chart: 'x', path: '' } },
  'an unknown plugin': { source: { plugin: { name: 'nobody' } } },
  'jsonnet variables of a wrong kind': {
    source: { directory: { recurse: true, jsonnet: { extVars: [{ name: '', value: '' }] } } },
  },
  'a pattern without end': { source: { directory: { recurse: true, include: `${'{'.repeat(2000)}a` } } },
  'an unknown project': { project: 'nobody' },
  'a project that climbs': { project: '../default' },
  'no destination': { destination: {} },
  'two destinations': { destination: { server: 'https://a', name: 'b', namespace: 'c' } },
  'an unknown cluster': { destination: { name: 'nowhere', server: null, namespace: 'x' } },
  'a destination that is no address': { destination: { server: ':::', namespace: 'x' } },
  'a namespace that cannot be': { destination: { server: 'https://kubernetes.default.svc', namespace: 'Not A Name' } },
  'a pointer that is none': {
    ignoreDifferences: [{ group: '*', kind: '*', jsonPointers: ['no/slash', '~', '/~3', ''] }],
  },
  'jq without end': {
    ignoreDifferences: [{ group: '*', kind: '*', jqPathExpressions: ['def f: f; f', 'until(false; .)', '.['] }],
  },
  'a pattern of brackets': { ignoreDifferences: [{ group: '[', kind: '[[[', jsonPointers: ['/a'] }] },
  'a backoff that is none': {
    syncPolicy: {
      automated: {},
      retry: { limit: 9, backoff: { duration: '99999h99', maxDuration: 'NaN', factor: 0 } },
    },
  },
  'a negative backoff': {
    syncPolicy: { automated: {}, retry: { limit: -5, backoff: { duration: '-5s', maxDuration: '1e400', factor: -2 } } },
  },
  'options that are none': {
    syncPolicy: { automated: {}, syncOptions: ['', '=', 'Prune', 'PrunePropagationPolicy=maybe', LONG] },
  },
  'a history below zero': { revisionHistoryLimit: -7 },
  'keys of every object': {
    syncPolicy: {
      managedNamespaceMetadata: { labels: { constructor: 'a', __proto__x: 'b' }, annotations: { toString: 'c' } },
    },
  },
  'info without end': { info: Array.from({ length: 5000 }, () => ({ name: 'a', value: 'b' })) },
};

const OTHER_PARTS: Readonly<Record<string, JsonObject>> = {
  'an operation without a sync': { operation: {} },
  'an operation to nowhere': {
    operation: { sync: { revision: 'deadbeef', resources: [{ group: '', kind: 'Nothing', name: 'x' }] } },
  },
  'an operation with manifests that are none': { operation: { sync: { manifests: ['{', '[]', '""', 'null'] } } },
  'an operation with a source to nowhere': {
    operation: { sync: { source: { repoURL: 'file:///nowhere', path: 'x' } } },
  },
  'a state of no phase': {
    status: { operationState: { phase: 'Bogus', startedAt: '2026-01-01T00:00:00Z', operation: { sync: {} } } },
  },
  'a state that runs since the year 1': {
    status: {
      operationState: {
        phase: 'Running',
        startedAt: '0001-01-01T00:00:00Z',
        operation: { sync: {} },
        syncResult: { revision: 'nothing', resources: [{ group: '', version: '', kind: '', namespace: '', name: '' }] },
      },
    },
  },
  'a state that ends before nothing began': {
    status: { operationState: { phase: 'Terminating', startedAt: '2026-01-01T00:00:00Z', operation: {} } },
  },
  'a status of another world': {
    status: {
      sync: { status: 'Bogus' },
      health: { status: 'Bogus' },
      conditions: [{ type: '', message: '' }],
      resources: [{}],
      history: [{ id: -1, revision: '', deployedAt: '2026-01-01T00:00:00Z' }],
    },
  },
};

const ANNOTATIONS: Readonly<Record<string, Record<string, string>>> = {
  'a refresh of no kind': { 'argocd.argoproj.io/refresh': 'sideways' },
  'a wave of words': { 'argocd.argoproj.io/sync-wave': 'first' },
  'options of commas': { 'argocd.argoproj.io/sync-options': ',,,=,', 'argocd.argoproj.io/compare-options': '=' },
  'paths without end': { 'argocd.argoproj.io/manifest-generate-paths': ';'.repeat(50_000) },
  'approved at no time': { 'argocd.argoproj.io/deletion-approved': 'yes' },
  'a wait of no length': {
    'argosy.dev/wait-timeout': 'soon',
    'argosy.dev/depends-on': 'poison, poison',
    'argosy.dev/gate': 'perhaps',
  },
};

const SETTINGS: Readonly<Record<string, Record<string, string>>> = {
  'a list of exclusions that is none': { 'resource.exclusions': '{{{', 'resource.inclusions': '- - -' },
  'customizations that are no YAML': { 'resource.customizations': '\tx: [' },
  'health without end': {
    'resource.customizations.health.ServiceAccount': 'while true do end',
    'resource.customizations.health._': 'return',
  },
  'a timeout that is none': { 'timeout.reconciliation': 'never', 'timeout.reconciliation.jitter': '-1s' },
  'an unknown way of tracking': {
    'application.resourceTrackingMethod': 'telepathy',
    'application.instanceLabelKey': ' ',
  },
  'rules that are none': {
    'resource.customizations.ignoreDifferences.all': 'jsonPointers: 7',
    'resource.compareoptions': 'yes',
  },
};

const SECRET_DATA: Readonly<Record<string, readonly [type: string, data: Record<string, string>]>> = {
  'a cluster without anything': ['cluster', {}],
  'a cluster whose settings are no JSON': ['cluster', { name: 'x', server: 'https://x.example.com', config: '{' }],
  'a cluster in place of ours': [
    'cluster',
    { name: 'in-cluster', server: 'https://kubernetes.default.svc', config: '{"bearerToken":"wrong"}' },
  ],
  'a cluster with a certificate that is none': [
    'cluster',
    {
      name: 'y',
      server: 'https://127.0.0.1:1',
      config: '{"tlsClientConfig":{"caData":"AAAA","certData":"AAAA","keyData":"AAAA"}}',
    },
  ],
  'a repository without an address': ['repository', { type: 'git' }],
  'a repository with a key that is none': [
    'repository',
    { url: 'ssh://git@nowhere.example.com/x.git', sshPrivateKey: 'x' },
  ],
  'credentials for everything': ['repo-creds', { url: '', username: 'u', password: 'p' }],
};

const PROJECT_SPECS: Readonly<Record<string, JsonObject>> = {
  'windows of no time': {
    syncWindows: [
      { kind: 'deny', schedule: '* * * * * * *', duration: 'long', applications: ['*'] },
      { kind: 'perhaps', schedule: '', duration: '' },
    ],
  },
  'patterns of brackets': { sourceRepos: ['[', '!['], destinations: [{ server: '[', namespace: '{' }] },
  'signatures of nobody': { signatureKeys: [{ keyID: 'XYZ' }] },
  'accounts of nobody': { destinationServiceAccounts: [{ server: '*', namespace: '*', defaultServiceAccount: '' }] },
};

/** Everything above as objects; `target` is where a sound Application would go. */
export function poisons(target: { readonly repoURL: string; readonly namespace: string }): Poison[] {
  const base = applicationOf({
    name: 'poison',
    namespace: target.namespace,
    repoURL: target.repoURL,
    path: 'poison',
    automated: { prune: true, selfHeal: true },
  });
  const spec = base.spec as JsonObject;
  const application = (name: string, object: KubeObject): Poison => ({ name, kind: APPLICATIONS, object });
  const settings = (name: string, data: Record<string, string>): Poison => ({
    name: `settings: ${name}`,
    kind: CONFIG_MAPS,
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cm', namespace: 'argocd', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
      data,
    },
  });
  return [
    ...Object.entries(SPECS).map(([name, part]) => application(name, { ...base, spec: merged(spec, part) })),
    ...Object.entries(OTHER_PARTS).map(([name, part]) => application(name, { ...base, ...part })),
    ...Object.entries(ANNOTATIONS).map(([name, annotations]) =>
      application(name, { ...base, metadata: { ...base.metadata, annotations } }),
    ),
    application('a finalizer of nobody', {
      ...base,
      metadata: { ...base.metadata, finalizers: ['nobody.example.com/waits'] },
    }),
    ...Object.entries(SETTINGS).map(([name, data]) => settings(name, data)),
    ...Object.entries(SECRET_DATA).map(
      ([name, [type, data]]): Poison => ({
        name,
        kind: SECRETS,
        object: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'poison', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': type } },
          stringData: data,
        },
      }),
    ),
    ...Object.entries(PROJECT_SPECS).map(
      ([name, part]): Poison => ({
        name: `project: ${name}`,
        kind: APP_PROJECTS,
        object: {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'AppProject',
          metadata: { name: 'poison', namespace: 'argocd' },
          spec: part,
        },
      }),
    ),
  ];
}

/** Source, destination and syncPolicy are mixed with what is sound; null takes a part away. */
function merged(spec: JsonObject, part: JsonObject): JsonObject {
  const result: Record<string, JsonObject[string]> = { ...spec };
  for (const [key, value] of Object.entries(part)) {
    const old = result[key];
    const isMixed =
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      typeof old === 'object' &&
      old !== null &&
      !Array.isArray(old) &&
      Object.keys(value).length > 0;
    result[key] = isMixed ? { ...old, ...value } : value;
  }
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null));
}
