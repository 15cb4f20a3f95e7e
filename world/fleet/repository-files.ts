import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeYaml } from '../../src/model/yaml/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import type { Component } from './component.js';
import { draw } from './draw.js';
import { POOL_LABEL, TAINT, type Environment } from './environments.js';
import { FIRST_STORE_KIND, firstClusterValues, firstKustomization, firstValues, type Moment } from './first-moment.js';
import { kustomizeBase, kustomizeOverlay, kustomizePlacement } from './kustomize-files.js';

export interface RepositoryPlan {
  readonly environments: readonly Environment[];
  readonly components: readonly Component[];
  readonly seed: number;
  /** Components whose shared values set empty tolerations and an empty node selector. */
  readonly unplaced: ReadonlySet<string>;
  readonly moment?: Moment;
}

/** Every file of the repository by its path. */
export function makeFiles(plan: RepositoryPlan): Map<string, string> {
  const files = new Map([['README.md', README], ...chartFiles(), ...clusterFiles(plan.moment)]);
  for (const environment of plan.environments) {
    files.set(
      `sources/values/env/${environment.name}/globals.yaml`,
      writeYaml(globals(environment, plan.moment === 'first' ? FIRST_STORE_KIND : 'SecretStore')),
    );
    files.set(`sources/kustomize/placement/${environment.name}/kustomization.yaml`, kustomizePlacement(environment));
  }
  for (const component of plan.components) addComponent(files, component, plan);
  return files;
}

/** What a whole environment has in common. Charts see these values first, so everything else may hide them. */
function globals({ name, namespace, pool, imageTag }: Environment, storeKind: string): JsonObject {
  return {
    environment: name,
    namespace,
    domain: `${name}.ameide.example.com`,
    registry: 'ghcr.io/ameideio',
    imageTag,
    imagePullSecrets: [{ name: 'ghcr-pull-secret' }],
    secretStore: { name: 'ameide-vault', kind: storeKind },
    storage: { class: 'managed-csi', premiumClass: 'managed-csi-premium' },
    azure: { keyVault: keyVaultOf({ namespace }), clientId: clientIdOf({ name }) },
    nodeSelector: { [POOL_LABEL]: pool },
    tolerations: [{ key: TAINT, value: name, effect: 'NoSchedule' }],
  };
}

export function keyVaultOf({ namespace }: Pick<Environment, 'namespace'>): string {
  return `${namespace}-kv`;
}

/** The identity of the bootstrap in Azure. */
export function clientIdOf({ name }: Pick<Environment, 'name'>): string {
  const digits = Array.from({ length: 32 }, (_, index) =>
    Math.floor(draw(0, 'client', name, String(index)) * 16).toString(16),
  ).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function addComponent(
  files: Map<string, string>,
  component: Component,
  { environments, seed, unplaced, moment }: RepositoryPlan,
): void {
  const { domain, name, source, values } = component;
  for (const { name: environment } of environments)
    files.set(
      `environments/${environment}/components/${domain}/${name}.yaml`,
      writeYaml({
        name,
        domain,
        environment,
        source: source.kind === 'helm' ? `charts/${source.chart}` : `kustomize/${domain}/${name}`,
      }),
    );
  if (source.kind === 'kustomize') {
    for (const [path, text] of kustomizeBase(component, seed))
      files.set(`sources/kustomize/${domain}/${name}/base/${path}`, text);
    for (const environment of environments) {
      const first = moment === 'first' ? firstKustomization(name, environment.namespace) : undefined;
      const overlay =
        first === undefined
          ? kustomizeOverlay(component, environment)
          : [...first].map(([path, object]) => [path, writeYaml(object)] as const);
      for (const [path, text] of overlay)
        files.set(`sources/kustomize/${domain}/${name}/overlays/${environment.name}/${path}`, text);
    }
    return;
  }
  const isUnplaced = unplaced.has(name);
  files.set(
    `sources/values/_shared/${domain}/${name}.yaml`,
    writeYaml({
      ...values,
      ...(isUnplaced ? { nodeSelector: {}, tolerations: [] } : {}),
      ...(moment === 'first' ? firstValues(name, isUnplaced) : {}),
    }),
  );
  for (const environment of environments) {
    const text = environmentValues(component, environment, seed);
    if (text !== undefined) files.set(`sources/values/env/${environment.name}/${domain}/${name}.yaml`, text);
  }
}

/** Production has more of some things; now and then somebody left a file in which nothing is said. */
function environmentValues({ name, source }: Component, environment: Environment, seed: number): string | undefined {
  const lot = draw(seed, environment.name, name, 'override');
  if (lot > 0.93) return `# ${name} in ${environment.name}: nothing of its own\n`;
  if (environment.name !== 'production' || source.kind !== 'helm' || lot > 0.4) return undefined;
  return source.chart === 'apps/web-service' ? writeYaml({ replicas: 2, autoscaling: { minReplicas: 2 } }) : undefined;
}

const CHARTS = join(import.meta.dirname, 'charts');

/** The charts that lie beside this file, each with the names that they share. */
function chartFiles(): [string, string][] {
  const paths = readdirSync(CHARTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .sort();
  const names = readFileSync(join(CHARTS, 'names.tpl'), 'utf8');
  return paths.flatMap((path): [string, string][] => {
    const own: [string, string] = [`sources/charts/${path}`, readFileSync(join(CHARTS, path), 'utf8')];
    return path.endsWith('/Chart.yaml')
      ? [own, [`sources/charts/${path.replace('Chart.yaml', 'templates/_names.tpl')}`, names]]
      : [own];
  });
}

const EMPTY_VALUES =
  'An empty list in a later file hides what an earlier one says; ' +
  'an empty map hides nothing, because Helm merges maps.';

const README = `# The platform's fleet
Made by the world's generator; the same numbers give the same bytes.

- sources/charts: charts of the platform
- sources/values/_shared/DOMAIN/NAME.yaml: what a component is in all environments
- sources/values/env/ENV/globals.yaml: what an environment gives to all components, above all where they run
- sources/values/env/ENV/DOMAIN/NAME.yaml: what is different in one environment
- sources/kustomize: components that are kept as overlays
- sources/plain: what the cluster has once
- environments/ENV/components: which components run where

Values are read in this order: globals, shared, environment. ${EMPTY_VALUES}
`;

const storageClass = (name: string): string =>
  writeYaml({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'argosy.dev/simulated',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
    reclaimPolicy: 'Delete',
  });
const servingRuntime = (name: string, format: string, image: string): string =>
  writeYaml({
    apiVersion: 'serving.kserve.io/v1alpha1',
    kind: 'ClusterServingRuntime',
    metadata: { name },
    spec: {
      supportedModelFormats: [{ name: format, version: '1', autoSelect: true }],
      protocolVersions: ['v2'],
      containers: [{ name: 'kserve-container', image }],
    },
  });
/** Operators run on the nodes that are the cluster's own. */
const SYSTEM = {
  nodeSelector: { [POOL_LABEL]: 'system' },
  tolerations: [{ key: 'CriticalAddonsOnly', value: 'true', effect: 'NoSchedule' }],
};

const PLAIN_FILES: readonly (readonly [string, string])[] = [
  ...['default', 'managed-csi', 'managed-csi-premium'].map(
    (name) => [`sources/plain/storage-classes/${name}.yaml`, storageClass(name)] as const,
  ),
  [
    'sources/plain/serving-runtimes/sklearn.yaml',
    servingRuntime('kserve-sklearnserver', 'sklearn', 'kserve/sklearnserver:v0.15.2'),
  ],
  [
    'sources/plain/serving-runtimes/xgboost.yaml',
    servingRuntime('kserve-xgbserver', 'xgboost', 'kserve/xgbserver:v0.15.2'),
  ],
  [
    'sources/plain/serving-runtimes/onnx.yaml',
    servingRuntime('kserve-tritonserver', 'onnx', 'nvcr.io/nvidia/tritonserver:23.05-py3'),
  ],
];

const CLUSTER_VALUES: readonly (readonly [string, JsonObject])[] = [
  [
    'cert-manager',
    {
      ...SYSTEM,
      fullnameOverride: 'cert-manager',
      image: { repository: 'quay.io/jetstack/cert-manager-controller', tag: 'v1.18.2' },
      clusterIssuer: 'cluster-ca',
    },
  ],
  [
    'external-secrets',
    {
      ...SYSTEM,
      fullnameOverride: 'external-secrets',
      image: { repository: 'ghcr.io/external-secrets/external-secrets', tag: 'v0.19.2' },
    },
  ],
  [
    'argocd-certificates',
    {
      domain: 'ameide.example.com',
      issuer: { name: 'argocd-ca' },
      certificates: [{ name: 'argocd-server', host: 'argocd.ameide.example.com' }],
    },
  ],
];

function clusterFiles(moment: Moment | undefined): (readonly [string, string])[] {
  return [
    ...PLAIN_FILES,
    ...CLUSTER_VALUES.map(
      ([name, values]) =>
        [
          `sources/values/cluster/${name}.yaml`,
          writeYaml({ ...values, ...(moment === 'first' ? firstClusterValues(name) : {}) }),
        ] as const,
    ),
  ];
}
