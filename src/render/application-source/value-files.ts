import { Fault } from '../../model/faults/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import type { BuildEnvironment } from './build-environment.js';
import { NeedsContent, type TreeReader } from '../common/index.js';

/** A values file that a source names, found. */
export interface ValueFile {
  /** The path in its repository; with `$ref/` before it where that is not the source's own. */
  readonly name: string;
  readonly text: string;
  readonly id: string;
}

export interface ValueFilesRequest {
  readonly reader: TreeReader;
  /** The folder of the source, without a slash at the end. */
  readonly folder: string;
  readonly refs: ReadonlyMap<string, TreeReader>;
  readonly environment: BuildEnvironment;
  readonly ignoreMissing: boolean;
  readonly fetched: ReadonlyMap<string, Uint8Array>;
}

interface Location {
  readonly reader: TreeReader;
  readonly path: string;
  readonly name: string;
}

/**
 * The values files in the order in which they are laid over each other. Paths are relative to the source's folder,
 * those that start with `/` to the repository, `$name/` leads into another source. A pattern gives its files by name,
 * except those that are named themselves: these keep their own place.
 */
export function readValueFiles(patterns: readonly string[], request: ValueFilesRequest): ValueFile[] {
  const located = patterns.map((pattern) => ({ pattern, location: locate(pattern, request) }));
  const explicit = new Set(
    located.flatMap(({ location }) => (location !== undefined && !isPattern(location.path) ? [key(location)] : [])),
  );
  const files = new Map<string, Location | { readonly url: string }>();
  for (const { pattern, location } of located) {
    if (location === undefined) {
      files.set(pattern, { url: request.environment.expand(pattern) });
      continue;
    }
    for (const file of isPattern(location.path) ? expandPattern(pattern, location, request, explicit) : [location]) {
      if (!files.has(key(file))) files.set(key(file), file);
    }
  }
  const present = [...files.values()].filter((file) => 'url' in file || isThere(file, request.ignoreMissing));
  return present.map((file) =>
    'url' in file
      ? remoteFile(file.url, request.fetched)
      : { name: file.name, text: file.reader.text(file.path), id: file.reader.id(file.path) },
  );
}

const key = ({ reader, path }: Location): string => `${reader.tree.repository}\0${reader.tree.commit}\0${path}`;

/** Where a file is; undefined for an address on the network. */
function locate(written: string, { reader, folder, refs, environment }: ValueFilesRequest): Location | undefined {
  const reference = /^\$([^/]+)\/(.*)$/s.exec(written);
  const other = reference?.[1] === undefined ? undefined : refs.get(reference[1]);
  if (other !== undefined && reference !== null) {
    const path = normalise(environment.expand(reference[2] ?? ''), written);
    return { reader: other, path, name: `$${reference[1]}/${path}` };
  }
  const expanded = environment.expand(written);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(expanded)) {
    if (!/^https?:\/\//i.test(expanded))
      throw new Fault('VALUES_INVALID', 'values files are read from the repository or over http(s) only', {
        where: written,
      });
    return undefined;
  }
  const path = normalise(expanded.startsWith('/') ? expanded.slice(1) : `${folder}/${expanded}`, written);
  return { reader, path, name: path };
}

/** A path without `.` and `..`; one that leaves the repository is a fault, which tells only what the user wrote. */
function normalise(path: string, written: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined)
      throw new Fault('RENDER_PATH_ESCAPE', 'the values file lies outside of the repository', { where: written });
  }
  return names.join('/');
}

function isPattern(path: string): boolean {
  return /[*?[{]/.test(path);
}

function expandPattern(
  written: string,
  { reader, path, name }: Location,
  { ignoreMissing }: ValueFilesRequest,
  explicit: ReadonlySet<string>,
): Location[] {
  const segments = path.split('/');
  const start = segments.slice(0, segments.findIndex(isPattern)).join('/');
  const prefix = name.slice(0, name.length - path.length);
  // `**/` also stands for no folder at all.
  const pattern = path.replaceAll('**/', '{,**/}');
  const found =
    reader.kind(start) === 'folder' ? filesBelow(reader, start).filter((file) => matchesGlob(pattern, file, '/')) : [];
  if (found.length === 0 && !ignoreMissing)
    throw new Fault('RENDER_PATH_MISSING', 'no values file fits the pattern', { where: written });
  return found
    .sort()
    .map((file) => ({ reader, path: file, name: prefix + file }))
    .filter((file) => !explicit.has(key(file)));
}

function filesBelow(reader: TreeReader, folder: string): string[] {
  return reader.list(folder).flatMap(({ name, kind, isLink }) => {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (kind === 'folder') return isLink ? [] : filesBelow(reader, path);
    return kind === 'file' ? [path] : [];
  });
}

function isThere({ reader, path, name }: Location, ignoreMissing: boolean): boolean {
  if (reader.kind(path) === 'file') return true;
  if (ignoreMissing) return false;
  throw new Fault('RENDER_PATH_MISSING', 'the values file does not exist at this revision', { where: name });
}

function remoteFile(url: string, fetched: ReadonlyMap<string, Uint8Array>): ValueFile {
  const bytes = fetched.get(`values ${url}`);
  if (bytes === undefined) throw new NeedsContent([{ kind: 'values', address: url }]);
  const text = Buffer.from(bytes).toString('utf8');
  return { name: url, text, id: text };
}
