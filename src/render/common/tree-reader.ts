import { Fault } from '../../model/faults/index.js';
import type { Tree, TreeFile, TreeFolder, TreeNode } from '../../model/formats/index.js';
import { NeedsContent, type Need } from './needs.js';
import {
  ABSENT,
  fileFact,
  IS_FILE,
  IS_FOLDER,
  linkFact,
  listingFact,
  submoduleFact,
  wholeFact,
  type ReadSet,
} from './read-set.js';

export interface TreeEntry {
  readonly name: string;
  /** What it is after following links; undefined for a link that leads to nothing. */
  readonly kind: 'file' | 'folder' | undefined;
  readonly isLink: boolean;
}

/** A node after all links, with the path that has none. */
interface Found {
  readonly node: TreeFile | TreeFolder;
  readonly path: string;
}

const MAX_LINKS = 40;
const MAX_PATH_LENGTH = 4096;

/**
 * Reads a tree by path as a file system would, and remembers what it was asked. Links are followed inside the tree
 * only; a path or a link that leaves it is a fault, which never tells what the link says. What is not loaded throws
 * NeedsContent.
 */
export class TreeReader {
  readonly tree: Tree;
  readonly #facts = new Map<string, string>();

  constructor(tree: Tree) {
    this.tree = tree;
  }

  get readSet(): ReadSet {
    return this.#facts;
  }

  exists(path: string): boolean {
    return this.kind(path) !== undefined;
  }

  kind(path: string): 'file' | 'folder' | undefined {
    const found = this.#find(path);
    if (found !== undefined) this.#saw(found.path, found.node.kind === 'file' ? IS_FILE : IS_FOLDER);
    return found?.node.kind;
  }

  /** The content id of a file; equal ids mean equal content. Counts as reading it. */
  id(path: string): string {
    return this.#file(path).id;
  }

  bytes(path: string): Uint8Array {
    const file = this.#file(path);
    if (file.bytes === undefined) throw new NeedsContent([this.#need(path, file)]);
    return file.bytes;
  }

  text(path: string): string {
    return DECODER.decode(this.bytes(path));
  }

  /** The entries of a folder in the order of their names' bytes. */
  list(path: string): TreeEntry[] {
    const found = this.#find(path);
    if (found?.node.kind !== 'folder') throw missing(path, found === undefined ? 'does not exist' : 'is no folder');
    this.#saw(found.path, listingFact(found.node));
    const below = found.path === '' ? '' : `${found.path}/`;
    return [...found.node.entries].map(([name, node]) => ({
      name,
      isLink: node.kind === 'link',
      kind: node.kind === 'file' || node.kind === 'folder' ? node.kind : this.#find(below + name)?.node.kind,
    }));
  }

  /** Throws one NeedsContent for all of the files that are not loaded, so that they are fetched together. */
  load(paths: Iterable<string>): void {
    const needs: Need[] = [];
    for (const path of paths) {
      const found = this.#find(path);
      if (found?.node.kind === 'file' && found.node.bytes === undefined) needs.push(this.#need(path, found.node));
    }
    if (needs.length > 0) throw new NeedsContent(needs);
  }

  /** Says that everything in the tree was or may have been looked at, by a program that does not tell. */
  sawEverything(): void {
    this.#facts.set('', wholeFact(this.tree.root));
  }

  #file(path: string): TreeFile {
    const found = this.#find(path);
    if (found?.node.kind !== 'file') throw missing(path, found === undefined ? 'does not exist' : 'is a folder');
    this.#saw(found.path, fileFact(found.node.id));
    return found.node;
  }

  #need(path: string, file: TreeFile): Need {
    const { repository, commit } = this.tree;
    return { kind: 'file', repository, commit, path: this.#find(path)?.path ?? path, id: file.id };
  }

  #find(path: string): Found | undefined {
    const names = namesOf(path);
    const real: string[] = [];
    const folders: TreeFolder[] = [this.tree.root];
    let node: TreeFile | TreeFolder = this.tree.root;
    let links = 0;
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      if (name === '..') {
        if (real.pop() === undefined) throw escape(path);
        folders.pop();
        node = folders.at(-1) ?? this.tree.root;
        continue;
      }
      if (node.kind === 'file') return this.#nothing([...real, name]);
      const next: TreeNode | undefined = node.entries.get(name);
      if (next === undefined) return this.#nothing([...real, name]);
      if (next.kind === 'link') {
        if (++links > MAX_LINKS)
          throw new Fault('RENDER_PATH_ESCAPE', 'a link leads round in circles', { where: path });
        this.#saw([...real, name].join('/'), linkFact(next.id));
        names.push(...linkNames(next.target, path));
        continue;
      }
      real.push(name);
      node = next.kind === 'submodule' ? this.#submodule(next, real.join('/')) : next;
      folders.push(node.kind === 'folder' ? node : EMPTY);
    }
    return { node, path: real.join('/') };
  }

  #submodule(node: TreeNode & { kind: 'submodule' }, path: string): TreeFolder {
    this.#saw(path, submoduleFact(node.id));
    const { repository, commit } = this.tree;
    if (node.folder === undefined)
      throw new NeedsContent([{ kind: 'submodule', repository, commit, path, id: node.id }]);
    return node.folder;
  }

  #nothing(names: readonly string[]): undefined {
    this.#saw(names.join('/'), ABSENT);
    return undefined;
  }

  /** Keeps the fact that says most: content or listing over the mere kind. */
  #saw(path: string, fact: string): void {
    const known = this.#facts.get(path);
    if (known === undefined || known === IS_FILE || known === IS_FOLDER) this.#facts.set(path, fact);
  }
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
/** Stands for the folder that a file is not, so that `..` has one step to undo for every name. */
const EMPTY: TreeFolder = { kind: 'folder', id: '', entries: new Map() };

/** The cleaned names of a path, last first. */
function namesOf(path: string): string[] {
  if (path.startsWith('/') || path.includes('\0') || path.length > MAX_PATH_LENGTH) throw escape(path);
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) throw escape(path);
  }
  return names.reverse();
}

/** A link's names are walked one by one, `..` included, because a link on the way changes what `..` means. */
function linkNames(target: string, path: string): string[] {
  if (target.startsWith('/') || target.includes('\0') || target.length > MAX_PATH_LENGTH) {
    throw new Fault('RENDER_PATH_ESCAPE', 'a link leads out of the repository', { where: path });
  }
  return target
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .reverse();
}

function escape(path: string): Fault {
  return new Fault('RENDER_PATH_ESCAPE', 'the path leads out of the repository', {
    where: path.slice(0, 200).replaceAll('\0', '\\0'),
  });
}

function missing(path: string, what: string): Fault {
  return new Fault('RENDER_PATH_MISSING', `"${path}" ${what}`, { where: path });
}
