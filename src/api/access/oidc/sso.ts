import { createHash } from 'node:crypto';
import { Fault } from '../../../model/faults/index.js';
import { own, type Json } from '../../../model/json/index.js';
import { textClaim, timeClaim, type Claims } from '../tokens/claims.js';
import type { UnverifiedToken } from '../tokens/jwt.js';
import { openState, randomText, sameText, sealState } from './login-state.js';
import { readOidcConfig, type FindSecret, type OidcConfig, type OidcSettings } from './config.js';
import { Provider, type ProviderClock } from './provider.js';
import type { SsoSession } from './sso-session.js';

export interface SsoOptions {
  /** `oidc.config` of argocd-cm. */
  readonly text: () => string;
  readonly findSecret: FindSecret;
  /** What states are sealed with. */
  readonly key: () => Buffer | undefined;
  readonly clock: ProviderClock;
  /** Seconds after a login for which a session may be renewed. */
  readonly sessionSeconds: () => number;
}

/** Where a login begins. */
export interface LoginRedirect {
  readonly location: string;
  /** Sealed, for a cookie. */
  readonly state: string;
}

/** How one ends. */
export interface CompletedLogin {
  readonly token: string;
  readonly claims: Claims;
  readonly returnUrl: string;
  readonly session: SsoSession;
}

export interface RenewedLogin {
  readonly token: string;
  readonly claims: Claims;
  readonly session: SsoSession;
}

const STATE_SECONDS = 600;
const MAX_USED_STATES = 10_000;
const MAX_USERS = 10_000;
const MAX_RENEWALS = 10_000;
/** Milliseconds for which requests with a refresh token that was replaced get the new tokens. */
const RENEWAL_SHARED = 60_000;

/** Login with an OpenID provider: authorization code with PKCE. Settings and secrets are read anew at every step. */
export class Sso {
  readonly #options: SsoOptions;
  #provider: { readonly key: string; readonly provider: Provider } | undefined;
  /** By the hash of the refresh token. */
  readonly #renewals = new Map<string, { readonly at: number; readonly tokens: ReturnType<Provider['refresh']> }>();
  /** Groups by subject, until they are read again. */
  readonly #userInfo = new Map<string, { readonly groups: Json; readonly until: number }>();
  /** States that came back, until they would have ended anyway. */
  readonly #used = new Map<string, number>();

  constructor(options: SsoOptions) {
    this.#options = options;
  }

  get settings(): OidcSettings {
    return readOidcConfig(this.#options.text(), this.#options.findSecret);
  }

  async beginLogin(redirectUri: string, returnUrl: string): Promise<LoginRedirect> {
    const config = this.#config();
    const { authorization } = await this.#providerOf(config).endpoints();
    const key = this.#options.key();
    if (key === undefined)
      throw new Fault('SSO_REFUSED', 'cannot start a login: argocd-secret has no server.secretkey', {
        where: 'argocd-secret',
      });
    const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
    const { calculatePKCECodeChallenge } = await import('./oauth.js');
    const location = new URL(authorization);
    const parameters = {
      response_type: 'code',
      client_id: config.clientId,
      redirect_uri: redirectUri,
      scope: config.scopes.join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(config.idTokenClaims === undefined ? {} : { claims: JSON.stringify({ id_token: config.idTokenClaims }) }),
      ...(config.domainHint === '' ? {} : { domain_hint: config.domainHint }),
    };
    for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
    return {
      location: location.href,
      state: await sealState(
        { state, nonce, verifier, redirectUri, returnUrl, until: this.#seconds() + STATE_SECONDS },
        key,
      ),
    };
  }

  /**
   * `sealed` is the cookie of who comes back, `callback` what the provider added to the address. Refuses with a Fault
   * that says nothing a stranger chose.
   */
  async completeLogin(sealed: string, callback: URLSearchParams): Promise<CompletedLogin> {
    const config = this.#config();
    const key = this.#options.key();
    const state = key === undefined ? undefined : await openState(sealed, key);
    if (
      state === undefined ||
      !sameText(state.state, callback.get('state') ?? '') ||
      state.until < this.#seconds() ||
      !this.#use(state.state, state.until)
    )
      throw loginFault('this login was not started here, or has expired');
    const tokens = await this.#providerOf(config).exchange(callback, { ...state, config });
    if ('problem' in tokens) throw loginFault(tokens.problem);
    this.#userInfo.delete(textClaim(tokens.claims, 'sub'));
    return {
      token: tokens.idToken,
      claims: tokens.claims,
      returnUrl: state.returnUrl,
      session: {
        issuer: config.issuer,
        subject: textClaim(tokens.claims, 'sub'),
        id: randomText(),
        refreshToken: tokens.refreshToken,
        accessToken: config.userInfo === undefined ? '' : tokens.accessToken,
        until: this.#seconds() + this.#options.sessionSeconds(),
      },
    };
  }

  /** Seconds before the end of an ID token from which on its session is renewed; 0 for never. */
  get refreshThreshold(): number {
    const { settings } = this;
    return settings === undefined || 'problem' in settings ? 0 : settings.config.refreshThreshold;
  }

  /**
   * New tokens for a session, of the same user. Requests that come together share one answer, and so do those that were
   * under way with the refresh token that it replaced: many providers take each of them once.
   */
  async renew(session: SsoSession): Promise<RenewedLogin | { readonly ended: string }> {
    const config = this.#config();
    if (session.refreshToken === '') return { ended: 'the provider gave no refresh token' };
    const key = createHash('sha256').update(session.refreshToken).digest('base64');
    const at = this.#options.clock.steady();
    for (const [each, { at: since }] of this.#renewals)
      if (at - since > RENEWAL_SHARED || this.#renewals.size > MAX_RENEWALS) this.#renewals.delete(each);
    const known = this.#renewals.get(key) ?? {
      at,
      tokens: this.#providerOf(config).refresh(session.refreshToken, config),
    };
    this.#renewals.set(key, known);
    // A provider that cannot be reached may be there for the next request.
    known.tokens.catch(() => this.#renewals.delete(key));
    const tokens = await known.tokens;
    if ('ended' in tokens) return tokens;
    if (textClaim(tokens.claims, 'sub') !== session.subject) return { ended: 'the provider renewed another user' };
    return {
      token: tokens.idToken,
      claims: tokens.claims,
      session: {
        ...session,
        accessToken: config.userInfo === undefined ? '' : tokens.accessToken,
        refreshToken: tokens.refreshToken === '' ? session.refreshToken : tokens.refreshToken,
      },
    };
  }

  /**
   * The claims with the groups of the provider's user info, where the settings ask for them. Undefined where nobody can
   * know them: the access token is absent or not taken any more.
   */
  async withGroups(claims: Claims, accessToken: string): Promise<Claims | undefined> {
    const config = this.#config();
    if (config.userInfo === undefined) return claims;
    const subject = textClaim(claims, 'sub');
    const now = this.#seconds();
    const known = this.#userInfo.get(subject);
    if (known !== undefined && known.until > now) return { ...claims, groups: known.groups };
    if (accessToken === '') return undefined;
    const info = await this.#providerOf(config).userInfo(accessToken, subject, config.userInfo.path, config);
    if (info === undefined) return undefined;
    const groups = own(info, 'groups') ?? [];
    const { cacheSeconds } = config.userInfo;
    const end = timeClaim(claims, 'exp') ?? now;
    for (const [each, { until }] of this.#userInfo)
      if (until <= now || this.#userInfo.size >= MAX_USERS) this.#userInfo.delete(each);
    this.#userInfo.set(subject, { groups, until: cacheSeconds === 0 ? end : Math.min(end, now + cacheSeconds) });
    return { ...claims, groups };
  }

  /** Whether a token is one that the provider gave to us or to a client that we trust. */
  async verify(token: UnverifiedToken): Promise<{ readonly claims: Claims } | { readonly problem: string }> {
    const settings = this.settings;
    if (settings === undefined) return { problem: 'SSO is not configured' };
    return 'problem' in settings
      ? { problem: settings.problem }
      : this.#providerOf(settings.config).verify(token, settings.config);
  }

  async close(): Promise<void> {
    await this.#provider?.provider.close();
  }

  #config(): OidcConfig {
    const settings = this.settings;
    if (settings === undefined)
      throw new Fault('SSO_REFUSED', 'SSO is not configured', { where: 'oidc.config of argocd-cm' });
    if ('problem' in settings) throw new Fault('SSO_REFUSED', settings.problem, { where: 'argocd-cm' });
    return settings.config;
  }

  /** The same as long as the settings name the same. */
  #providerOf({ issuer, rootCA }: OidcConfig): Provider {
    const key = `${issuer}\n${rootCA}`;
    if (this.#provider?.key === key) return this.#provider.provider;
    void this.#provider?.provider.close();
    this.#provider = { key, provider: new Provider(issuer, rootCA, this.#options.clock) };
    return this.#provider.provider;
  }

  /** False where it was used before. */
  #use(state: string, until: number): boolean {
    if (this.#used.has(state)) return false;
    const now = this.#seconds();
    for (const [each, end] of this.#used) if (end < now || this.#used.size >= MAX_USED_STATES) this.#used.delete(each);
    this.#used.set(state, until);
    return true;
  }

  #seconds(): number {
    return Math.floor(this.#options.clock.now() / 1000);
  }
}

function loginFault(message: string): Fault {
  return new Fault('SSO_REFUSED', message, { where: 'login' });
}
