import { Fault } from '../../../model/faults/index.js';
import { isArray, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { textClaim, type Claims } from '../tokens/claims.js';
import type { UnverifiedToken } from '../tokens/jwt.js';
import { lifetimeViolation } from '../tokens/lifetime.js';
import { isTrustworthy, type OidcConfig } from './config.js';
import { OidcHttpClient } from './http-client.js';
import { isSignedBy, readSigningKeys, type SigningKey } from './signing-keys.js';

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
  #endpoints: Cached<Endpoints> | undefined;
  #keys: Cached<readonly SigningKey[]> | undefined;

  constructor(issuer: string, rootCA: string, clock: ProviderClock) {
    this.#issuer = issuer;
    this.#clock = clock;
    this.#http = new OidcHttpClient(rootCA);
  }

  endpoints(): Promise<Endpoints> {
    this.#endpoints = this.#fresh(
      this.#endpoints,
      DISCOVERY_TTL,
      () => this.#discover(),
      () => {
        this.#endpoints = undefined;
      },
    );
    return this.#endpoints.value;
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

  /** Changes a code into an ID token. */
  async exchange(
    code: string,
    {
      redirectUri,
      verifier,
      config,
    }: { readonly redirectUri: string; readonly verifier: string; readonly config: OidcConfig },
  ): Promise<string> {
    const { token } = await this.endpoints();
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      client_id: config.clientId,
    });
    const { status, body } = await this.#http.post(
      token,
      form,
      config.clientSecret === '' ? {} : { authorization: basicAuthorization(config) },
    );
    const given = own(body, 'id_token');
    if (status !== 200)
      throw new Fault('SSO_REFUSED', `the provider does not exchange the code for a token: ${reasonOf(body, status)}`, {
        where: 'oidc.config of argocd-cm',
      });
    if (typeof given !== 'string')
      throw new Fault('SSO_REFUSED', 'the provider returned no ID token: requestedScopes needs openid', {
        where: 'oidc.config of argocd-cm',
      });
    return given;
  }

  async close(): Promise<void> {
    await this.#http.close();
  }

  async #isOurs(token: UnverifiedToken): Promise<boolean> {
    if (isSignedBy(await this.#signingKeys(DISCOVERY_TTL), token)) return true;
    // The provider may have a new key since.
    const { at } = this.#keys ?? { at: 0 };
    return (
      this.#clock.steady() - at >= MIN_KEY_REFRESH_INTERVAL &&
      isSignedBy(await this.#signingKeys(MIN_KEY_REFRESH_INTERVAL), token)
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

  async #discover(): Promise<Endpoints> {
    const where = `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { status, body } = await this.#http.get(where);
    if (status !== 200) throw new Fault('SSO_UNREACHABLE', `the provider answered ${status}`, { where });
    if (body.issuer !== this.#issuer)
      throw new Fault('SSO_UNREACHABLE', 'the issuer of the provider differs from that in oidc.config', {
        where,
      });
    const at = (name: string): string => {
      const address = own(body, name);
      if (typeof address !== 'string')
        throw new Fault('SSO_UNREACHABLE', `the provider has no ${name} in its discovery document`, { where });
      // Who is reached over TLS cannot send us somewhere else without.
      if (!isTrustworthy(address) || (this.#issuer.startsWith('https:') && !address.startsWith('https:')))
        throw new Fault('SSO_UNREACHABLE', `the ${name} of the provider is not an https URL`, { where });
      return address;
    };
    return { authorization: at('authorization_endpoint'), token: at('token_endpoint'), keys: at('jwks_uri') };
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

function basicAuthorization({ clientId, clientSecret }: OidcConfig): string {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** The provider's error code if it has the form of one; free text of a stranger is not passed on. */
function reasonOf(body: JsonObject, status: number): string {
  return typeof body.error === 'string' && /^[a-z_]{3,40}$/.test(body.error) ? body.error : `it answered ${status}`;
}
