import { Fault } from '../../../model/faults/index.js';
import type { TreeNode } from '../../../model/formats/index.js';
import { NeedsContent, type TreeReader } from '../../common/index.js';
import { invalid } from '../fault.js';
import { isHttpAddress, parseRepoSpec, type RepoSpec } from './repo-spec.js';

/** Something that was fetched for a kustomization: a repository at the revision asked for, or a single file. */
export type RemoteBase =
  | { readonly kind: 'tree'; readonly reader: TreeReader }
  | { readonly kind: 'file'; readonly text: string };

/** By the address as the kustomization writes it. */
export type RemoteBases = ReadonlyMap<string, RemoteBase>;

interface Remote {
  readonly address: string;
  readonly spec: RepoSpec;
}

/** A folder from which files are loaded. Files must lie in it or below; other folders are entered through `enter`. */
export class Loader {
  readonly reader: TreeReader;
  /** The folder, without links on the way; '' is the repository's own. */
  readonly root: string;
  /** The address of the repository, where it is not the source's own. */
  readonly remote: Remote | undefined;
  readonly #bases: RemoteBases;
  readonly #referrer: Loader | undefined;

  private constructor(
    reader: TreeReader,
    root: string,
    bases: RemoteBases,
    from: { referrer?: Loader; remote?: Remote | undefined },
  ) {
    this.reader = reader;
    this.root = root;
    this.#bases = bases;
    this.#referrer = from.referrer;
    this.remote = from.remote;
  }

  static open(reader: TreeReader, path: string, bases: RemoteBases): Loader {
    return new Loader(reader, folderAt(reader, clean(path)), bases, {});
  }

  /** A path as messages show it. */
  formatPath(path: string): string {
    return path === '' ? '.' : path;
  }

  /** The path in the repository of a file that is named in this folder. */
  pathOf(path: string): string {
    return join(this.root, path);
  }

  text(path: string): string {
    if (isHttpAddress(path)) return this.#remoteText(path);
    return this.reader.text(this.#file(path));
  }

  bytes(path: string): Uint8Array {
    if (isHttpAddress(path)) return Buffer.from(this.#remoteText(path));
    return this.reader.bytes(this.#file(path));
  }

  isFile(path: string): boolean {
    return !path.startsWith('/') && this.reader.kind(join(this.root, path)) === 'file';
  }

  isFolder(path: string): boolean {
    return !path.startsWith('/') && this.reader.kind(join(this.root, path)) === 'folder';
  }

  #remoteText(address: string): string {
    const base = this.#base(address);
    if (base.kind === 'file') return base.text;
    throw invalid('URL is a git repository');
  }

  #base(address: string): RemoteBase {
    const base = this.#bases.get(address);
    if (base === undefined) throw new NeedsContent([{ kind: 'base', address }]);
    return base;
  }

  /** Asks for everything among the paths that lies elsewhere and was not fetched yet, at once. */
  needAll(paths: readonly string[]): void {
    const missing = paths.filter(
      (path) =>
        !this.#bases.has(path) && (isHttpAddress(path) || (parseRepoSpec(path) !== undefined && !this.#isHere(path))),
    );
    if (missing.length > 0) throw new NeedsContent(missing.map((address) => ({ kind: 'base', address })));
  }

  #isHere(path: string): boolean {
    return this.isFile(path) && isBelow(folderOf(realPath(this.reader, join(this.root, path)) ?? ''), this.root);
  }

  #file(path: string): string {
    if (path.startsWith('/'))
      throw invalid(`security; file '${path}' is not in or below '${this.formatPath(this.root)}'`);
    const joined = join(this.root, path);
    const kind = this.reader.kind(joined);
    if (kind === undefined) throw missing(joined);
    if (kind === 'folder') throw invalid(`'${this.formatPath(joined)}' must resolve to a file`);
    const real = realPath(this.reader, joined) ?? joined;
    if (!isBelow(folderOf(real), this.root))
      throw invalid(`security; file '${joined}' is not in or below '${this.formatPath(this.root)}'`);
    return joined;
  }

  /** The loader of another folder: a path from here, or a repository elsewhere. */
  enter(path: string): Loader {
    if (path === '') throw invalid('new root cannot be empty');
    const spec = parseRepoSpec(path);
    if (spec !== undefined) return this.#enterRemote(path, spec);
    if (path.startsWith('/')) throw invalid(`new root '${path}' cannot be absolute`);
    const root = folderAt(this.reader, join(this.root, path));
    this.#checkCycle(root);
    return new Loader(this.reader, root, this.#bases, { referrer: this, remote: this.remote });
  }

  /** This folder, the one that named it, and so on. */
  #chain(): Loader[] {
    return this.#referrer === undefined ? [this] : [this, ...this.#referrer.#chain()];
  }

  #enterRemote(address: string, spec: RepoSpec): Loader {
    for (const loader of this.#chain()) {
      if (loader.remote?.address.startsWith(address) === true) {
        throw invalid(`cycle detected: URI '${address}' referenced by previous URI '${loader.remote.address}'`);
      }
    }
    const base = this.#base(address);
    if (base.kind === 'file') throw invalid(`'${address}' is a file; expecting directory`);
    return new Loader(base.reader, folderAt(base.reader, clean(spec.path)), this.#bases, {
      referrer: this,
      remote: { address, spec },
    });
  }

  /** No folder may use one that contains it. */
  #checkCycle(root: string): void {
    for (const loader of this.#chain()) {
      if (loader.reader === this.reader && isBelow(loader.root, root)) {
        throw invalid(
          `cycle detected: candidate root '${this.formatPath(root)}' contains visited root ` +
            `'${this.formatPath(loader.root)}'`,
        );
      }
    }
  }
}

function missing(path: string): Fault {
  return new Fault(
    'RENDER_PATH_MISSING',
    `evalsymlink failure on '${path}' : lstat ${path}: no such file or directory`,
    { where: path },
  );
}

function folderAt(reader: TreeReader, path: string): string {
  const kind = reader.kind(path);
  if (kind === undefined) {
    const fault = missing(path);
    throw new Fault(fault.code, `must build at directory: not a valid directory: ${fault.message}`, { where: path });
  }
  if (kind === 'file') throw invalid(`must build at directory: '${path}': file is not directory`);
  return realPath(reader, path) ?? path;
}

/** Joins and cleans a path; it may lead out of the tree, which the reader then refuses. */
export function join(root: string, path: string): string {
  return clean(root === '' ? path : `${root}/${path}`);
}

function clean(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** The path without links. The reader has already walked it, so every link stays in the tree. */
function realPath(reader: TreeReader, path: string): string | undefined {
  const ahead = path.split('/').reverse();
  const real: string[] = [];
  for (let name = ahead.pop(), steps = 0; name !== undefined && steps < 4096; name = ahead.pop(), steps++) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      real.pop();
      continue;
    }
    const node = nodeAt(reader, [...real, name]);
    if (node === undefined) return undefined;
    if (node.kind === 'link') ahead.push(...node.target.split('/').reverse());
    else real.push(name);
  }
  return real.join('/');
}

function nodeAt(reader: TreeReader, names: readonly string[]): TreeNode | undefined {
  let node: TreeNode | undefined = reader.tree.root;
  for (const name of names) {
    const folder: TreeNode | undefined = node?.kind === 'submodule' ? node.folder : node;
    node = folder?.kind === 'folder' ? folder.entries.get(name) : undefined;
  }
  return node;
}
