import { createHash, randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { writeJson, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { Exchange } from './http/exchange.js';
import { startDouble, type Double, type DoubleOptions } from './http/start-double.js';

export interface RegistryUser {
  readonly name: string;
  readonly password: string;
}

export interface RegistryOptions extends DoubleOptions {
  /** Image names with tags, as in `ameideio/transformation:dev`. */
  readonly images?: readonly string[];
  /** Repositories that only users may pull from. */
  readonly private?: readonly string[];
  readonly users?: readonly RegistryUser[];
  /**
   * How a stranger is refused. `ghcr`: gets no token for what it may not see. `docker`: gets one that opens nothing,
   * and is refused at the manifest.
   */
  readonly style?: 'ghcr' | 'docker';
}

export interface Registry extends Double {
  /** Makes a tag, as a pipeline that pushes an image; gives the digest of its manifest. */
  push(image: string): string;
  remove(image: string): void;
  /** So many manifests may still be pulled by strangers, and by each user; undefined for no limit. */
  limitPulls(left: number | undefined): void;
}

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const CONFIG = 'application/vnd.docker.container.image.v1+json';
const LAYER = 'application/vnd.docker.image.rootfs.diff.tar.gzip';
/** Docker Hub counts in windows of six hours. */
const WINDOW = 21_600;
const PULLS = 100;
const TOKEN_SECONDS = 300;
const EMPTY_TAR = Buffer.alloc(1024);

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** An image registry: manifests, tags, blobs, tokens and limits of pulls. */
export async function startRegistry(options: RegistryOptions = {}): Promise<Registry> {
  const state = new RegistryState(options);
  const double = await startDouble((exchange) => {
    state.answer(exchange);
  }, options);
  state.origin = double.url;
  return {
    ...double,
    push: (image) => state.push(image),
    remove: (image) => {
      state.remove(image);
    },
    limitPulls: (left) => {
      state.limitPulls(left);
    },
  };
}

interface Token {
  readonly user: string;
  /** What it was asked for and may be pulled. */
  readonly repositories: ReadonlySet<string>;
}

class RegistryState {
  origin = '';
  readonly #tags = new Map<string, Map<string, string>>();
  readonly #contents = new Map<string, Buffer>();
  readonly #tokens = new Map<string, Token>();
  readonly #pulls = new Map<string, number>();
  #limit: number | undefined;

  constructor(readonly options: RegistryOptions) {
    for (const image of options.images ?? []) this.push(image);
  }

  push(image: string): string {
    const { repository, tag } = splitImage(image);
    const layer = gzipSync(EMPTY_TAR);
    const config = jsonBytes({
      architecture: 'amd64',
      os: 'linux',
      created: '2025-01-01T00:00:00Z',
      config: { Labels: { 'org.opencontainers.image.ref.name': image } },
      rootfs: { type: 'layers', diff_ids: [digestOf(EMPTY_TAR)] },
    });
    const manifest = jsonBytes({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: CONFIG, size: config.length, digest: digestOf(config) },
      layers: [{ mediaType: LAYER, size: layer.length, digest: digestOf(layer) }],
    });
    for (const bytes of [layer, config, manifest]) this.#contents.set(digestOf(bytes), bytes);
    const tags = this.#tags.get(repository) ?? new Map<string, string>();
    this.#tags.set(repository, tags.set(tag, digestOf(manifest)));
    return digestOf(manifest);
  }

  remove(image: string): void {
    const { repository, tag } = splitImage(image);
    this.#tags.get(repository)?.delete(tag);
  }

  limitPulls(left: number | undefined): void {
    this.#limit = left;
    this.#pulls.clear();
  }

  answer(exchange: Exchange): void {
    exchange.response.setHeader('docker-distribution-api-version', 'registry/2.0');
    if (exchange.path === '/token') return this.#giveToken(exchange);
    if (!exchange.path.startsWith('/v2/')) return refuse(exchange, 404, 'UNSUPPORTED', 'The operation is unsupported.');
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD')
      return refuse(exchange, 405, 'UNSUPPORTED', 'The operation is unsupported.');
    const [, repository = '', what = '', reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs|tags)\/([^/]+)$/.exec(exchange.path) ?? [];
    const token = exchange.bearer === undefined ? undefined : this.#tokens.get(exchange.bearer);
    if (repository === '') return this.#base(exchange, token);
    if (token?.repositories.has(repository) !== true)
      return this.#challenge(exchange, repository, exchange.bearer === undefined ? undefined : tokenError(token));
    if (what === 'tags') return this.#listTags(exchange, repository);
    if (what === 'manifests') return this.#manifest(exchange, repository, reference, token.user);
    return this.#blob(exchange, reference);
  }

  #base(exchange: Exchange, token: Token | undefined): void {
    if (exchange.path !== '/v2/') return refuse(exchange, 404, 'UNSUPPORTED', 'The operation is unsupported.');
    return token === undefined ? this.#challenge(exchange) : exchange.send(200, {});
  }

  #challenge(exchange: Exchange, repository?: string, error?: string): void {
    const scope = repository === undefined ? '' : `,scope="repository:${repository}:pull"`;
    const challenge =
      `Bearer realm="${this.origin}/token",service="${new URL(this.origin).host}"${scope}` +
      (error === undefined ? '' : `,error="${error}"`);
    const detail: Json =
      repository === undefined ? null : [{ Type: 'repository', Class: '', Name: repository, Action: 'pull' }];
    refuse(exchange, 401, 'UNAUTHORIZED', 'authentication required', { 'www-authenticate': challenge }, detail);
  }

  #giveToken(exchange: Exchange): void {
    const given = exchange.basic;
    const isUser =
      given !== undefined &&
      (this.options.users ?? []).some(({ name, password }) => name === given.name && password === given.password);
    if (given !== undefined && !isUser) return refuse(exchange, 401, 'UNAUTHORIZED', 'authentication required');
    const wanted = exchange.query
      .getAll('scope')
      .flatMap((scope) => scope.split(' '))
      .flatMap((scope) => /^repository:([^:]+):/.exec(scope)?.[1] ?? []);
    // To a stranger a repository that is not there looks as one that is closed.
    const seen = wanted.filter(
      (repository) => isUser || (this.#tags.has(repository) && !(this.options.private ?? []).includes(repository)),
    );
    if (seen.length < wanted.length && (this.options.style ?? 'ghcr') === 'ghcr')
      return refuse(exchange, 401, 'UNAUTHORIZED', 'authentication required');
    const token = randomBytes(24).toString('base64url');
    this.#tokens.set(token, { user: given?.name ?? '', repositories: new Set(seen) });
    exchange.send(200, { token, access_token: token, expires_in: TOKEN_SECONDS, issued_at: new Date().toISOString() });
  }

  #listTags(exchange: Exchange, repository: string): void {
    const known = this.#tags.get(repository);
    if (known === undefined)
      return refuse(exchange, 404, 'NAME_UNKNOWN', 'repository name not known to registry', {}, { name: repository });
    const tags = [...known.keys()].sort();
    const size = Number(exchange.query.get('n') ?? tags.length);
    if (!Number.isInteger(size) || size < 0)
      return refuse(exchange, 400, 'PAGINATION_NUMBER_INVALID', 'invalid number of results requested', {}, { n: size });
    const start = tags.filter((tag) => tag <= (exchange.query.get('last') ?? '')).length;
    const page = tags.slice(start, start + size);
    const link =
      start + page.length < tags.length
        ? { link: `</v2/${repository}/tags/list?last=${page.at(-1) ?? ''}&n=${size}>; rel="next"` }
        : {};
    exchange.send(200, { name: repository, tags: page }, link);
  }

  #manifest(exchange: Exchange, repository: string, reference: string, user: string): void {
    const tags = this.#tags.get(repository);
    const digest = reference.startsWith('sha256:') ? reference : (tags?.get(reference) ?? '');
    const limits = this.#countPull(exchange, user);
    if (limits === 'exceeded') return;
    const bytes = tags === undefined ? undefined : this.#contents.get(digest);
    if (bytes === undefined)
      return refuse(
        exchange,
        404,
        'MANIFEST_UNKNOWN',
        'manifest unknown',
        limits,
        reference.startsWith('sha256:') ? { Name: repository, Revision: reference } : { Tag: reference },
      );
    sendBytes(exchange, bytes, {
      'content-type': MANIFEST,
      'docker-content-digest': digest,
      etag: `"${digest}"`,
      ...limits,
    });
  }

  /** Only what is fetched counts; asking whether it changed does not. */
  #countPull(exchange: Exchange, user: string): OutgoingHttpHeaders | 'exceeded' {
    if (this.#limit === undefined) return {};
    const done = this.#pulls.get(user) ?? 0;
    const left = Math.max(0, this.#limit - done - (exchange.method === 'GET' ? 1 : 0));
    const headers = {
      'ratelimit-limit': `${PULLS};w=${WINDOW}`,
      'ratelimit-remaining': `${left};w=${WINDOW}`,
      'docker-ratelimit-source': user === '' ? '127.0.0.1' : user,
    };
    if (exchange.method !== 'GET') return headers;
    if (done >= this.#limit) {
      const message =
        user === ''
          ? 'You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit'
          : 'You have reached your pull rate limit. You may increase the limit by upgrading: ' +
            'https://www.docker.com/increase-rate-limit';
      refuse(exchange, 429, 'TOOMANYREQUESTS', message, headers);
      return 'exceeded';
    }
    this.#pulls.set(user, done + 1);
    return headers;
  }

  #blob(exchange: Exchange, digest: string): void {
    const bytes = this.#contents.get(digest);
    if (bytes === undefined) return refuse(exchange, 404, 'BLOB_UNKNOWN', 'blob unknown to registry', {}, { digest });
    sendBytes(exchange, bytes, { 'content-type': 'application/octet-stream', 'docker-content-digest': digest });
  }
}

function splitImage(image: string): { readonly repository: string; readonly tag: string } {
  const [, repository = image, tag = 'latest'] = /^(.*?)(?::([^:/]+))?$/.exec(image) ?? [];
  return { repository, tag };
}

function jsonBytes(value: JsonObject): Buffer {
  return Buffer.from(writeJson(value));
}

function sendBytes({ method, response }: Exchange, bytes: Buffer, headers: OutgoingHttpHeaders): void {
  response.writeHead(200, { 'content-length': bytes.length, ...headers });
  response.end(method === 'HEAD' ? undefined : bytes);
}

function refuse(
  exchange: Exchange,
  status: number,
  code: string,
  message: string,
  headers: OutgoingHttpHeaders = {},
  detail: Json = null,
): void {
  exchange.send(status, { errors: [{ code, message, ...(detail === null ? {} : { detail }) }] }, headers);
}

function tokenError(token: Token | undefined): 'invalid_token' | 'insufficient_scope' {
  return token === undefined ? 'invalid_token' : 'insufficient_scope';
}
