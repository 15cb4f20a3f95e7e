import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, readlinkSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import type { Tree, TreeFile, TreeFolder, TreeLink, TreeNode } from '../../model/formats/index.js';

export interface FolderTreeOptions {
  /** Links that lead out of this folder are refused; the folder itself unless told. */
  readonly boundary?: string;
  /** How the tree is called in faults. */
  readonly repository?: string;
  readonly limits?: Partial<FolderLimits>;
}

export interface FolderLimits {
  readonly fileBytes: number;
  /** All files that are read, together. */
  readonly treeBytes: number;
  /** Entries of all folders that are listed, together. */
  readonly entries: number;
}

const LIMITS: FolderLimits = { fileBytes: 16 * 1024 * 1024, treeBytes: 256 * 1024 * 1024, entries: 1_000_000 };

/**
 * A folder on disk as the tree that a repository with these files would give. Nothing is read before a render asks for
 * it, so that the root may be far above what is rendered.
 */
export function folderTree(folder: string, options: FolderTreeOptions = {}): Tree {
  const root = realPath(folder);
  const budget = new Budget(realPath(options.boundary ?? folder), { ...LIMITS, ...options.limits });
  return { repository: options.repository ?? 'local files', commit: 'local files', root: new DiskFolder(root, budget) };
}

/** The root of the git repository that a folder is in; undefined where it is in none. */
export function repositoryRoot(folder: string): string | undefined {
  for (let at = realPath(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (at === parse(at).root) return undefined;
  }
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === resolve(path));
}

/** The path without links; a folder that is not there is a fault. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new Fault('FILE_UNREADABLE', `${path} does not exist or may not be read`, { where: path, cause });
  }
}

let trees = 0;

/** What a tree may cost, shared by all of its files. */
class Budget {
  readonly tree = `local files ${++trees}`;
  #bytes = 0;
  #entries = 0;

  constructor(
    readonly boundary: string,
    readonly limits: FolderLimits,
  ) {}

  countEntries(count: number, path: string): void {
    this.#entries += count;
    if (this.#entries > this.limits.entries)
      throw new Fault('RENDER_LIMIT', `the folders hold more than ${this.limits.entries} entries`, { where: path });
  }

  countBytes(size: number, path: string): void {
    if (size > this.limits.fileBytes)
      throw new Fault('RENDER_LIMIT', `the file is larger than ${this.limits.fileBytes} bytes`, { where: path });
    this.#bytes += size;
    if (this.#bytes > this.limits.treeBytes)
      throw new Fault('RENDER_LIMIT', `the files are larger than ${this.limits.treeBytes} bytes together`, {
        where: path,
      });
  }
}

class DiskFile implements TreeFile {
  readonly kind = 'file';
  #bytes: Uint8Array | undefined;
  #id: string | undefined;

  constructor(
    readonly path: string,
    readonly budget: Budget,
  ) {}

  get executable(): boolean {
    return (statSync(this.path).mode & 0o111) !== 0;
  }

  get size(): number {
    return this.bytes.length;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.#read();
    return this.#bytes;
  }

  get id(): string {
    this.#id ??= objectId('blob', this.bytes);
    return this.#id;
  }

  #read(): Uint8Array {
    return withReadFaults(this.path, () => {
      this.budget.countBytes(statSync(this.path).size, this.path);
      return readFileSync(this.path);
    });
  }
}

class DiskFolder implements TreeFolder {
  readonly kind = 'folder';
  #entries: ReadonlyMap<string, TreeNode> | undefined;

  constructor(
    readonly path: string,
    readonly budget: Budget,
  ) {}

  get entries(): ReadonlyMap<string, TreeNode> {
    this.#entries ??= this.#read();
    return this.#entries;
  }

  /** Equal to no other: to know more, everything below would have to be read. */
  get id(): string {
    return `${this.budget.tree} ${this.path}`;
  }

  #read(): ReadonlyMap<string, TreeNode> {
    const found = withReadFaults(this.path, () => readdirSync(this.path, { withFileTypes: true }));
    this.budget.countEntries(found.length, this.path);
    const nodes = found
      .sort((a, b) => compareText(a.name, b.name))
      .flatMap((entry) => {
        const node = this.#node(entry);
        return node === undefined ? [] : [[entry.name, node] as const];
      });
    return new Map(nodes);
  }

  /** Sockets, pipes and devices are no part of a repository. */
  #node(entry: Dirent): TreeNode | undefined {
    const path = join(this.path, entry.name);
    if (entry.isDirectory()) return entry.name === '.git' ? undefined : new DiskFolder(path, this.budget);
    if (entry.isSymbolicLink()) return linkNode(path, this.budget.boundary);
    return entry.isFile() ? new DiskFile(path, this.budget) : undefined;
  }
}

/** A link out of the boundary keeps an absolute target, which every reader of trees refuses. */
function linkNode(path: string, boundary: string): TreeLink {
  const target = readlinkSync(path);
  const isOut = !isInside(endOf(path, target), boundary);
  return { kind: 'link', id: objectId('blob', Buffer.from(target)), target: isOut ? resolve(sep, target) : target };
}

function endOf(path: string, target: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It leads to nothing, or round in circles: then its text has to do.
    return resolve(dirname(path), target);
  }
}

function withReadFaults<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('FILE_UNREADABLE', `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      where: path,
      cause,
    });
  }
}

function objectId(kind: string, bytes: Uint8Array): string {
  return createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
}
