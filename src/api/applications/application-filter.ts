import { isAutomated, projectOf, serverOf, sourcesOf } from '../../model/argo/index.js';
import { textAt } from '../../model/json/index.js';
import { labelSelectorText, matchesLabels, parseLabelSelector, type KubeObject } from '../../model/kubernetes/index.js';
import { normalizeUrl } from '../../model/formats/index.js';

/** What a list, the fleet or a stream is limited to. Empty means no limit. */
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

type Test = (application: KubeObject) => boolean;

/** Reads the filter once. A selector that cannot be read is a fault. */
export function filterBy(filter: ApplicationFilter): Test {
  const tests = [
    oneOf(given(filter.name), ({ metadata }) => metadata.name ?? ''),
    oneOf(given(filter.appNamespace), ({ metadata }) => metadata.namespace ?? ''),
    oneOf(filter.projects, projectOf),
    selectedBy(filter.selector ?? ''),
    fromRepository(filter.repo ?? ''),
    oneOf(filter.sync, syncOf),
    oneOf(filter.health, healthOf),
    oneOf(filter.cluster, serverOf),
    oneOf(filter.namespace, (application) => textAt(application, 'spec', 'destination', 'namespace')),
    automatedAs(filter.autoSync),
    withWords(filter.search ?? ''),
  ].filter((test) => test !== undefined);
  return (application) => tests.every((test) => test(application));
}

function given(value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [value];
}

/** No test where nothing is wanted. */
function oneOf(wanted: readonly string[] = [], of: (application: KubeObject) => string): Test | undefined {
  return wanted.length === 0 ? undefined : (application) => wanted.includes(of(application));
}

function selectedBy(text: string): Test | undefined {
  const selector = parseLabelSelector(text);
  if (labelSelectorText(selector) === '') return undefined;
  return ({ metadata }) => matchesLabels(selector, metadata.labels ?? {});
}

function fromRepository(url: string): Test | undefined {
  if (url === '') return undefined;
  const wanted = normalizeUrl(url);
  return (application) => sourcesOf(application).some((source) => normalizeUrl(textAt(source, 'repoURL')) === wanted);
}

function automatedAs(wanted: boolean | undefined): Test | undefined {
  return wanted === undefined ? undefined : (application) => isAutomated(application) === wanted;
}

function withWords(search: string): Test | undefined {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.length === 0 ? undefined : (application) => hasWords(application, words);
}

export function syncOf(application: KubeObject): string {
  return textAt(application, 'status', 'sync', 'status') || 'Unknown';
}

export function healthOf(application: KubeObject): string {
  return textAt(application, 'status', 'health', 'status') || 'Unknown';
}

const searched = new WeakMap<KubeObject, string>();

/** Every word is part of the name, namespace, project, destination, sources or labels. */
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
