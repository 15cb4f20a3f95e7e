import { Fault } from '../../model/faults/index.js';
import type { Tree, TreeFolder, TreeSubmodule } from '../../model/formats/index.js';
import type { RepositoryAccess } from '../access/index.js';
import { maskUrl, type Address, type Protocol, Allowance, type SourceLimits } from '../common/index.js';
import type { Mirror } from '../git/index.js';
import { FolderStore, type ObjectSource } from './folder-store.js';
import { FileStore, selectPaths, type PathSelection } from './file-store.js';
import { hasSubmodule, openSubmodules, parseModules, submoduleAddress } from './submodules.js';

/** A repository that can be read. */
export interface OpenRepository {
  readonly mirror: Mirror;
  readonly access: RepositoryAccess;
  /** In whose name it is read. */
  readonly project: string;
}

export interface LoaderOptions {
  readonly limits: SourceLimits;
  readonly protocols: readonly Protocol[];
  /** The repository of a submodule, with what opens it. */
  readonly openSubmodule: (address: Address, parent: OpenRepository) => Promise<OpenRepository>;
}

/** Bounds of one tree with all its submodules. */
interface LoadBudget {
  readonly allowance: Allowance;
  submodules: number;
}

const MAX_COMMIT_BYTES = 1024 * 1024;
const MAX_GITMODULES_BYTES = 1024 * 1024;

/** Makes trees in memory out of mirrors. */
export class TreeLoader {
  readonly #options: LoaderOptions;
  readonly #folders: FolderStore;
  readonly #files: FileStore;
  readonly #budgets = new WeakMap<Tree, LoadBudget>();

  constructor(options: LoaderOptions) {
    this.#options = options;
    this.#folders = new FolderStore(options.limits);
    this.#files = new FileStore(options.limits);
  }

  /** All folders of a commit, and the content of the files at or below `paths`. */
  async open(repository: OpenRepository, commit: string, paths: readonly string[]): Promise<Tree> {
    const root = await this.#skeleton(repository, commit);
    const tree: Tree = { repository: maskUrl(repository.mirror.address.url), commit, root };
    return this.load(repository, tree, paths);
  }

  async load(repository: OpenRepository, tree: Tree, paths: readonly string[]): Promise<Tree> {
    const { fileBytes, treeBytes } = this.#options.limits;
    const journey = this.#budgets.get(tree) ?? { allowance: new Allowance(fileBytes, treeBytes), submodules: 0 };
    const root = await this.#fill(repository, tree.root, selectPaths(paths), journey, 0);
    const loaded = root === tree.root ? tree : { ...tree, root };
    this.#budgets.set(loaded, journey);
    return loaded;
  }

  /** The commit that a commit or tag id means, and its root folder. */
  async treeOf(repository: OpenRepository, id: string): Promise<{ readonly commit: string; readonly tree: string }> {
    let commit = id;
    for (let tags = 0; tags < 5; tags++) {
      const [object] = await repository.mirror.read([commit], new Allowance(MAX_COMMIT_BYTES));
      const [, kind, target] =
        /^(object|tree) ([0-9a-f]{40})\n/.exec(object?.bytes?.toString('latin1', 0, 64) ?? '') ?? [];
      if (object?.kind === 'commit' && kind === 'tree' && target !== undefined) return { commit, tree: target };
      if (object?.kind !== 'tag' || target === undefined) break;
      commit = target;
    }
    throw new Fault('REVISION_UNKNOWN', `${id} is no commit of the repository`, {
      where: maskUrl(repository.mirror.address.url),
    });
  }

  async #skeleton(repository: OpenRepository, commit: string): Promise<TreeFolder> {
    const { tree } = await this.treeOf(repository, commit);
    try {
      return await this.#folders.load(tree, objectsOf(repository));
    } catch (error) {
      throw inRepository(error, repository);
    }
  }

  async #fill(
    repository: OpenRepository,
    folder: TreeFolder,
    wanted: PathSelection,
    journey: LoadBudget,
    depth: number,
  ): Promise<TreeFolder> {
    let root = folder;
    if (hasSubmodule(folder)) {
      const modules = await this.#modules(repository, folder);
      root = await openSubmodules(folder, wanted, '', (node, path, below) =>
        this.#submodule(repository, node, { path, below, url: modules.get(path) }, journey, depth),
      );
    }
    try {
      return await this.#files.load(root, wanted, objectsOf(repository), journey.allowance);
    } catch (error) {
      throw inRepository(error, repository);
    }
  }

  async #modules(repository: OpenRepository, folder: TreeFolder): Promise<Map<string, string>> {
    const file = folder.entries.get('.gitmodules');
    if (file?.kind !== 'file') return new Map();
    const [object] = await objectsOf(repository).read([file.id], new Allowance(MAX_GITMODULES_BYTES));
    if (object?.bytes === undefined)
      throw new Fault('SOURCE_TOO_LARGE', 'the list of submodules is too large', { where: '.gitmodules' });
    return parseModules(object.bytes.toString('utf8'));
  }

  async #submodule(
    parent: OpenRepository,
    node: TreeSubmodule,
    at: { path: string; below: PathSelection; url: string | undefined },
    journey: LoadBudget,
    depth: number,
  ): Promise<TreeFolder> {
    const { limits, protocols } = this.#options;
    const where = maskUrl(parent.mirror.address.url);
    if (at.url === undefined)
      throw new Fault('SOURCE_INVALID', `.gitmodules does not say where the submodule "${at.path.slice(0, 200)}" is`, {
        where,
      });
    if (node.folder === undefined && ++journey.submodules > limits.submodules)
      throw new Fault('SOURCE_TOO_LARGE', `the repository has more than ${limits.submodules} submodules`, { where });
    if (depth >= limits.submoduleDepth)
      throw new Fault('SOURCE_TOO_LARGE', `submodules are nested deeper than ${limits.submoduleDepth}`, { where });
    const repository = await this.#options.openSubmodule(
      submoduleAddress(at.url, parent.mirror.address, protocols, at.path),
      parent,
    );
    if (node.folder === undefined) await repository.mirror.obtain(node.id, repository.access);
    return this.#fill(
      repository,
      node.folder ?? (await this.#skeleton(repository, node.id)),
      at.below,
      journey,
      depth + 1,
    );
  }
}

/** What the mirror lacks is fetched, all of it in one request. */
export function objectsOf({ mirror, access }: OpenRepository): ObjectSource {
  return {
    scope: mirror.scope,
    async read(ids, allowance) {
      if (ids.length === 0) return [];
      const objects = await mirror.read(ids, allowance);
      const missing = ids.filter((_, at) => objects[at] === undefined);
      if (missing.length === 0) return objects.map(present);
      await mirror.fetchObjects(missing, access);
      const fetched = new Map((await mirror.read(missing, allowance)).map((object, at) => [missing[at], object]));
      return ids.map((id, at) => present(objects[at] ?? fetched.get(id)));
    },
  };
}

function present<T>(object: T | undefined): T {
  if (object === undefined) throw new Fault('SOURCE_INVALID', 'the repository lacks an object that it refers to');
  return object;
}

/** Adds the repository to what is wrong inside it. */
function inRepository(error: unknown, { mirror }: OpenRepository): unknown {
  if (!(error instanceof Fault) || error.where.includes('://') || error.where.startsWith('git@')) return error;
  const url = maskUrl(mirror.address.url);
  return new Fault(error.code, error.message, {
    where: error.where === '' ? url : `${error.where} in ${url}`,
    cause: error.cause,
  });
}
