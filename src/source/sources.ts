import { Fault } from '../model/faults/index.js';
import type { Tree } from '../model/formats/index.js';
import type { RevisionSignature } from '../model/argo/index.js';
import { GitHubTokens, basicAuthorization, SourceHttpClient } from './http/index.js';
import { accessKey, accessProof, PUBLIC, hasCredentials, type RepositoryAccess } from './access/index.js';
import {
  maskUrl,
  parseAddress,
  PROTOCOLS,
  sameServer,
  type Address,
  type Protocol,
  Allowance,
  type SourceDependencies,
  SOURCE_LIMITS,
  type SourceLimits,
} from './common/index.js';
import { branchesWithPath, pathMissing, TreeLoader, type OpenRepository } from './tree/index.js';
import { ChartFetcher, type Chart, type ChartRequest, type ListedChart, ociName, OciRegistry } from './chart/index.js';
import {
  FileRepositoryGate,
  openGitFolder,
  GitHost,
  type OnGitRequest,
  MirrorStore,
  branchesOf,
  defaultBranch,
  tagsOf,
  RefsCache,
  checkRevision,
  commitIdOf,
  findRevision,
  readCommit,
  type CommitFacts,
  firstParents,
  findShort,
  watchFolder,
} from './git/index.js';
import type { PollInterval } from './poller.js';
import { checkPlace, ownAccess } from './repository-place.js';
import { RepositoryWatches } from './repository-watches.js';
import { type SigningKeys, SignatureVerifier } from './signature/index.js';

export interface SourcesOptions extends SourceDependencies {
  /** The data directory; mirrors stand in `git/`, charts in `cache/charts/`. Only one process works in it. */
  readonly data: string;
  readonly limits?: Partial<SourceLimits>;
  /** Which transports are allowed besides files; without this https, http, ssh and git. */
  readonly protocols?: readonly Protocol[];
  /** Folders of this machine whose repositories may be read; none without this. */
  readonly fileRepositories?: readonly string[];
  /** Beside the data directory: folders with secrets, whose repositories are not read. */
  readonly privateFolders?: readonly string[];
  /** What opens a repository, asked anew each time; without this all are public. */
  readonly accessTo?: (url: string, project: string) => RepositoryAccess;
  /** How often watched repositories are asked, as it is now; without this as the limits say. */
  readonly poll?: () => PollInterval;
  /** Told of each talk with a git server, when it is over. */
  readonly onGitRequest?: OnGitRequest;
}

export interface RepositoryRef {
  readonly url: string;
  readonly project?: string;
  /** A server that leads elsewhere is refused: for addresses that stand in a repository. */
  readonly staysOnServer?: boolean;
}

export interface ResolveOptions {
  readonly tagPrefix?: string;
  /** How old what the server said may be; 0 asks it now. */
  readonly maxAge?: number;
}

export interface Resolved {
  readonly commit: string;
  /** The full name of the branch or tag; empty where a commit was given. */
  readonly ref: string;
}

export interface TreeRequest {
  readonly repository: RepositoryRef;
  readonly commit: string;
  /** Folders and files whose content is wanted now; '' is everything. */
  readonly paths: readonly string[];
}

export interface RefNames {
  readonly branches: readonly string[];
  readonly tags: readonly string[];
  readonly head?: string;
}

/** An image of a registry, and the project whose credentials may be used. */
export interface ImageRef {
  readonly host: string;
  readonly repository: string;
  readonly tag: string;
  readonly project: string;
  /** May be asked although no Secret names its registry. */
  readonly isPublic: boolean;
}

const MAX_COMMIT_BYTES = 1024 * 1024;

export interface Sources {
  /** The commit that a revision means now. The commit is in the mirror afterwards. */
  resolve(repository: RepositoryRef, revision: string, options?: ResolveOptions): Promise<Resolved>;
  /**
   * The same as the server says it to somebody with this access; nothing is fetched and nothing remembered for others.
   */
  peek(url: string, revision: string, access: RepositoryAccess): Promise<Resolved>;
  /** All folders of a commit, with the content of the wanted paths. */
  tree(request: TreeRequest): Promise<Tree>;
  /** The tree with more content: files, folders or submodules by path. */
  load(repository: RepositoryRef, tree: Tree, paths: readonly string[]): Promise<Tree>;
  /** Branches and tags, sorted by name. */
  refs(repository: RepositoryRef, options?: Pick<ResolveOptions, 'maxAge'>): Promise<RefNames>;
  /**
   * What the signatures of a resolved revision are worth, by these keys: of the annotated tag that it names, else of
   * its commit; with `strict` of the tag and of every commit that led there.
   */
  verify(
    repository: RepositoryRef,
    resolved: Resolved,
    keys: SigningKeys,
    mode: 'head' | 'strict',
  ): Promise<RevisionSignature[]>;
  /** Who made a commit, when and why, and the tags that name it. */
  describe(repository: RepositoryRef, commit: string): Promise<CommitFacts>;
  /** Ids of the commits before one that the mirror has, the latest first, along first parents; at most so many. */
  earlier(repository: RepositoryRef, commit: string, most: number): Promise<string[]>;
  branchesWithPath(repository: RepositoryRef, path: string): Promise<string[]>;
  /** The fault to report where the path of a source is missing: it names the branches that have it. */
  explainMissingPath(repository: RepositoryRef, path: string, revision: string, commit: string): Promise<Error>;
  fetchChart(request: ChartRequest): Promise<Chart>;
  /** All charts of a chart repository, with their versions. */
  listCharts(repository: RepositoryRef): Promise<readonly ListedChart[]>;
  /**
   * Whether a registry has an image. One that no Secret names is asked as a stranger, and may not be on this machine.
   */
  hasImage(image: ImageRef): Promise<boolean>;
  /** One file over http or https, with what opens its address. Redirects to another server are refused. */
  fetchFile(file: RepositoryRef): Promise<Uint8Array>;
  /**
   * Calls back after its first look, which comes within a round, and then whenever branches or tags of a repository
   * changed, it cannot be reached any more, or it can again; the returned function ends it.
   */
  watch(repository: RepositoryRef, changed: () => void): () => void;
  /** A webhook said that something happened: watched repositories at that address are looked at now. Gives how many. */
  notify(url: string): number;
  /**
   * Equal while a project opens a repository in the same way: what was read before counts no more once a Secret is
   * changed or gone. Tells nothing about credentials.
   */
  accessVersion(repository: RepositoryRef): string;
  close(): Promise<void>;
}

export async function openSources(options: SourcesOptions): Promise<Sources> {
  const limits = { ...SOURCE_LIMITS, ...options.limits };
  const folder = await openGitFolder(options.data);
  return new GitSources(options, limits, new GitHost(options, folder, limits, options.onGitRequest));
}

class GitSources implements Sources {
  readonly #options: SourcesOptions;
  readonly #limits: SourceLimits;
  readonly #host: GitHost;
  readonly #refs: RefsCache;
  readonly #loader: TreeLoader;
  readonly #http: SourceHttpClient;
  readonly #tokens: GitHubTokens;
  readonly #charts: ChartFetcher;
  readonly #verifier: SignatureVerifier;
  readonly #mirrors: MirrorStore;
  readonly #watches: RepositoryWatches;
  readonly #files: FileRepositoryGate;

  constructor(options: SourcesOptions, limits: SourceLimits, host: GitHost) {
    this.#options = options;
    const { fileRepositories: allowed = [], privateFolders = [], data } = options;
    this.#files = new FileRepositoryGate({ allowed, refused: [data, ...privateFolders] });
    this.#limits = limits;
    this.#host = host;
    this.#mirrors = new MirrorStore(host);
    this.#watches = this.#openWatches();
    this.#refs = new RefsCache(options.clock, (address, access, started) => host.listRefs(address, access, started));
    this.#loader = new TreeLoader({
      limits,
      protocols: this.#protocols,
      openSubmodule: (address, parent) => this.#openSubmodule(address, parent),
    });
    this.#http = new SourceHttpClient(options, limits.httpMilliseconds);
    this.#tokens = new GitHubTokens(this.#http, options.clock);
    this.#verifier = new SignatureVerifier(options, host.folder.private);
    this.#charts = new ChartFetcher(this.#http, options.clock, limits, {
      data: options.data,
      accessTo: (url, project) => this.#accessTo(url, project),
      keyOf: (url, access) => accessKey(host.folder.key, url, access),
    });
  }

  async resolve(
    ref: RepositoryRef,
    revision: string,
    { tagPrefix = '', maxAge = this.#limits.freshMilliseconds }: ResolveOptions = {},
  ): Promise<Resolved> {
    const repository = await this.#open(ref);
    const { mirror, access } = repository;
    const where = mirror.address.url;
    const full = commitIdOf(checkRevision(revision, where));
    const target =
      full === undefined
        ? findRevision(revision, await this.#refs.get(mirror.address, access, maxAge), { tagPrefix, where })
        : { kind: 'commit' as const, commit: full, ref: '' };
    if (target.kind === 'short') return { commit: await findShort(mirror, access, target.prefix), ref: '' };
    await mirror.obtain(target.commit, access);
    return { commit: (await this.#loader.treeOf(repository, target.commit)).commit, ref: target.ref };
  }

  async peek(url: string, revision: string, access: RepositoryAccess): Promise<Resolved> {
    const address = await this.#addressOf(url);
    const refs = await this.#refs.get(address, ownAccess(address, access), 0);
    const target = findRevision(revision, refs, { where: address.url });
    if (target.kind === 'short')
      throw new Fault('REVISION_UNKNOWN', `the server names no branch or tag "${revision}"`, { where: address.url });
    return { commit: target.commit, ref: target.ref };
  }

  async tree({ repository, commit, paths }: TreeRequest): Promise<Tree> {
    const opened = await this.#open(repository);
    const id = commitIdOf(commit);
    if (id === undefined)
      throw new Fault('REVISION_UNKNOWN', 'a tree is read at a full commit id', { where: maskUrl(repository.url) });
    await opened.mirror.obtain(id, opened.access);
    return this.#loader.open(opened, id, paths);
  }

  async load(repository: RepositoryRef, tree: Tree, paths: readonly string[]): Promise<Tree> {
    return this.#loader.load(await this.#open(repository), tree, paths);
  }

  async refs(
    ref: RepositoryRef,
    { maxAge = this.#limits.freshMilliseconds }: Pick<ResolveOptions, 'maxAge'> = {},
  ): Promise<RefNames> {
    const { address, access } = await this.#locate(ref);
    const refs = await this.#refs.get(address, access, maxAge);
    const head = defaultBranch(refs);
    return { branches: branchesOf(refs).sort(), tags: tagsOf(refs).sort(), ...(head === undefined ? {} : { head }) };
  }

  async verify(
    ref: RepositoryRef,
    { commit, ref: name }: Resolved,
    keys: SigningKeys,
    mode: 'head' | 'strict',
  ): Promise<RevisionSignature[]> {
    const { mirror, access } = await this.#open(ref);
    const id = name.startsWith('refs/tags/')
      ? (await this.#refs.get(mirror.address, access, this.#limits.freshMilliseconds)).tagObjects.get(name)
      : undefined;
    for (const wanted of [commit, ...(id === undefined ? [] : [id])]) await mirror.obtain(wanted, access);
    const source = {
      where: maskUrl(ref.url),
      read: (ids: readonly string[], allowance: Allowance) => mirror.read(ids, allowance),
    };
    return this.#verifier.verify(
      source,
      { commit, ...(id === undefined ? {} : { tag: { ref: name, id } }) },
      keys,
      mode,
    );
  }

  async describe(ref: RepositoryRef, commit: string): Promise<CommitFacts> {
    const { mirror, access } = await this.#open(ref);
    const id = commitIdOf(commit);
    if (id === undefined)
      throw new Fault('REVISION_UNKNOWN', 'a commit is described by its full id', { where: maskUrl(ref.url) });
    await mirror.obtain(id, access);
    const [[object], refs] = await Promise.all([
      mirror.read([id], new Allowance(MAX_COMMIT_BYTES)),
      this.#refs.get(mirror.address, access, this.#limits.freshMilliseconds),
    ]);
    if (object?.kind !== 'commit' || object.bytes === undefined)
      throw new Fault('REVISION_UNKNOWN', `${id} is no commit`, { where: maskUrl(ref.url) });
    const tags = [...refs.commits]
      .filter(([name, target]) => target === id && name.startsWith('refs/tags/'))
      .map(([name]) => name.slice('refs/tags/'.length))
      .sort();
    return { ...readCommit(object.bytes.toString('utf8')), tags };
  }

  async earlier(ref: RepositoryRef, commit: string, most: number): Promise<string[]> {
    const { mirror, access } = await this.#open(ref);
    await mirror.obtain(commit, access);
    return firstParents(mirror, commit, most);
  }

  async branchesWithPath(ref: RepositoryRef, path: string): Promise<string[]> {
    const repository = await this.#open(ref);
    const refs = await this.#refs.get(repository.mirror.address, repository.access, this.#limits.freshMilliseconds);
    for (const branch of branchesOf(refs)) {
      // One fetch brings them all.
      const commit = refs.commits.get(`refs/heads/${branch}`);
      if (commit !== undefined && !(await repository.mirror.hasCommit(commit))) {
        await repository.mirror.fetch(repository.access);
        break;
      }
    }
    return branchesWithPath(this.#loader, repository, refs, path);
  }

  async explainMissingPath(ref: RepositoryRef, path: string, revision: string, commit: string): Promise<Error> {
    return pathMissing(path, revision, commit, ref.url, await this.branchesWithPath(ref, path));
  }

  fetchChart(request: ChartRequest): Promise<Chart> {
    return this.#charts.fetch(request);
  }

  listCharts(repository: RepositoryRef): Promise<readonly ListedChart[]> {
    return this.#charts.list(repository);
  }

  async hasImage({ host, repository, tag, project, isPublic }: ImageRef): Promise<boolean> {
    const isNamed = (access: RepositoryAccess): boolean =>
      hasCredentials(access) || access.type !== undefined || access.plainHttp === true;
    const found = [`oci://${host}/${repository}`, `${host}/${repository}`]
      .map((url) => this.#accessTo(url, project))
      .find(isNamed);
    if (found === undefined && !isPublic)
      throw new Fault(
        'SOURCE_REFUSED',
        `registry ${host} may not be asked: neither argosy.image-registries nor a repository Secret names it`,
        { where: `${host}/${repository}` },
      );
    const access = found ?? PUBLIC;
    return new OciRegistry(this.#http, access, this.#limits, {
      ...ociName(`oci://${host}/${repository}`, '', access),
      isForeign: found === undefined,
    }).hasTag(tag);
  }

  async fetchFile({ url, project = '' }: RepositoryRef): Promise<Uint8Array> {
    const access = this.#accessTo(url, project);
    const authorization = basicAuthorization(access);
    const { status, body } = await this.#http.send({
      url,
      access,
      maxBytes: this.#limits.fileBytes,
      what: 'the file',
      staysOnServer: true,
      ...(authorization === undefined ? {} : { authorization }),
    });
    if (status !== 200)
      throw new Fault('SOURCE_REFUSED', `the server answers ${status} for the file`, { where: maskUrl(url) });
    return body;
  }

  watch(ref: RepositoryRef, changed: () => void): () => void {
    return this.#watches.watch(ref, changed);
  }

  notify(url: string): number {
    return this.#watches.notify(url);
  }

  accessVersion({ url, project = '' }: RepositoryRef): string {
    const { key } = this.#host.folder;
    try {
      const address = parseAddress(url, this.#protocols);
      const access = ownAccess(address, this.#accessTo(url, project));
      return `${accessKey(key, address.url, access, address)} ${accessProof(key, access)}`;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // Nobody opens it: who tries is told.
      return `none ${url}`;
    }
  }

  async close(): Promise<void> {
    this.#watches.close();
    this.#host.close();
    await this.#verifier.close();
    await this.#http.close();
  }

  #openWatches(): RepositoryWatches {
    const { pollMilliseconds: milliseconds, jitterMilliseconds: jitter } = this.#limits;
    return new RepositoryWatches({
      dependencies: this.#options,
      interval: () => this.#options.poll?.() ?? { milliseconds, jitter },
      keyOf: (repository) => this.accessVersion(repository),
      ask: async (repository) => {
        const { address, access } = await this.#locate(repository);
        return this.#refs.get(address, access, 0);
      },
      watchFolder: (repository, changed) => this.#watchFolder(repository, changed),
    });
  }

  /** Only says that something may have changed; it ends where the folder may not be read. */
  #watchFolder({ url }: RepositoryRef, changed: () => void): () => void {
    if (!url.startsWith('file://') || !this.#protocols.includes('file')) return () => undefined;
    const stop = watchFolder(url, changed);
    // Who reads it is told why not.
    this.#addressOf(url).catch(stop);
    return stop;
  }

  get #protocols(): readonly Protocol[] {
    const { protocols = PROTOCOLS, fileRepositories = [] } = this.#options;
    return fileRepositories.length === 0 ? protocols : [...protocols, 'file'];
  }

  #accessTo(url: string, project: string): RepositoryAccess {
    return this.#options.accessTo?.(url, project) ?? PUBLIC;
  }

  async #addressOf(url: string): Promise<Address> {
    return this.#placed(parseAddress(url, this.#protocols));
  }

  /** Where a repository of this machine really is. */
  async #placed(address: Address): Promise<Address> {
    if (address.protocol !== 'file') return address;
    return this.#files.open(address);
  }

  async #locate({ url, project = '', staysOnServer = false }: RepositoryRef): Promise<LocatedRepository> {
    const address = await this.#addressOf(url);
    checkPlace(address);
    const own = ownAccess(address, this.#accessTo(url, project));
    const access = await this.#tokens.exchange(own, address);
    return { address, own, access: { ...access, project, ...(staysOnServer ? { staysOnServer } : {}) }, project };
  }

  async #open(ref: RepositoryRef): Promise<OpenRepository> {
    return this.#openLocated(await this.#locate(ref));
  }

  async #openLocated({ address, own, access, project }: LocatedRepository): Promise<OpenRepository> {
    const mirror = this.#mirrors.get(address, own);
    await mirror.admit(access);
    return { mirror, access, project };
  }

  /**
   * A submodule on the same server is opened as its parent where it has no access of its own; on another server never.
   */
  async #openSubmodule(named: Address, parent: OpenRepository): Promise<OpenRepository> {
    const address = await this.#placed(named);
    checkPlace(address, parent.mirror.address);
    const known = ownAccess(address, this.#accessTo(address.url, parent.project));
    const own = hasCredentials(known) || !sameServer(address, parent.mirror.address) ? known : parent.access;
    const access = { ...(await this.#tokens.exchange(own, address)), staysOnServer: true, project: parent.project };
    return this.#openLocated({ address, own, access, project: parent.project });
  }
}

/** Where a repository is, and what opens it. */
interface LocatedRepository {
  readonly address: Address;
  /** As the Secrets have it. */
  readonly own: RepositoryAccess;
  /** As the server gets it. */
  readonly access: RepositoryAccess;
  readonly project: string;
}
