import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import type { RepositoryAccess } from '../access/index.js';
import { basicAuthorization, type SourceHttpClient } from '../http/index.js';
import type { WholeResponse } from '../../net/http/index.js';
import type { SourceLimits } from '../common/index.js';
import { isDigest, sha256 } from './chart-cache.js';
import { challengeOf, tokenUrl } from './oci-challenge.js';
import type { OciName } from './oci-name.js';

const CHART_LAYERS: readonly string[] = ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip'];
const MANIFESTS = 'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json';
const IMAGES =
  `${MANIFESTS}, application/vnd.oci.image.index.v1+json, ` +
  'application/vnd.docker.distribution.manifest.list.v2+json';
const MAX_PAGES = 100;

/** A chart in a registry; whether its address stands in a repository. */
interface OciPlace extends OciName {
  readonly isForeign: boolean;
}

/** One talk with a registry about one repository: anonymous, basic or with a token, as the registry asks. */
export class OciRegistry {
  readonly #http: SourceHttpClient;
  readonly #access: RepositoryAccess;
  readonly #limits: SourceLimits;
  readonly #at: OciPlace;
  #authorization: string | undefined;

  constructor(http: SourceHttpClient, access: RepositoryAccess, limits: SourceLimits, at: OciPlace) {
    this.#http = http;
    this.#access = access;
    this.#limits = limits;
    this.#at = at;
  }

  get where(): string {
    return `${this.#at.registry.replace(/^https?/, 'oci')}/${this.#at.name}`;
  }

  /** The tags, `_` as the `+` that it stands for. */
  async versions(): Promise<string[]> {
    const tags: string[] = [];
    let path: string | undefined = `/v2/${this.#at.name}/tags/list`;
    for (let page = 0; path !== undefined && page < MAX_PAGES; page++) {
      const answer: WholeResponse = await this.#get(
        path,
        'application/json',
        this.#limits.answerBytes,
        'the list of tags',
      );
      const list = this.#json(answer.body).tags;
      if (isArray(list))
        tags.push(...list.filter((tag) => typeof tag === 'string').map((tag) => tag.replaceAll('_', '+')));
      path = nextPage(answer.headers['link']);
    }
    return tags;
  }

  /** The digest and size of the layer that is the chart. */
  async chartLayer(reference: string): Promise<{ digest: string; size: number }> {
    const tag = reference.startsWith('sha256:') ? reference : reference.replaceAll('+', '_');
    if (!/^(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|sha256:[0-9a-f]{64})$/.test(tag))
      throw this.#wrong('the version is no tag of a registry');
    const { body, headers } = await this.#get(
      `/v2/${this.#at.name}/manifests/${tag}`,
      MANIFESTS,
      this.#limits.answerBytes,
      'the manifest',
    );
    const promised = tag.startsWith('sha256:') ? tag : (headers['docker-content-digest'] ?? '');
    if (promised.startsWith('sha256:') && promised !== `sha256:${sha256(body)}`)
      throw this.#wrong('the manifest is not the one that the registry announced');
    const { layers } = this.#json(body);
    const layer = isArray(layers)
      ? layers.find(
          (entry): entry is JsonObject =>
            isObject(entry) && typeof entry.mediaType === 'string' && CHART_LAYERS.includes(entry.mediaType),
        )
      : undefined;
    const digest = typeof layer?.digest === 'string' ? layer.digest.replace(/^sha256:/, '') : '';
    if (!isDigest(digest)) throw this.#wrong('the artifact has no layer that is a Helm chart');
    const size = typeof layer?.size === 'number' ? layer.size : 0;
    if (size > this.#limits.chartBytes)
      throw new Fault('SOURCE_TOO_LARGE', `the chart has ${size} bytes; at most ${this.#limits.chartBytes} are read`, {
        where: this.where,
      });
    return { digest, size };
  }

  /** Whether a tag is there; a registry that hides what it has refuses instead. */
  async hasTag(tag: string): Promise<boolean> {
    try {
      await this.#get(`/v2/${this.#at.name}/manifests/${tag}`, IMAGES, this.#limits.answerBytes, 'the image');
      return true;
    } catch (error) {
      if (error instanceof Fault && error.code === 'CHART_UNKNOWN') return false;
      throw error;
    }
  }

  async blob(digest: string): Promise<Buffer> {
    const { body } = await this.#get(
      `/v2/${this.#at.name}/blobs/sha256:${digest}`,
      '*/*',
      this.#limits.chartBytes,
      'the chart',
    );
    if (sha256(body) !== digest) throw this.#wrong('the chart is not the one that the manifest names');
    return body;
  }

  async #get(path: string, accept: string, most: number, what: string): Promise<WholeResponse> {
    const send = (): Promise<WholeResponse> =>
      this.#http.send({
        url: `${this.#at.registry}${path}`,
        owner: this.#at.registry,
        access: this.#access,
        headers: { accept },
        maxBytes: most,
        what,
        isForeign: this.#at.isForeign,
        ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }),
      });
    let answer = await send();
    if (answer.status === 401 && this.#authorization === undefined) {
      this.#authorization = await this.#authorize(answer.headers['www-authenticate'] ?? '');
      answer = await send();
    }
    if (answer.status === 200) return answer;
    if (answer.status === 401 || answer.status === 403)
      throw new Fault('SOURCE_REFUSED', 'the registry does not take the credentials', { where: this.where });
    if (answer.status === 404)
      throw new Fault('CHART_UNKNOWN', `the registry does not have ${what}`, { where: this.where });
    throw new Fault('SOURCE_UNREACHABLE', `the registry answers ${answer.status} for ${what}`, { where: this.where });
  }

  async #authorize(header: string): Promise<string> {
    const basic =
      this.#access.bearerToken === undefined ? basicAuthorization(this.#access) : `Bearer ${this.#access.bearerToken}`;
    const challenge = challengeOf(header);
    if (challenge === undefined) {
      if (basic === undefined)
        throw new Fault('SOURCE_REFUSED', 'the registry asks for credentials, and none are known for it', {
          where: this.where,
        });
      return basic;
    }
    const url = tokenUrl(challenge, this.#at, this.where);
    const { status, body } = await this.#http.send({
      url,
      isForeign: this.#at.isForeign,
      access: url.startsWith(`${this.#at.registry}/`) ? this.#access : withoutTrust(this.#access),
      maxBytes: this.#limits.answerBytes,
      what: 'a token',
      ...(basic === undefined ? {} : { authorization: basic }),
    });
    const answer = status === 200 ? this.#json(body) : {};
    const token = typeof answer.token === 'string' ? answer.token : answer.access_token;
    if (typeof token !== 'string' || /[\s\0]/.test(token))
      throw new Fault('SOURCE_REFUSED', `the registry gives no token (status ${status})`, { where: this.where });
    return `Bearer ${token}`;
  }

  #json(body: Buffer): JsonObject {
    let value: Json;
    try {
      value = parseJson(body.toString('utf8'));
    } catch (cause) {
      throw new Fault('SOURCE_INVALID', 'the registry answers with something that is no JSON', {
        where: this.where,
        cause,
      });
    }
    return isObject(value) ? value : {};
  }

  #wrong(message: string): Fault {
    return new Fault('SOURCE_INVALID', message, { where: this.where });
  }
}

/** Client certificates and private authorities are for the registry, not for who gives its tokens. */
function withoutTrust({
  clientCertificate: _certificate,
  certificateAuthority: _authority,
  insecure: _insecure,
  ...rest
}: RepositoryAccess): RepositoryAccess {
  return rest;
}

/** Only the path counts: the next page is on the same server. */
function nextPage(link: string | undefined): string | undefined {
  const [, target] = /<([^<>]+)>\s*;[^,<]*rel="?next"?/i.exec(link ?? '') ?? [];
  if (target === undefined || !URL.canParse(target, 'http://registry')) return undefined;
  const { pathname, search } = new URL(target, 'http://registry');
  return `${pathname}${search}`;
}
