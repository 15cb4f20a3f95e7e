import { Fault } from '../../src/model/faults/index.js';
import { writeYaml } from '../../src/model/yaml/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Component } from './component.js';
import type { Environment } from './environments.js';

/** A state in which a platform once was. `first`: before anybody repaired what the inventory of its problems lists. */
export type Moment = 'first';

export function readMoment(text: string): Moment {
  if (text !== 'first') throw new Fault('VALUE_INVALID', `${text} is not known; known is first`, { where: '--moment' });
  return text;
}

/** Components with claims or jobs whose shared values hid the tolerations of their environment at the first moment. */
export const FIRST_UNPLACED = [
  'vault-core',
  'postgres-clusters',
  'kafka-cluster',
  'clickhouse',
  'loki',
  'temporal-namespace-bootstrap',
];

/** What a store of the whole cluster is called where ExternalSecrets name it. */
export const FIRST_STORE_KIND = 'ClusterSecretStore';

/** One store for the whole cluster, which asks for a Vault where none is. */
const STORE: JsonObject = {
  clusterSecretStore: { name: 'ameide-vault', server: 'http://vault.vault.svc.cluster.local:8200' },
};
/** Their monitors were switched on before anybody had installed the definitions of the Prometheus operator. */
const MONITORED: JsonObject = { serviceMonitor: true };
const WITH_MONITOR = ['grafana', 'loki', 'prometheus', 'envoy-gateway'];
/**
 * Seconds. The inventory was written hours after a rollout stood still; a deadline of ten minutes would only make
 * people wait.
 */
const IMPATIENT: JsonObject = { progressDeadlineSeconds: 5 };

/** What values said at the first moment, by component. */
const VALUES: ReadonlyMap<string, JsonObject> = new Map([
  // An identity of the older sort, whose definitions the cluster does not have, a new run of the job that uses it, and
  // its schedule held.
  ['vault-bootstrap', { run: 'isolated', podIdentity: true, backoffLimit: 0, suspend: true }],
  ['temporal-namespace-bootstrap', { run: 'isolated' }],
  ['transformation', { ...IMPATIENT, config: { LOG_LEVEL: 'debug' } }],
  ...WITH_MONITOR.map((name) => [name, MONITORED] as const),
]);

/** Configuration that could not be delivered. */
export const FIRST_UNDELIVERABLE = ['cnpg-monitoring', 'coredns-config'];

/** What git asked for and the cluster could not have: no sync of these ended well. */
export const FIRST_OUT_OF_SYNC = [...FIRST_UNDELIVERABLE, 'vault-bootstrap', ...WITH_MONITOR];

const CLUSTER_VALUES: ReadonlyMap<string, JsonObject> = new Map([
  ['external-secrets', STORE],
  ['cert-manager', MONITORED],
  ['argocd-certificates', MONITORED],
]);

/** What the shared values of a component said beside what they say now. */
export function firstValues(name: string, isUnplaced: boolean): JsonObject {
  return { ...(isUnplaced ? IMPATIENT : {}), ...VALUES.get(name) };
}

/** The same for an application that the cluster has once, by its values file. */
export function firstClusterValues(name: string): JsonObject {
  return CLUSTER_VALUES.get(name) ?? {};
}

/** Kinds that git asked for at the first moment and that no cluster of that time knew. */
export const FIRST_UNKNOWN_KINDS = ['AzureIdentityBinding', 'PodMonitor', 'ServiceMonitor'];

const POD_MONITOR: JsonObject = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PodMonitor',
  metadata: { name: 'cnpg-monitoring' },
  spec: { selector: { matchLabels: { 'cnpg.io/podRole': 'instance' } }, podMetricsEndpoints: [{ port: 'metrics' }] },
};

/**
 * Configuration that could not be delivered, because of which nothing of it was there: monitors of a kind that the
 * cluster does not know, and a ConfigMap for a namespace in which its project may not write.
 */
export function firstKustomization(name: string, namespace: string): ReadonlyMap<string, JsonObject> | undefined {
  const kustomization = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };
  if (name === 'cnpg-monitoring')
    return new Map([
      ['kustomization.yaml', { ...kustomization, namespace, resources: ['monitor.yaml'] }],
      ['monitor.yaml', POD_MONITOR],
    ]);
  if (name === 'coredns-config')
    return new Map([['kustomization.yaml', { ...kustomization, namespace: 'kube-system', resources: ['../../base'] }]]);
  return undefined;
}

export interface Removal {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
}

/**
 * What a healthy platform has outside of git and was not there at the first moment: nobody had made credentials for
 * each environment.
 */
export function firstMissing({ name }: Pick<Environment, 'name'>): readonly Removal[] {
  return [{ kind: 'ConfigMap', namespace: 'azure', name: `vault-bootstrap-${name}` }];
}

/**
 * What is left of a healthy platform when it comes to the first moment: configuration that git no longer has, and the
 * pull secret that no store brings any more.
 */
export function firstLeftovers({ namespace }: Pick<Environment, 'namespace'>): readonly Removal[] {
  return [
    { kind: 'ConfigMap', namespace, name: 'cnpg-monitoring' },
    { kind: 'ConfigMap', namespace, name: 'coredns-config' },
    { kind: 'Secret', namespace, name: 'ghcr-pull-secret' },
  ];
}

const OWN_REGISTRY = 'ghcr.io/ameideio/';

/**
 * The team's images are private, so whoever pulls them needs the pull secret. Only those of components that name it: an
 * image that is pulled to bring the pull secret itself must be open, or nothing could ever begin.
 */
export function privateImages(components: readonly Component[]): KubeObject {
  const repositories = components
    .filter(({ source }) => source.kind === 'helm' && source.chart === 'apps/web-service')
    .map(repositoryOf)
    .filter((repository) => repository.startsWith(OWN_REGISTRY));
  const rules = repositories.map((repository) => ({
    registry: 'ghcr.io',
    repository: repository.slice('ghcr.io/'.length),
    credentials: { robot: 'not-a-real-one' },
  }));
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'ghcr-private-images', namespace: 'argocd', labels: { 'argosy.dev/image-rules': 'true' } },
    data: { 'rules.yaml': writeYaml(rules) },
  };
}

/** As the charts make it of values. */
function repositoryOf({ domain, name, values }: Component): string {
  const { image, fullnameOverride } = values as {
    readonly image?: { readonly repository?: string };
    readonly fullnameOverride?: string;
  };
  return image?.repository ?? `${OWN_REGISTRY}${fullnameOverride ?? `${domain}-${name}`}`;
}
