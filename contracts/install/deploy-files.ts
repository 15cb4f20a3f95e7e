import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartFiles, installationObjects, readInstallValues } from '../../src/install/index.js';
import { writeYaml } from '../../src/model/yaml/index.js';

const CHART = 'deploy/charts/argosy';
const BASE = 'deploy/kustomize';

/** Every file below `deploy/` that is made from `src/install`, by its path. */
export function deployFiles(root: string): ReadonlyMap<string, string> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const definitions = readdirSync(join(root, 'crds'))
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => [name, readFileSync(join(root, 'crds', name), 'utf8')] as const);
  const objects = installationObjects({ values: readInstallValues({}), namespace: 'argocd', version });
  return new Map([
    ...[...chartFiles(version)].map(([name, text]) => [`${CHART}/${name}`, text] as const),
    ...definitions.map(([name, text]) => [`${CHART}/crds/${name}`, text] as const),
    [`${BASE}/kustomization.yaml`, kustomization(definitions.map(([name]) => `crds/${name}`))],
    ...definitions.map(([name, text]) => [`${BASE}/crds/${name}`, text] as const),
    [`${BASE}/argosy.yaml`, objects.map((object) => writeYaml(object)).join('---\n')],
  ]);
}

function kustomization(definitions: readonly string[]): string {
  return `${[
    '# A base: name your image in an overlay with images:, and the namespace argocd must exist.',
    'apiVersion: kustomize.config.k8s.io/v1beta1',
    'kind: Kustomization',
    'resources:',
    ...definitions.map((name) => `  - ${name}`),
    '  - argosy.yaml',
  ].join('\n')}\n`;
}
