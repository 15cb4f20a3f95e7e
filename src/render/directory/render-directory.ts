import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, parseJson, type Json } from '../../model/json/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import { readYaml } from '../../model/yaml/index.js';
import type { DirectorySettings } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type Manifest, needKey, NeedsContent, type Need, type TreeReader } from '../common/index.js';
import { goNumbers } from './go-numbers.js';

export interface DirectoryOptions extends Partial<DirectorySettings> {
  /** What jsonnet gave for the files of earlier renders, by `needKey`. */
  readonly fetched?: ReadonlyMap<string, Uint8Array>;
  /** Bytes of all manifests together. */
  readonly limit?: number;
}

const NO_JSONNET: DirectorySettings['jsonnet'] = { extVars: [], tlas: [], libs: [] };
const MANIFEST_FILE = /\.(yaml|yml|json|jsonnet)$/;
/** Argo CD's own default for one application. */
const LIMIT = 10 * 1024 * 1024;
/** A file with this text is not meant for us. */
const SKIP_MARK = '+argocd:skip-file-rendering';

/** The objects of the YAML and JSON files of a folder, in the order of their paths. */
export function renderDirectory(reader: TreeReader, folder: string, options: DirectoryOptions = {}): Manifest[] {
  const paths = manifestPaths(reader, folder, options);
  reader.load(paths);
  checkSize(reader, paths, options.limit ?? LIMIT);
  return paths.flatMap((path) => readManifests(reader, path, options)).flatMap(flatten);
}

function manifestPaths(
  reader: TreeReader,
  folder: string,
  { recurse = false, include = '', exclude = '' }: DirectoryOptions,
): string[] {
  const found: string[] = [];
  const walk = (at: string, below: string): void => {
    for (const { name, kind, isLink } of reader.list(at)) {
      const [path, inside] = [at === '' ? name : `${at}/${name}`, below === '' ? name : `${below}/${name}`];
      if (kind === 'folder') {
        // As Argo CD: links to files count, links to folders do not.
        if (recurse && !isLink) walk(path, inside);
      } else if (
        kind === 'file' &&
        MANIFEST_FILE.test(name) &&
        !(exclude !== '' && matchesGlob(exclude, inside)) &&
        (include === '' || matchesGlob(include, inside))
      )
        found.push(path);
    }
  };
  walk(folder, '');
  return found;
}

function checkSize(reader: TreeReader, paths: readonly string[], limit: number): void {
  let size = 0;
  for (const path of paths) {
    if (path.endsWith('.jsonnet')) continue;
    size += reader.bytes(path).length;
    if (size > limit)
      throw new Fault('SOURCE_TOO_LARGE', `the manifests of the folder are larger than ${limit} bytes together`, {
        where: path,
      });
  }
}

function readManifests(reader: TreeReader, path: string, options: DirectoryOptions): Manifest[] {
  if (path.endsWith('.jsonnet')) return readJson(evaluated(reader, path, options), path);
  const text = reader.text(path).replace(/^\uFEFF/, '');
  if (text.includes(SKIP_MARK)) return [];
  return path.endsWith('.json') ? readJson(text, path) : readYamlFile(text, path);
}

/** Jsonnet is a program of the administrator's, so its result is fetched like everything else from outside. */
function evaluated(reader: TreeReader, path: string, { fetched, jsonnet = NO_JSONNET }: DirectoryOptions): string {
  const { repository, commit } = reader.tree;
  // What it imports is not known here.
  reader.sawEverything();
  const need: Need = { kind: 'jsonnet', repository, commit, path, settings: jsonnet };
  const result = fetched?.get(needKey(need));
  if (result === undefined) throw new NeedsContent([need]);
  return Buffer.from(result).toString('utf8');
}

function readJson(text: string, path: string): Manifest[] {
  try {
    const value = goNumbers(parseJson(text), text);
    return (isArray(value) && path.endsWith('.jsonnet') ? value : [value]).map((object) => manifest(object, path, 1));
  } catch (error) {
    if (error instanceof Fault && error.where === '')
      throw new Fault(error.code, error.message, { where: path, cause: error });
    throw error;
  }
}

/** A file that cannot be read is only of concern if it looks like a manifest: repositories hold other YAML too. */
function readYamlFile(text: string, path: string): Manifest[] {
  try {
    return readYaml(text, { dialect: 'kubernetes', file: path })
      .filter(({ value }) => value !== null)
      .map(({ value, line }) => manifest(goNumbers(value, text), path, line));
  } catch (error) {
    const looksLikeManifest = ['apiVersion:', 'kind:', 'metadata:'].every((word) => text.includes(word));
    if (!(error instanceof Fault) || looksLikeManifest) throw error;
    return [];
  }
}

/** The objects that a program printed. */
export function parsePrintedManifests(text: string, name: string): Manifest[] {
  return readYaml(text, { dialect: 'kubernetes', file: name })
    .filter(({ value }) => value !== null)
    .map(({ value, line }) => manifest(goNumbers(value, text), name, line))
    .flatMap(flatten);
}

function manifest(value: Json, file: string, line: number): Manifest {
  if (!isObject(value) || typeof value.kind !== 'string' || value.kind === '') {
    throw new Fault(
      'MANIFEST_INVALID',
      isObject(value) ? 'the document has no kind, so it is no Kubernetes object' : 'the document is no object',
      { where: `${file}:${line}` },
    );
  }
  if (typeof value.apiVersion !== 'string' || value.apiVersion === '')
    throw new Fault('MANIFEST_INVALID', `the ${value.kind} has no apiVersion`, { where: `${file}:${line}` });
  return { object: value as KubeObject, origin: { file, line } };
}

/** Takes Lists apart, as Argo CD does; the items have the place of their list. */
function flatten({ object, origin }: Manifest): Manifest[] {
  const { items } = object as { items?: Json };
  if (!object.kind.endsWith('List') || !isArray(items)) return [{ object, origin }];
  return items.flatMap((item) => flatten(manifest(item, origin.file, origin.line)));
}
