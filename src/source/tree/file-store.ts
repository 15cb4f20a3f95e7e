import { Fault } from '../../model/faults/index.js';
import type { TreeFile, TreeFolder, TreeNode } from '../../model/formats/index.js';
import { type Allowance, sizeText, type SourceLimits, BoundedMap } from '../common/index.js';
import type { ObjectSource } from './folder-store.js';
import { join } from './parse-tree.js';

/** What is wanted below a folder: everything, or by name. */
export type PathSelection = 'all' | Map<string, PathSelection>;

/** A file that was named itself must come; one that only lies in a wanted folder may be too large and stays out. */
interface FileRequest {
  readonly path: string;
  readonly isNamed: boolean;
}

/** Says which nodes are wanted. Paths that lead out of the tree want nothing: who reads them is told. */
export function selectPaths(paths: readonly string[]): PathSelection {
  let wanted: PathSelection = new Map();
  for (const path of paths) {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    if (names.includes('..')) continue;
    if (names.length === 0) return 'all';
    wanted = add(wanted, names);
  }
  return wanted;
}

function add(wanted: PathSelection, names: readonly string[]): PathSelection {
  const [name, ...rest] = names;
  if (wanted === 'all' || name === undefined) return 'all';
  wanted.set(name, add(wanted.get(name) ?? new Map<string, PathSelection>(), rest));
  return wanted;
}

/** Puts the content of files into trees; contents that were read before come from memory. */
export class FileStore {
  readonly #known: BoundedMap<Buffer>;
  readonly #limits: SourceLimits;

  constructor(limits: SourceLimits) {
    this.#known = new BoundedMap(limits.cacheBytes);
    this.#limits = limits;
  }

  /** The folder with the wanted files loaded; what is not wanted is the same object as before. */
  async load(
    folder: TreeFolder,
    wanted: PathSelection,
    source: ObjectSource,
    allowance: Allowance,
  ): Promise<TreeFolder> {
    const wishes = new Map<string, FileRequest>();
    collect(folder, wanted, '', wishes, new Set());
    if (wishes.size === 0) return folder;
    const files = await this.#read(wishes, source, allowance);
    return replace(folder, wanted, files, new Map());
  }

  async #read(
    wishes: ReadonlyMap<string, FileRequest>,
    source: ObjectSource,
    allowance: Allowance,
  ): Promise<ReadonlyMap<string, Content>> {
    const contents = new Map<string, Content>();
    const missing: string[] = [];
    for (const id of wishes.keys()) {
      const bytes = this.#known.get(`${source.scope} ${id}`);
      if (bytes === undefined) missing.push(id);
      else
        this.#take(
          id,
          allowance.tryTake(bytes.length) ? { size: bytes.length, bytes } : { size: bytes.length },
          wishes.get(id),
          contents,
          source.scope,
        );
    }
    const objects = await source.read(missing, allowance);
    for (const [at, id] of missing.entries()) this.#take(id, objects[at], wishes.get(id), contents, source.scope);
    return contents;
  }

  #take(
    id: string,
    object: Content | undefined,
    wish: FileRequest | undefined,
    contents: Map<string, Content>,
    scope: string,
  ): void {
    if (object === undefined || wish === undefined) return;
    const { size, bytes } = object;
    if (bytes === undefined && wish.isNamed) throw this.#tooLarge(size, wish.path);
    if (bytes !== undefined) this.#known.set(`${scope} ${id}`, bytes, size + OVERHEAD);
    contents.set(id, { size, ...(bytes === undefined ? {} : { bytes }) });
  }

  #tooLarge(size: number, path: string): Fault {
    const { fileBytes, treeBytes } = this.#limits;
    const message =
      size > fileBytes
        ? `the file has ${sizeText(size)}; at most ${sizeText(fileBytes)} are read`
        : `with this file the source has more than ${sizeText(treeBytes)}`;
    return new Fault('SOURCE_TOO_LARGE', message, { where: path.slice(0, 200) });
  }
}

interface Content {
  readonly size: number;
  readonly bytes?: Buffer;
}

/** What a small file costs beside its bytes. */
const OVERHEAD = 200;

function collect(
  folder: TreeFolder,
  wanted: PathSelection,
  path: string,
  wishes: Map<string, FileRequest>,
  done: Set<TreeFolder>,
): void {
  // A folder that a repository repeats is one object, and one visit is enough.
  if (wanted === 'all' && done.has(folder)) return;
  if (wanted === 'all') done.add(folder);
  for (const [name, node, below] of selectedEntries(folder, wanted)) {
    const at = join(path, name);
    if (node.kind === 'folder') collect(node, below, at, wishes, done);
    else if (node.kind === 'file' && node.bytes === undefined && wishes.get(node.id)?.isNamed !== true)
      wishes.set(node.id, { path: at, isNamed: wanted !== 'all' });
  }
}

function replace(
  folder: TreeFolder,
  wanted: PathSelection,
  files: ReadonlyMap<string, Content>,
  done: Map<TreeFolder, TreeFolder>,
): TreeFolder {
  const known = wanted === 'all' ? done.get(folder) : undefined;
  if (known !== undefined) return known;
  const entries = new Map(folder.entries);
  for (const [name, node, below] of selectedEntries(folder, wanted)) {
    if (node.kind === 'folder') entries.set(name, replace(node, below, files, done));
    else if (node.kind === 'file') entries.set(name, fill(node, files.get(node.id)));
  }
  const loaded = { ...folder, entries };
  if (wanted === 'all') done.set(folder, loaded);
  return loaded;
}

function fill(file: TreeFile, content: Content | undefined): TreeFile {
  return content === undefined || file.bytes !== undefined ? file : { ...file, ...content };
}

/** The wanted entries of a folder, with what is wanted below them. */
export function* selectedEntries(
  folder: TreeFolder,
  wanted: PathSelection,
): Generator<[string, TreeNode, PathSelection]> {
  if (wanted === 'all') for (const [name, node] of folder.entries) yield [name, node, 'all'];
  else {
    for (const [name, below] of wanted) {
      const node = folder.entries.get(name);
      if (node !== undefined) yield [name, node, below];
    }
  }
}
