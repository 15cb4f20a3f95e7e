import { writeYaml } from '../../src/model/yaml/index.js';
import type { Json } from '../../src/model/json/index.js';
import type { Component } from './component.js';
import { draw } from './draw.js';
import { POOL_LABEL, TAINT, type Environment } from './environments.js';

const KUSTOMIZATION = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };

/** A kustomize component that puts every pod template where its environment runs. */
export function kustomizePlacement({ name, pool }: Environment): string {
  const patch = writeYaml([
    { op: 'add', path: '/spec/template/spec/nodeSelector', value: { [POOL_LABEL]: pool } },
    { op: 'add', path: '/spec/template/spec/tolerations', value: [{ key: TAINT, value: name, effect: 'NoSchedule' }] },
  ]);
  return writeYaml({
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    patches: [{ target: { group: 'apps', kind: 'Deployment' }, patch }],
  });
}

export function kustomizeBase({ name, source }: Component, seed: number): [string, string][] {
  if (source.kind === 'kustomize' && source.content === 'config')
    return [
      [
        'kustomization.yaml',
        writeYaml({
          ...KUSTOMIZATION,
          configMapGenerator: [{ name, literals: [`limit=${Math.floor(draw(seed, name) * 1000)}`] }],
          generatorOptions: { disableNameSuffixHash: true },
        }),
      ],
    ];
  const labels = { 'app.kubernetes.io/name': name };
  const container = {
    name: 'app',
    image: `ghcr.io/ameideio/${name}:latest`,
    ports: [{ name: 'http', containerPort: 8080 }],
    envFrom: [{ configMapRef: { name } }],
    resources: { requests: { cpu: '15m', memory: '32Mi' } },
  };
  const deployment: Json = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
  const service: Json = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels },
    spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  };
  return [
    [
      'kustomization.yaml',
      writeYaml({
        ...KUSTOMIZATION,
        resources: ['deployment.yaml', 'service.yaml'],
        configMapGenerator: [{ name, literals: [`WORKERS=${1 + Math.floor(draw(seed, name, 'workers') * 4)}`] }],
      }),
    ],
    ['deployment.yaml', writeYaml(deployment)],
    ['service.yaml', writeYaml(service)],
  ];
}

export function kustomizeOverlay(
  { name, source }: Component,
  { name: environment, namespace, imageTag }: Environment,
): [string, string][] {
  const isConfig = source.kind === 'kustomize' && source.content === 'config';
  const overlay: Json = {
    ...KUSTOMIZATION,
    namespace,
    resources: ['../../base'],
    components: [`../../../../placement/${environment}`],
    labels: [
      {
        pairs: { 'ameide.io/environment': environment, 'app.kubernetes.io/part-of': 'ameide' },
        includeTemplates: true,
      },
    ],
    configMapGenerator: [{ name, behavior: 'merge', literals: [`ENVIRONMENT=${environment}`] }],
    ...(isConfig
      ? { generatorOptions: { disableNameSuffixHash: true } }
      : { images: [{ name: `ghcr.io/ameideio/${name}`, newTag: imageTag }] }),
  };
  return [['kustomization.yaml', writeYaml(overlay)]];
}
