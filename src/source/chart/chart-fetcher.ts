import { Fault } from '../../model/faults/index.js';
import { fingerprint, type RepositoryAccess } from '../access/index.js';
import { maskUrl, type Clock, type SourceLimits, BoundedMap } from '../common/index.js';
import { basicAuthorization, type SourceHttpClient } from '../http/index.js';
import { ChartCache, isDigest, sha256 } from './chart-cache.js';
import { archiveUrl, listIndex, readIndex, type IndexEntry, type ListedChart } from './chart-index.js';
import { chooseVersion, isExactVersion, unknownVersion } from './chart-version.js';
import { ociName } from './oci-name.js';
import { OciRegistry } from './oci-registry.js';

export interface ChartRequest {
  readonly repository: { readonly url: string; readonly project?: string };
  readonly chart: string;
  /** A version, a range, or empty for the latest. */
  readonly version: string;
  /** Sends credentials to other servers that the index names. */
  readonly passCredentials?: boolean;
  /** The address stands in a repository: it may not be on this machine. */
  readonly isForeign?: boolean;
  /** How old what the server said may be; 0 asks it now. */
  readonly maxAge?: number;
}

export interface Chart {
  /** The archive, packed. */
  readonly bytes: Uint8Array;
  /** The version that the request led to. */
  readonly version: string;
  /** sha256 of the archive, in hex. */
  readonly digest: string;
}

const MAX_LISTED_BYTES = 8 * 1024 * 1024;

interface KnownIndex {
  readonly text: string;
  readonly askedAt: number;
  readonly etag: string | undefined;
}

export interface ChartFetcherOptions {
  /** The data directory. */
  readonly data: string;
  readonly accessTo: (url: string, project: string) => RepositoryAccess;
  /** Names what is kept of a repository for those with this access. */
  readonly keyOf: (url: string, access: RepositoryAccess) => string;
}

/** Reads charts out of chart repositories and registries; archives are kept by their digest. */
export class ChartFetcher {
  readonly #http: SourceHttpClient;
  readonly #clock: Clock;
  readonly #limits: SourceLimits;
  readonly #cache: ChartCache;
  readonly #options: ChartFetcherOptions;
  readonly #indexes: BoundedMap<KnownIndex>;
  readonly #digests = new BoundedMap<{ readonly digest: string; readonly askedAt: number }>(10_000);
  readonly #pending = new Map<string, Promise<unknown>>();

  constructor(http: SourceHttpClient, clock: Clock, limits: SourceLimits, options: ChartFetcherOptions) {
    this.#http = http;
    this.#clock = clock;
    this.#limits = limits;
    this.#cache = new ChartCache(options.data, clock);
    this.#options = options;
    this.#indexes = new BoundedMap(limits.indexBytes * 4);
  }

  async fetch(request: ChartRequest): Promise<Chart> {
    const { url, project = '' } = request.repository;
    const access = ownAccess(url, this.#options.accessTo(url, project));
    if (access.unusable !== undefined)
      throw new Fault(
        'SOURCE_REFUSED',
        `the Secret of the repository holds ${access.unusable}, which is not supported; give a user and password`,
        { where: maskUrl(url) },
      );
    const key = JSON.stringify([
      'chart',
      url,
      request.chart,
      request.version,
      request.passCredentials ?? false,
      request.isForeign ?? false,
      fingerprint(access),
    ]);
    const isOci = url.startsWith('oci://') || access.enableOci === true || !url.includes('://');
    return this.#shared(key, () =>
      isOci ? this.#fromRegistry(request, access) : this.#fromRepository(request, access),
    );
  }

  /** The charts of a repository that has an index. */
  async list(repository: ChartRequest['repository']): Promise<ListedChart[]> {
    const { url, project = '' } = repository;
    if (!/^https?:/i.test(url) || !URL.canParse(url))
      throw new Fault('SOURCE_REFUSED', 'only chart repositories with an http or https address have an index to list', {
        where: maskUrl(url),
      });
    const text = await this.#index(
      { repository, chart: '', version: '' },
      ownAccess(url, this.#options.accessTo(url, project)),
    );
    // Read as a whole, and that takes its time.
    if (text.length > MAX_LISTED_BYTES)
      throw new Fault(
        'SOURCE_REFUSED',
        `the index is larger than ${MAX_LISTED_BYTES} bytes and is not listed: name the chart`,
        { where: maskUrl(url) },
      );
    return listIndex(text, maskUrl(url));
  }

  async #fromRepository(request: ChartRequest, access: RepositoryAccess): Promise<Chart> {
    const {
      chart,
      version,
      repository: { url },
    } = request;
    const where = maskUrl(url);
    const index = await this.#index(request, access);
    const entries = readIndex(index, chart, where);
    if (entries === undefined)
      throw new Fault('CHART_UNKNOWN', `chart "${chart.slice(0, 100)}" is not in the index`, { where });
    const versions = entries.map((entry) => entry.version);
    const chosen = chooseVersion(version, versions);
    const entry = entries.find((other) => other.version === chosen);
    if (entry === undefined) throw unknownVersion(chart, version, versions, where);
    const cached = await this.#cache.get(this.#owner(request, access), entry.digest);
    if (cached !== undefined) return { bytes: cached, version: entry.version, digest: entry.digest };
    return this.#download(request, entry, access);
  }

  async #download(
    { chart, passCredentials, isForeign = false, repository: { url } }: ChartRequest,
    entry: IndexEntry,
    access: RepositoryAccess,
  ): Promise<Chart> {
    const [first] = entry.urls;
    if (first === undefined)
      throw new Fault('CHART_UNKNOWN', `version ${entry.version} of chart "${chart}" has no address in the index`, {
        where: maskUrl(url),
      });
    const archive = archiveUrl(url, first);
    const owner = this.#options.keyOf(url, access);
    const known = this.#digests.get(`${owner} ${isForeign} ${archive}`);
    const kept =
      entry.digest === '' &&
      known !== undefined &&
      this.#clock.steady() - known.askedAt < this.#limits.freshMilliseconds
        ? await this.#cache.get(owner, known.digest)
        : undefined;
    if (kept !== undefined) return { bytes: kept, version: entry.version, digest: sha256(kept) };
    const answer = await this.#http.send({
      url: archive,
      owner: url,
      access,
      ...authorizationOf(access),
      passCredentials: passCredentials ?? false,
      isForeign,
      maxBytes: this.#limits.chartBytes,
      what: 'the chart',
    });
    if (answer.status !== 200) throw statusFault(answer.status, 'the chart', archive);
    const digest = sha256(answer.body);
    if (isDigest(entry.digest) && entry.digest !== digest)
      throw new Fault(
        'SOURCE_INVALID',
        `the chart "${chart}" ${entry.version} is not the one that the index names (sha256 ${digest} ` +
          `instead of ${entry.digest})`,
        { where: maskUrl(archive) },
      );
    await this.#cache.put(owner, digest, answer.body);
    this.#digests.set(`${owner} ${isForeign} ${archive}`, { digest, askedAt: this.#clock.steady() }, 1);
    return { bytes: answer.body, version: entry.version, digest };
  }

  /** Kept in memory; asked for again after its time, and then brought only where it changed. */
  #index(
    { repository: { url }, isForeign = false, maxAge = this.#limits.freshMilliseconds }: ChartRequest,
    access: RepositoryAccess,
  ): Promise<string> {
    const key = `index ${url} ${isForeign} ${fingerprint(access)}`;
    const known = this.#indexes.get(key);
    if (known !== undefined && this.#clock.steady() - known.askedAt < maxAge) return Promise.resolve(known.text);
    return this.#shared(key, async () => {
      const askedAt = this.#clock.steady();
      const answer = await this.#http.send({
        url: archiveUrl(url, 'index.yaml'),
        owner: url,
        access,
        ...authorizationOf(access),
        isForeign,
        maxBytes: this.#limits.indexBytes,
        what: 'the index',
        ...(known?.etag === undefined ? {} : { headers: { 'if-none-match': known.etag } }),
      });
      if (answer.status !== 200 && !(answer.status === 304 && known !== undefined))
        throw statusFault(answer.status, 'the index', url);
      const text = answer.status === 304 && known !== undefined ? known.text : answer.body.toString('utf8');
      this.#indexes.set(key, { text, askedAt, etag: answer.headers['etag'] ?? known?.etag }, text.length);
      return text;
    });
  }

  async #fromRegistry(request: ChartRequest, access: RepositoryAccess): Promise<Chart> {
    const {
      chart,
      repository: { url },
    } = request;
    const registry = new OciRegistry(this.#http, access, this.#limits, {
      ...ociName(url, chart, access),
      isForeign: request.isForeign ?? false,
    });
    const isFixed = isExactVersion(request.version) || request.version.startsWith('sha256:');
    const versions = isFixed ? [] : await registry.versions();
    const version = isFixed ? request.version : chooseVersion(request.version, versions);
    if (version === undefined) throw unknownVersion(chart, request.version, versions, registry.where);
    const key = `${registry.where} ${version} ${fingerprint(access)}`;
    const known = this.#digests.get(key);
    const isFresh =
      known !== undefined && this.#clock.steady() - known.askedAt < (request.maxAge ?? this.#limits.freshMilliseconds);
    const { digest } = isFresh ? known : await registry.chartLayer(version);
    if (!isFresh) this.#digests.set(key, { digest, askedAt: this.#clock.steady() }, 1);
    const owner = this.#owner(request, access);
    const cached = await this.#cache.get(owner, digest);
    if (cached !== undefined) return { bytes: cached, version, digest };
    const bytes = await registry.blob(digest);
    await this.#cache.put(owner, digest, bytes);
    return { bytes, version, digest };
  }

  /** A chart of a registry or an index belongs to those who open that one in the same way. */
  #owner({ repository: { url } }: ChartRequest, access: RepositoryAccess): string {
    return this.#options.keyOf(url, access);
  }

  /** Callers who want the same at the same time share it. */
  #shared<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.#pending.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const asked = work().finally(() => {
      this.#pending.delete(key);
    });
    this.#pending.set(key, asked);
    return asked;
  }
}

function authorizationOf(access: RepositoryAccess): { authorization?: string } {
  const authorization = access.bearerToken === undefined ? basicAuthorization(access) : `Bearer ${access.bearerToken}`;
  return authorization === undefined ? {} : { authorization };
}

/** User and password inside the address count where nothing else is known. */
function ownAccess(url: string, access: RepositoryAccess): RepositoryAccess {
  if (
    access.username !== undefined ||
    access.password !== undefined ||
    access.bearerToken !== undefined ||
    !/^https?:/i.test(url) ||
    !URL.canParse(url)
  )
    return access;
  const { username, password } = new URL(url);
  return username === ''
    ? access
    : { ...access, username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function statusFault(status: number, what: string, url: string): Fault {
  const where = maskUrl(url);
  if (status === 401 || status === 403 || status === 407)
    return new Fault('SOURCE_REFUSED', `the server does not take the credentials (status ${status})`, { where });
  if (status === 404 || status === 410)
    return new Fault('CHART_UNKNOWN', `the server does not have ${what} (status ${status})`, { where });
  return new Fault('SOURCE_UNREACHABLE', `the server answers ${status} for ${what}`, { where });
}
