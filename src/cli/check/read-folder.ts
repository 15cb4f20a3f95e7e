import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { type JsonObject, isObject, textAt } from '../../model/json/index.js';
import { projectOf, sourcesOf } from '../../model/argo/index.js';
import { keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { normalizeUrl, type Tree } from '../../model/formats/index.js';
import { keyIn, type CheckedObject, type UnknownObjects } from '../../plan/index.js';
import { renderSource, type Manifest } from '../../render/index.js';
import type { CliHost } from '../host/index.js';
import { functionHost, folderTree, realPath, repositoryRoot, missingContent } from '../local/index.js';
import { readFiles, formatPath, type FileObject } from './read-files.js';
import type { Facts } from './facts.js';

const KUBE_VERSION = '1.34.4';

/** The Applications of files, with what their folders in the same checkout give. Nothing is fetched. */
export function readFolderFacts(
  target: string,
  host: CliHost,
): { readonly facts: Facts[]; readonly notes: readonly string[] } {
  const { objects, notes } = readFiles(target);
  const applications = objects
    .filter(({ object }) => object.kind === 'Application')
    .sort((a, b) => compareText(a.object.metadata.name ?? '', b.object.metadata.name ?? ''));
  if (applications.length === 0)
    throw new Fault('USAGE', `no Application in ${target}${notes.length === 0 ? '' : `; ${notes.join('; ')}`}`, {
      where: target,
    });
  const projects = objects.filter(({ object }) => object.kind === 'AppProject');
  const root =
    repositoryRoot(statSync(target).isDirectory() ? target : dirname(target)) ??
    realPath(statSync(target).isDirectory() ? target : dirname(target));
  const checkout: Checkout = { root, tree: folderTree(root), remotes: remotesOf(root), now: host.now };
  const drafts = applications.map((file) => ({ file, ...objectsOf(file.object, checkout) }));
  const owners = ownersOf(
    drafts.map(({ file, objects: made }) => ({
      name: file.object.metadata.name ?? '',
      destination: destinationOf(file.object),
      objects: made,
    })),
  );
  return {
    notes,
    facts: drafts.map(({ file, objects: made, unseen }) =>
      toFacts(file, {
        made,
        unseen,
        owners,
        project: projects.find(({ object }) => object.metadata.name === projectOf(file.object)),
      }),
    ),
  };
}

interface DraftFacts {
  readonly made: readonly CheckedObject[];
  readonly unseen: UnknownObjects | undefined;
  readonly owners: ReadonlyMap<string, readonly string[]>;
  readonly project: FileObject | undefined;
}

function toFacts({ object, places }: FileObject, { made, unseen, owners, project }: DraftFacts): Facts {
  const name = object.metadata.name ?? '';
  const shared = made.flatMap(({ key }) =>
    (owners.get(ownedText(destinationOf(object), key)) ?? [])
      .filter((other) => other !== name)
      .map((by) => ({ key, by: `Application ${by}` })),
  );
  return {
    application: object,
    isLive: false,
    places,
    objects: made,
    shared,
    ...(unseen === undefined ? {} : { unseen }),
    ...(project === undefined ? {} : { project: project.object, projectPlace: project.places.get('/spec') ?? '' }),
  };
}

interface Checkout {
  readonly root: string;
  readonly tree: Tree;
  /** Addresses of the repository, as git knows them; empty where it knows none. */
  readonly remotes: readonly string[];
  readonly now: () => number;
}

/** The addresses in the configuration of git, in the form in which addresses are compared. */
function remotesOf(root: string): string[] {
  const file = join(root, '.git/config');
  if (!existsSync(file) || !statSync(file).isFile()) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('url'))
    .map((line) => comparable(line.slice(line.indexOf('=') + 1).trim()));
}

/** A repository of this machine may be written as a path. */
function comparable(url: string): string {
  return normalizeUrl(url.startsWith('/') ? `file://${url}` : url);
}

function objectsOf(
  application: KubeObject,
  checkout: Checkout,
): { readonly objects: readonly CheckedObject[]; readonly unseen: UnknownObjects | undefined } {
  const sources = sourcesOf(application);
  const made: CheckedObject[] = [];
  let unseen: UnknownObjects | undefined;
  for (const source of sources) {
    const out = renderOne(application, source, checkout);
    if ('why' in out) unseen ??= out;
    else made.push(...out);
  }
  return {
    objects: made,
    unseen: unseen ?? (sources.length === 0 ? { why: 'it names no source', isFailure: true, where: '' } : undefined),
  };
}

function renderOne(
  application: KubeObject,
  source: JsonObject,
  checkout: Checkout,
): readonly CheckedObject[] | UnknownObjects {
  const away = (why: string): UnknownObjects => ({ why, isFailure: false, where: '' });
  const [url, path, chart] = [textAt(source, 'repoURL'), textAt(source, 'path'), textAt(source, 'chart')];
  if (chart !== '' || url.startsWith('oci://')) return away(`its chart comes from ${url}, and nothing is fetched`);
  if (path === '' && textAt(source, 'ref') !== '') return [];
  const isHere = checkout.remotes.includes(comparable(url)) || comparable(url) === comparable(checkout.root);
  if (!isHere && checkout.remotes.length > 0)
    return away(`it comes from ${url}, which is not the repository of these files`);
  if (!isHere && !existsSync(join(checkout.root, path))) return away(`${path} of ${url} is not among these files`);
  try {
    return rendered(application, source, checkout);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { why: error.message, isFailure: true, where: placeIn(checkout.root, error.where) };
  }
}

/** A fault may name a file of the tree; what else it names is no place for an editor. */
function placeIn(root: string, where: string): string {
  const [file = '', ...rest] = where.split(':');
  return file !== '' && existsSync(join(root, file)) ? [formatPath(join(root, file)), ...rest].join(':') : '';
}

function rendered(application: KubeObject, source: JsonObject, { root, tree, now }: Checkout): CheckedObject[] {
  const {
    metadata: { name = '', namespace = '' },
  } = application;
  const refs = new Map(
    sourcesOf(application)
      .map((each) => textAt(each, 'ref'))
      .filter((ref) => ref !== '')
      .map((ref) => [ref, tree] as const),
  );
  const { outcome } = renderSource({
    tree,
    source,
    refs,
    application: { name, namespace, project: projectOf(application) },
    destinationNamespace: textAt(application, 'spec', 'destination', 'namespace'),
    kubeVersion: KUBE_VERSION,
    apiVersions: [],
    fetched: new Map(),
    host: functionHost(now),
  });
  if (outcome.kind === 'needs') throw missingContent(outcome.needs);
  return outcome.manifests.map((manifest) =>
    toObject(manifest, root, textAt(application, 'spec', 'destination', 'namespace')),
  );
}

function toObject({ object, origin }: Manifest, root: string, destinationNamespace: string): CheckedObject {
  return {
    key: keyIn(object, destinationNamespace),
    target: object,
    status: '',
    differences: [],
    origin: `${origin.repository === undefined ? formatPath(join(root, origin.file)) : origin.file}:${origin.line}`,
  };
}

function destinationOf(application: KubeObject): string {
  const destination = isObject(application.spec) ? application.spec : {};
  return textAt(destination, 'destination', 'server') || textAt(destination, 'destination', 'name');
}

function ownedText(destination: string, key: Key): string {
  return `${destination} ${keyText(key)}`;
}

/** Which applications make an object, at one destination. */
function ownersOf(
  applications: readonly {
    readonly name: string;
    readonly destination: string;
    readonly objects: readonly CheckedObject[];
  }[],
): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const { name, destination, objects } of applications) {
    for (const { key } of objects) {
      const text = ownedText(destination, key);
      const known = owners.get(text) ?? [];
      if (!known.includes(name)) owners.set(text, [...known, name]);
    }
  }
  return owners;
}
