import { Fault } from '../../model/faults/index.js';
import type { TreeFolder, TreeNode } from '../../model/formats/index.js';
import { Allowance, type SourceLimits, BoundedMap } from '../common/index.js';
import { join, parseTree, type RawEntry } from './parse-tree.js';

/** Gives objects by id; those that are more than allowed come without bytes. */
export interface ObjectSource {
  /**
   * What is remembered of one scope is not given to another: a tree may name objects that its repository does not have,
   * and another one has.
   */
  readonly scope: string;
  read(
    ids: readonly string[],
    allowance: Allowance,
  ): Promise<readonly { readonly size: number; readonly bytes?: Buffer }[]>;
}

interface KnownFolder {
  readonly folder: TreeFolder;
  /** All entries below, counted by path. */
  readonly entries: number;
  readonly depth: number;
}

/** What folders are built from. */
interface FolderParts {
  readonly raw: ReadonlyMap<string, readonly RawEntry[]>;
  readonly links: ReadonlyMap<string, string>;
  readonly found: Map<string, KnownFolder>;
  readonly scope: string;
}

const MAX_LINK_LENGTH = 4096;
const MAX_TREE_BYTES = 32 * 1024 * 1024;
const MAX_TREES_BYTES = 256 * 1024 * 1024;

/**
 * Folders without the content of their files, by git id. A folder that two commits share is one object in memory, so
 * the next commit costs only what it changed, and a repository that repeats one folder a billion times costs one.
 */
export class FolderStore {
  readonly #known: BoundedMap<KnownFolder>;
  readonly #limits: SourceLimits;

  constructor(limits: SourceLimits) {
    this.#known = new BoundedMap(limits.cacheEntries);
    this.#limits = limits;
  }

  async load(id: string, source: ObjectSource): Promise<TreeFolder> {
    const known = this.#known.get(`${source.scope} ${id}`);
    if (known !== undefined) return known.folder;
    const found = new Map<string, KnownFolder>();
    const raw = await this.#readAll(id, source, found);
    const links = await readLinks(raw, source);
    const root = this.#build(id, '', { raw, links, found, scope: source.scope });
    if (root.entries > this.#limits.entries) throw tooMany(this.#limits.entries, '');
    return root.folder;
  }

  /** Level by level, each level in one go; folders that are known are not read again. */
  async #readAll(
    root: string,
    source: ObjectSource,
    found: Map<string, KnownFolder>,
  ): Promise<Map<string, readonly RawEntry[]>> {
    const raw = new Map<string, readonly RawEntry[]>();
    let level = new Map([[root, '']]);
    let count = 0;
    for (let depth = 0; level.size > 0; depth++) {
      if (depth > this.#limits.depth)
        throw new Fault('SOURCE_TOO_LARGE', `folders are nested deeper than ${this.#limits.depth}`, {
          where: [...level.values()][0]?.slice(0, 200) ?? '',
        });
      const objects = await source.read([...level.keys()], new Allowance(MAX_TREE_BYTES, MAX_TREES_BYTES));
      const next = new Map<string, string>();
      for (const [at, [id, path]] of [...level].entries()) {
        const bytes = objects[at]?.bytes;
        if (bytes === undefined) throw tooMany(this.#limits.entries, path);
        const entries = parseTree(bytes, path);
        count += entries.length;
        if (count > this.#limits.entries) throw tooMany(this.#limits.entries, path);
        raw.set(id, entries);
        for (const entry of entries) {
          if (entry.kind !== 'folder' || raw.has(entry.id) || level.has(entry.id) || found.has(entry.id)) continue;
          const known = this.#known.get(`${source.scope} ${entry.id}`);
          if (known === undefined) next.set(entry.id, join(path, entry.name));
          else found.set(entry.id, known);
        }
      }
      level = next;
    }
    return raw;
  }

  #build(id: string, path: string, parts: FolderParts): KnownFolder {
    const { raw, links, found, scope } = parts;
    const known = found.get(id);
    if (known !== undefined) return known;
    const entries = new Map<string, TreeNode>();
    let [count, depth] = [0, 0];
    for (const entry of raw.get(id) ?? []) {
      const below = entry.kind === 'folder' ? this.#build(entry.id, join(path, entry.name), parts) : undefined;
      entries.set(entry.name, below?.folder ?? nodeOf(entry, links));
      count += 1 + (below?.entries ?? 0);
      depth = Math.max(depth, 1 + (below?.depth ?? 0));
    }
    if (count > this.#limits.entries) throw tooMany(this.#limits.entries, path);
    if (depth > this.#limits.depth)
      throw new Fault('SOURCE_TOO_LARGE', `folders are nested deeper than ${this.#limits.depth}`, {
        where: path.slice(0, 200),
      });
    const built: KnownFolder = { folder: { kind: 'folder', id, entries }, entries: count, depth };
    found.set(id, built);
    this.#known.set(`${scope} ${id}`, built, entries.size + 1);
    return built;
  }
}

function nodeOf(entry: RawEntry, links: ReadonlyMap<string, string>): TreeNode {
  switch (entry.kind) {
    case 'link':
      return { kind: 'link', id: entry.id, target: links.get(entry.id) ?? '' };
    case 'submodule':
      return { kind: 'submodule', id: entry.id };
    default:
      return { kind: 'file', id: entry.id, executable: entry.kind === 'executable' };
  }
}

async function readLinks(
  raw: ReadonlyMap<string, readonly RawEntry[]>,
  source: ObjectSource,
): Promise<Map<string, string>> {
  const ids = new Set<string>();
  for (const entries of raw.values()) for (const entry of entries) if (entry.kind === 'link') ids.add(entry.id);
  if (ids.size === 0) return new Map();
  const objects = await source.read([...ids], new Allowance(MAX_LINK_LENGTH));
  // A target that is too long leads nowhere: who follows it is told so by its length.
  return new Map(
    [...ids].map((id, at) => [id, objects[at]?.bytes?.toString('utf8') ?? '/'.repeat(MAX_LINK_LENGTH + 1)]),
  );
}

function tooMany(entries: number, path: string): Fault {
  return new Fault('SOURCE_TOO_LARGE', `the repository has more than ${entries} files and folders`, {
    where: path.slice(0, 200),
  });
}
