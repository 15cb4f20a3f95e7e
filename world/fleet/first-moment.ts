import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault, writeYaml, type KubeObject } from '../../src/model/index.js';
import type { Component } from './component.js';

/** A state in which a platform once was. `first`: before anybody repaired what the inventory of its problems lists. */
export type Moment = 'first';

export function readMoment(text: string): Moment {
  if (text !== 'first') throw new Fault('VALUE_INVALID', `${text} is not known; known is first`, { where: '--moment' });
  return text;
}

/** Components with claims whose shared values hid the tolerations of their environment at the first moment. */
export const FIRST_UNPLACED = ['vault-core', 'postgres-clusters', 'kafka-cluster', 'clickhouse', 'loki'];

/** What a store of the whole cluster is called where ExternalSecrets name it. */
export const FIRST_STORE_KIND = 'ClusterSecretStore';

const FOLDER = join(import.meta.dirname, 'moments/first');

/** Files of the repository that were different at the first moment. */
export function firstFiles(): [string, string][] {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml')).sort();
  return paths.map((path) => [path, readFileSync(join(FOLDER, path), 'utf8')]);
}

const OWN_REGISTRY = 'ghcr.io/ameideio/';

/**
 * The team's images are private, so whoever pulls them needs the pull secret. Only those of components that name it: an image that is
 * pulled to bring the pull secret itself must be open, or nothing could ever begin.
 */
export function privateImages(components: readonly Component[]): KubeObject {
  const repositories = components.filter(({ source }) => source.kind === 'helm' && source.chart === 'apps/web-service').map(repositoryOf).filter((repository) => repository.startsWith(OWN_REGISTRY));
  const rules = repositories.map((repository) => ({ registry: 'ghcr.io', repository: repository.slice('ghcr.io/'.length), credentials: { robot: 'not-a-real-one' } }));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ghcr-private-images', namespace: 'argocd', labels: { 'argosy.dev/image-rules': 'true' } }, data: { 'rules.yaml': writeYaml(rules) } };
}

/** As the charts make it of values. */
function repositoryOf({ domain, name, values }: Component): string {
  const { image, fullnameOverride } = values as { readonly image?: { readonly repository?: string }; readonly fullnameOverride?: string };
  return image?.repository ?? `${OWN_REGISTRY}${fullnameOverride ?? `${domain}-${name}`}`;
}
