import { isAutomated, projectOf, serverOf, sourcesOf } from '../../model/argo/index.js';
import { textAt } from '../../model/json/index.js';
import { labelSelectorText, matchesLabels, parseLabelSelector, type KubeObject } from '../../model/kubernetes/index.js';
import { normalizeUrl } from '../../model/formats/index.js';

/** What a list, the fleet or a stream is limited to. Empty means everything. */
export interface ApplicationFilter {
  readonly name?: string | undefined;
  readonly appNamespace?: string | undefined;
  readonly projects: readonly string[];
  readonly selector?: string | undefined;
  readonly repo?: string | undefined;
  readonly search?: string | undefined;
  readonly sync?: readonly string[] | undefined;
  readonly health?: readonly string[] | undefined;
  readonly cluster?: readonly string[] | undefined;
  readonly namespace?: readonly string[] | undefined;
  readonly autoSync?: boolean | undefined;
}

/** Reads the filter once; the answer judges applications. A selector that cannot be read is a fault. */
export function filterBy(filter: ApplicationFilter): (application: KubeObject) => boolean {
  const {
    name = '',
    appNamespace = '',
    projects,
    repo = '',
    search = '',
    sync = [],
    health = [],
    cluster = [],
    namespace = [],
    autoSync,
  } = filter;
  const selector = parseLabelSelector(filter.selector ?? '');
  const hasSelector = labelSelectorText(selector) !== '';
  const wantedRepo = repo === '' ? '' : normalizeUrl(repo);
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return (application) => {
    const { metadata } = application;
    return (
      (name === '' || metadata.name === name) &&
      (appNamespace === '' || metadata.namespace === appNamespace) &&
      (projects.length === 0 || projects.includes(projectOf(application))) &&
      (!hasSelector || matchesLabels(selector, metadata.labels ?? {})) &&
      (wantedRepo === '' ||
        sourcesOf(application).some((source) => normalizeUrl(textAt(source, 'repoURL')) === wantedRepo)) &&
      (sync.length === 0 || sync.includes(syncOf(application))) &&
      (health.length === 0 || health.includes(healthOf(application))) &&
      (cluster.length === 0 || cluster.includes(serverOf(application))) &&
      (namespace.length === 0 || namespace.includes(textAt(application, 'spec', 'destination', 'namespace'))) &&
      (autoSync === undefined || isAutomated(application) === autoSync) &&
      (words.length === 0 || hasWords(application, words))
    );
  };
}

export function syncOf(application: KubeObject): string {
  return textAt(application, 'status', 'sync', 'status') || 'Unknown';
}

export function healthOf(application: KubeObject): string {
  return textAt(application, 'status', 'health', 'status') || 'Unknown';
}

const searched = new WeakMap<KubeObject, string>();

/** Every word stands somewhere in what people know an application by. */
function hasWords(application: KubeObject, words: readonly string[]): boolean {
  let text = searched.get(application);
  if (text === undefined) {
    const { name = '', namespace = '', labels = {} } = application.metadata;
    const sources = sourcesOf(application).flatMap((source) => [
      textAt(source, 'repoURL'),
      textAt(source, 'path'),
      textAt(source, 'chart'),
      textAt(source, 'targetRevision'),
    ]);
    text = [
      `${namespace}/${name}`,
      projectOf(application),
      serverOf(application),
      textAt(application, 'spec', 'destination', 'namespace'),
      ...sources,
      ...Object.entries(labels).map(([key, value]) => `${key}=${value}`),
    ]
      .join(' ')
      .toLowerCase();
    searched.set(application, text);
  }
  const known = text;
  return words.every((word) => known.includes(word));
}
