import { isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { formatTable } from '../output/index.js';
import { specList, specOf } from '../session/index.js';

const LABEL = 29;
const text = (value: Json | undefined, name: string): string => {
  const found = isObject(value) ? own(value, name) : undefined;
  return typeof found === 'string' ? found : '';
};
const destination = (value: Json): string => `${text(value, 'server')},${text(value, 'namespace')}`;
const groupKind = (value: Json): string => `${text(value, 'group')}/${text(value, 'kind')}`;
const account = (value: Json): string => `${destination(value)},${text(value, 'defaultServiceAccount')}`;

/** Nothing, the one there is, or how many. */
function counted(items: readonly Json[], one: ((value: Json) => string) | undefined, many: string): string {
  const [first] = items;
  if (first === undefined) return '<none>';
  return items.length === 1 && one !== undefined ? one(first) : `${items.length} ${many}`;
}

export function orphanedText(project: KubeObject): string {
  const orphaned = own(specOf(project), 'orphanedResources');
  if (!isObject(orphaned)) return 'disabled';
  const ignored = Array.isArray(orphaned.ignore) ? orphaned.ignore.length : 0;
  return `enabled (warn=${String(orphaned.warn !== false)}${ignored > 0 ? `, ignored ${ignored}` : ''})`;
}

/** The columns of Argo CD. */
export function formatProjects(projects: readonly KubeObject[]): string {
  const header = [
    'NAME',
    'DESCRIPTION',
    'DESTINATIONS',
    'SOURCES',
    'CLUSTER-RESOURCE-WHITELIST',
    'NAMESPACE-RESOURCE-BLACKLIST',
    'SIGNATURE-KEYS',
    'ORPHANED-RESOURCES',
    'DESTINATION-SERVICE-ACCOUNTS',
  ];
  return formatTable(
    header,
    projects.map((project) => [
      project.metadata.name ?? '',
      text(project.spec, 'description'),
      counted(specList(project, 'destinations'), destination, 'destinations'),
      counted(specList(project, 'sourceRepos'), String, 'repos'),
      counted(specList(project, 'clusterResourceWhitelist'), groupKind, 'resources'),
      counted(specList(project, 'namespaceResourceBlacklist'), undefined, 'resources'),
      counted(specList(project, 'signatureKeys'), undefined, 'key(s)'),
      orphanedText(project),
      counted(specList(project, 'destinationServiceAccounts'), account, 'destinationServiceAccounts'),
    ]),
  );
}

/** What is kept for this project alone, by address. */
export interface Scoped {
  readonly repositories: readonly string[];
  readonly clusters: readonly string[];
}

export function formatProject(project: KubeObject, { repositories, clusters }: Scoped): string {
  const block = (label: string, items: readonly string[]): string =>
    (items.length === 0 ? ['<none>'] : items)
      .map((item, at) => `${(at === 0 ? label : '').padEnd(LABEL)}${item}\n`)
      .join('');
  const list = (name: string, one: (value: Json) => string): string[] => specList(project, name).map(one);
  const keys = list('signatureKeys', (value) => text(value, 'keyID'));
  return [
    `${'Name:'.padEnd(LABEL)}${project.metadata.name ?? ''}\n`,
    `${'Description:'.padEnd(LABEL)}${text(project.spec, 'description')}`.trimEnd().concat('\n'),
    block('Destinations:', list('destinations', destination)),
    block('Repositories:', list('sourceRepos', String)),
    block('Source Namespaces:', list('sourceNamespaces', String)),
    block('Scoped Repositories:', repositories),
    block('Allowed Cluster Resources:', list('clusterResourceWhitelist', groupKind)),
    block('Scoped Clusters:', clusters),
    block('Denied Namespaced Resources:', list('namespaceResourceBlacklist', groupKind)),
    block('Signature keys:', keys.length === 0 ? [] : [keys.join(', ')]),
    block('Orphaned Resources:', [orphanedText(project)]),
  ].join('');
}

export function rolesOf(project: KubeObject): JsonObject[] {
  return specList(project, 'roles').filter(isObject);
}
