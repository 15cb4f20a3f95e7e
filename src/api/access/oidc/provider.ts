import type { AuthorizationServer, Client, ClientAuth, TokenEndpointResponse } from 'oauth4webapi';
import { Fault } from '../../../model/faults/index.js';
import { isArray, isObject, own, parseJson, type Json, type JsonObject } from '../../../model/json/index.js';
import { textClaim, type Claims } from '../tokens/claims.js';
import { parseToken, type UnverifiedToken } from '../tokens/jwt.js';
import { lifetimeViolation } from '../tokens/lifetime.js';
import { isTrustworthy, type OidcConfig } from './config.js';
import { OidcHttpClient } from './http-client.js';
import { ALGORITHMS, isSignedBy, readSigningKeys, type SigningKey } from './signing-keys.js';

type OAuth = typeof import('./oauth.js');

export interface Tokens {
  readonly idToken: string;
  readonly accessToken: string;
  /** Empty where the provider gives none. */
  readonly refreshToken: string;
}

/** What was remembered of a login on its way. */
interface CodeExchange {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly config: OidcConfig;
}

export interface Endpoints {
  readonly authorization: string;
  readonly token: string;
  readonly keys: string;
}

export interface ProviderClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that only grow. */
  steady(): number;
}

/** Milliseconds that the provider's own description and keys are taken as they were read. */
const DISCOVERY_TTL = 10 * 60_000;
/**
 * A token with an unknown key makes us ask for keys, but not more often than this: strangers can send such tokens too.
 */
const MIN_KEY_REFRESH_INTERVAL = 5_000;
/** Seconds that clocks may differ. */
export const CLOCK_SKEW = 30;

interface Cached<T> {
  readonly at: number;
  readonly value: Promise<T>;
}

/**
 * One OpenID provider: where its doors are, and whether a token is its own. Asks only the issuer that the settings
 * name, and what that one names.
 */
export class Provider {
  readonly #http: OidcHttpClient;
  readonly #clock: ProviderClock;
  readonly #issuer: string;
  #server: Cached<AuthorizationServer> | undefined;
  #keys: Cached<readonly SigningKey[]> | undefined;

  constructor(issuer: string, rootCA: string, clock: ProviderClock) {
    this.#issuer = issuer;
    this.#clock = clock;
    this.#http = new OidcHttpClient(rootCA);
  }

  async endpoints(): Promise<Endpoints> {
    const {
      authorization_endpoint: authorization = '',
      token_endpoint: token = '',
      jwks_uri: keys = '',
    } = await this.#metadata();
    return { authorization, token, keys };
  }

  /** The claims of a token that this provider issued to one of `audiences`; otherwise what is wrong. */
  async verify(
    token: UnverifiedToken,
    { audiences, skipsAudienceWhereNone }: Pick<OidcConfig, 'audiences' | 'skipsAudienceWhereNone'>,
  ): Promise<{ readonly claims: Claims } | { readonly problem: string }> {
    const { claims } = token;
    if (textClaim(claims, 'iss') !== this.#issuer) return { problem: 'it has another issuer' };
    const audience = audienceOf(own(claims, 'aud'));
    if (audience === undefined ? !skipsAudienceWhereNone : !audience.some((each) => audiences.includes(each)))
      return { problem: 'it was issued for another client' };
    const times =
      own(claims, 'exp') === undefined
        ? 'without valid times'
        : lifetimeViolation(claims, Math.floor(this.#clock.now() / 1000), { behind: CLOCK_SKEW, ahead: CLOCK_SKEW });
    if (times !== undefined) return { problem: `token is ${times}` };
    if (textClaim(claims, 'sub') === '') return { problem: 'it names nobody' };
    return (await this.#isOurs(token)) ? { claims } : { problem: 'signature is invalid' };
  }

  /** Changes what a browser came back with into tokens. `problem` says why the ID token is not taken. */
  async exchange(
    callback: URLSearchParams,
    { state, nonce, verifier, redirectUri, config }: CodeExchange,
  ): Promise<(Tokens & { readonly claims: Claims }) | { readonly problem: string }> {
    const [oauth, server] = await Promise.all([import('./oauth.js'), this.#metadata()]);
    const client = this.#client(oauth, config);
    const response = await oauth
      .authorizationCodeGrantRequest(
        server,
        client,
        authenticationOf(oauth, config),
        oauth.validateAuthResponse(server, client, callback, state),
        redirectUri,
        verifier,
        this.#options(oauth),
      )
      .catch((error: unknown) => {
        throw error instanceof Fault
          ? error
          : new Fault('SSO_REFUSED', 'what the provider sent back is no answer to this login', {
              where: 'login',
              cause: error,
            });
      });
    // First by ourselves: the library does not look at the signature of a token that came over TLS.
    const proved =
      response.status === 200 ? await this.#verifyLogin(await bodyOf(response), nonce, config) : { claims: {} };
    if ('problem' in proved) return proved;
    const tokens = await oauth
      .processAuthorizationCodeResponse(server, client, response, { expectedNonce: nonce, requireIdToken: true })
      .catch((error: unknown) => {
        throw refusal(oauth, error, 'the provider does not exchange the code for a token');
      });
    return { ...tokensOf(tokens), claims: proved.claims };
  }

  /** New tokens for the same user; `ended` where the provider gives none any more. */
  async refresh(
    refreshToken: string,
    config: OidcConfig,
  ): Promise<(Tokens & { readonly claims: Claims }) | { readonly ended: string }> {
    const [oauth, server] = await Promise.all([import('./oauth.js'), this.#metadata()]);
    const client = this.#client(oauth, config);
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authenticationOf(oauth, config),
      refreshToken,
      this.#options(oauth),
    );
    if (response.status >= 500)
      throw new Fault('SSO_UNREACHABLE', `the provider answered ${response.status}`, { where: server.issuer });
    try {
      const tokens = tokensOf(await oauth.processRefreshTokenResponse(server, client, response));
      const proved = await this.#verifyText(tokens.idToken, config);
      return 'problem' in proved ? { ended: proved.problem } : { ...tokens, claims: proved.claims };
    } catch (error) {
      return { ended: refusal(oauth, error, 'the provider does not renew the session').message };
    }
  }

  /** What the provider says of a user now; undefined where it does not take the access token any more. */
  async userInfo(
    accessToken: string,
    subject: string,
    path: string,
    config: OidcConfig,
  ): Promise<JsonObject | undefined> {
    const [oauth, metadata] = await Promise.all([import('./oauth.js'), this.#metadata()]);
    const endpoint = path === '' ? metadata.userinfo_endpoint : `${this.#issuer.replace(/\/$/, '')}${path}`;
    if (endpoint === undefined || !this.#isTrusted(endpoint))
      throw new Fault('SSO_REFUSED', 'the provider names no user info endpoint that is reached over https', {
        where: 'userInfoPath in oidc.config of argocd-cm',
      });
    const server = { ...metadata, userinfo_endpoint: endpoint };
    const client = this.#client(oauth, config);
    const response = await oauth.userInfoRequest(server, client, accessToken, this.#options(oauth));
    if (response.status === 401 || response.status === 403) return undefined;
    if (response.status !== 200)
      throw new Fault('SSO_UNREACHABLE', `the provider answered ${response.status} for the user info`, {
        where: endpoint,
      });
    const isSigned = response.headers.get('content-type') === 'application/jwt';
    const token = isSigned ? parseToken((await response.clone().text()).trim()) : undefined;
    if (isSigned && (token === undefined || !(await this.#isOurs(token))))
      throw new Fault('SSO_REFUSED', 'the user info of the provider is not signed by it', { where: endpoint });
    try {
      const claims = await oauth.processUserInfoResponse(server, client, subject, response);
      return parseObject(JSON.stringify(claims));
    } catch (error) {
      throw new Fault('SSO_REFUSED', 'the user info of the provider is about somebody else, or unreadable', {
        where: endpoint,
        cause: error,
      });
    }
  }

  async close(): Promise<void> {
    await this.#http.close();
  }

  async #isOurs(token: UnverifiedToken): Promise<boolean> {
    if (await isSignedBy(await this.#signingKeys(DISCOVERY_TTL), token)) return true;
    // The provider may have a new key since.
    const { at } = this.#keys ?? { at: 0 };
    return (
      this.#clock.steady() - at >= MIN_KEY_REFRESH_INTERVAL &&
      (await isSignedBy(await this.#signingKeys(MIN_KEY_REFRESH_INTERVAL), token))
    );
  }

  #signingKeys(within: number): Promise<readonly SigningKey[]> {
    this.#keys = this.#fresh(
      this.#keys,
      within,
      () => this.#readKeys(),
      () => {
        this.#keys = undefined;
      },
    );
    return this.#keys.value;
  }

  /** What was read lately, or is being read; a reading that fails is forgotten. */
  #fresh<T>(known: Cached<T> | undefined, within: number, read: () => Promise<T>, forget: () => void): Cached<T> {
    const at = this.#clock.steady();
    if (known !== undefined && at - known.at < within) return known;
    const value = read();
    value.catch(forget);
    return { at, value };
  }

  async #verifyLogin(body: JsonObject, nonce: string, config: OidcConfig): ReturnType<Provider['verify']> {
    const given = own(body, 'id_token');
    if (typeof given !== 'string')
      throw new Fault('SSO_REFUSED', 'the provider returned no ID token: requestedScopes needs openid', {
        where: 'oidc.config of argocd-cm',
      });
    const proved = await this.#verifyText(given, config);
    if ('problem' in proved) return { problem: `the token of the provider is invalid: ${proved.problem}` };
    return textClaim(proved.claims, 'nonce') === nonce
      ? proved
      : { problem: 'the token of the provider belongs to another login' };
  }

  async #verifyText(text: string, { clientId }: OidcConfig): ReturnType<Provider['verify']> {
    const token = parseToken(text);
    return token === undefined
      ? { problem: 'it is no token' }
      : this.verify(token, { audiences: [clientId], skipsAudienceWhereNone: false });
  }

  #client(oauth: OAuth, { clientId }: OidcConfig): Client {
    return {
      client_id: clientId,
      // The clock that counts is the one we are given.
      [oauth.clockSkew]: Math.round((this.#clock.now() - Date.now()) / 1000),
      [oauth.clockTolerance]: CLOCK_SKEW,
    };
  }

  #options(oauth: OAuth): object {
    return {
      [oauth.customFetch]: (...[url, options]: Parameters<OidcHttpClient['fetch']>) => this.#http.fetch(url, options),
      // Settings with http are taken for loopback only; from https nothing leads to http.
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that nobody uses it lightly
      ...(this.#issuer.startsWith('http:') ? { [oauth.allowInsecureRequests]: true } : {}),
    };
  }

  /** Who is reached over TLS cannot send us somewhere else without. */
  #isTrusted(address: string): boolean {
    return isTrustworthy(address) && (!this.#issuer.startsWith('https:') || address.startsWith('https:'));
  }

  #metadata(): Promise<AuthorizationServer> {
    this.#server = this.#fresh(
      this.#server,
      DISCOVERY_TTL,
      () => this.#discover(),
      () => {
        this.#server = undefined;
      },
    );
    return this.#server.value;
  }

  async #discover(): Promise<AuthorizationServer> {
    const oauth = await import('./oauth.js');
    const where = `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const issuer = new URL(this.#issuer);
    const response = await oauth.discoveryRequest(issuer, this.#options(oauth));
    if (response.status !== 200)
      throw new Fault('SSO_UNREACHABLE', `the provider answered ${response.status}`, { where });
    const server = await oauth.processDiscoveryResponse(issuer, response).catch(() => undefined);
    if (server?.issuer !== this.#issuer)
      throw new Fault('SSO_UNREACHABLE', 'the issuer of the provider differs from that in oidc.config', { where });
    for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
      const address = server[name];
      if (typeof address !== 'string')
        throw new Fault('SSO_UNREACHABLE', `the provider has no ${name} in its discovery document`, { where });
      if (!this.#isTrusted(address))
        throw new Fault('SSO_UNREACHABLE', `the ${name} of the provider is not an https URL`, { where });
    }
    return {
      ...server,
      id_token_signing_alg_values_supported: server.id_token_signing_alg_values_supported ?? ALGORITHMS,
    };
  }

  async #readKeys(): Promise<readonly SigningKey[]> {
    const { keys: where } = await this.endpoints();
    const { status, body } = await this.#http.get(where);
    if (status !== 200) throw new Fault('SSO_UNREACHABLE', `the provider returned ${status} for its keys`, { where });
    return readSigningKeys(body);
  }
}

function audienceOf(value: Json | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return [value];
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function authenticationOf(oauth: OAuth, { clientSecret }: OidcConfig): ClientAuth {
  return clientSecret === '' ? oauth.None() : oauth.ClientSecretBasic(clientSecret);
}

async function bodyOf(response: Response): Promise<JsonObject> {
  return response.body === null ? {} : parseObject(await response.clone().text());
}

function parseObject(text: string): JsonObject {
  const value = parseJson(text);
  return isObject(value) ? value : {};
}

function tokensOf({ id_token: idToken = '', access_token, refresh_token = '' }: TokenEndpointResponse): Tokens {
  return { idToken, accessToken: access_token, refreshToken: refresh_token };
}

/** The provider's error code if it has the form of one; free text of a stranger is not passed on. */
function refusal(oauth: OAuth, error: unknown, what: string): Fault {
  const isAnswer = error instanceof oauth.ResponseBodyError;
  const reason = isAnswer && /^[a-z_]{3,40}$/.test(error.error) ? error.error : 'its answer is not as it must be';
  return new Fault(
    'SSO_REFUSED',
    `${what}: ${isAnswer && reason !== error.error ? `it answered ${error.status}` : reason}`,
    {
      where: 'oidc.config of argocd-cm',
      cause: error,
    },
  );
}
