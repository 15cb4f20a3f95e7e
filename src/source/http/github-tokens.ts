import { createSign } from 'node:crypto';
import { Fault } from '../../model/faults/index.js';
import { isObject, parseJson } from '../../model/json/index.js';
import type { Address, Clock } from '../common/index.js';
import type { SourceHttpClient } from './source-http-client.js';
import { fingerprint, type GitHubApp, type RepositoryAccess } from '../access/index.js';

interface Token {
  readonly value: string;
  /** By the steady clock. */
  readonly until: number;
}

const MARGIN = 5 * 60_000;
const MAX_LIFETIME = 60 * 60_000;

/** Exchanges the key of a GitHub App for tokens that open repositories for an hour. */
export class GitHubTokens {
  readonly #http: SourceHttpClient;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, Promise<Token>>();

  constructor(http: SourceHttpClient, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  /** The same access with a token in place of the app's key. */
  async exchange(access: RepositoryAccess, address: Address): Promise<RepositoryAccess> {
    const app = access.githubApp;
    if (
      app === undefined ||
      access.password !== undefined ||
      access.bearerToken !== undefined ||
      access.sshPrivateKey !== undefined
    )
      return access;
    const key = fingerprint(access);
    let token = await this.#tokens.get(key)?.catch(() => undefined);
    if (token === undefined || token.until - MARGIN < this.#clock.steady()) {
      const asked = this.#requestToken(app, access, address);
      this.#tokens.set(key, asked);
      token = await asked;
    }
    const { githubApp: _, ...rest } = access;
    return { ...rest, username: 'x-access-token', password: token.value, grant: key };
  }

  async #requestToken(app: GitHubApp, access: RepositoryAccess, address: Address): Promise<Token> {
    const where = address.host;
    if (app.installation === 0)
      throw new Fault('SOURCE_REFUSED', 'the Secret of the GitHub App lacks githubAppInstallationID', { where });
    const base = app.baseUrl === '' ? 'https://api.github.com' : app.baseUrl.replace(/(?<!\/)\/+$/, '');
    const { status, body } = await this.#http.send({
      url: `${base}/app/installations/${app.installation}/access_tokens`,
      method: 'POST',
      access,
      authorization: `Bearer ${this.#sign(app, where)}`,
      headers: { accept: 'application/vnd.github+json' },
      maxBytes: 1024 * 1024,
      what: 'a token of the GitHub App',
    });
    const answer = status === 201 ? parseJson(body.toString('utf8')) : undefined;
    if (!isObject(answer) || typeof answer.token !== 'string')
      throw new Fault('SOURCE_REFUSED', `GitHub gives no token for the app (status ${status})`, { where });
    const expires = typeof answer.expires_at === 'string' ? Date.parse(answer.expires_at) : Number.NaN;
    const lifetime = Number.isNaN(expires) ? MARGIN * 2 : expires - this.#clock.now().getTime();
    // A clock that is wrong, or is set right, must not make a token last longer than it does.
    return { value: answer.token, until: this.#clock.steady() + Math.min(lifetime, MAX_LIFETIME) };
  }

  #sign(app: GitHubApp, where: string): string {
    const now = Math.floor(this.#clock.now().getTime() / 1000);
    // A minute back: clocks differ.
    const parts = [
      { alg: 'RS256', typ: 'JWT' },
      { iat: now - 60, exp: now + 540, iss: String(app.id) },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    const text = parts.join('.');
    try {
      return `${text}.${createSign('RSA-SHA256').update(text).sign(app.privateKey, 'base64url')}`;
    } catch {
      // The reason would quote the key.
      throw new Fault('SOURCE_REFUSED', 'githubAppPrivateKey is no RSA key', { where });
    }
  }
}
