import { Fault } from '../../../model/faults/index.js';
import { textClaim, type Claims } from '../tokens/claims.js';
import { parseToken, type UnverifiedToken } from '../tokens/jwt.js';
import { challengeOf, openState, randomText, sameText, sealState } from './login-state.js';
import { readOidcConfig, type FindSecret, type OidcConfig, type OidcSettings } from './config.js';
import { Provider, type ProviderClock } from './provider.js';

export interface SsoOptions {
  /** `oidc.config` of argocd-cm. */
  readonly text: () => string;
  readonly findSecret: FindSecret;
  /** What states are sealed with. */
  readonly key: () => Buffer | undefined;
  readonly clock: ProviderClock;
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
}

const STATE_SECONDS = 600;
const MAX_USED_STATES = 10_000;

/** Login with an OpenID provider: authorization code with PKCE. Settings and secrets are read anew at every step. */
export class Sso {
  readonly #options: SsoOptions;
  #provider: { readonly key: string; readonly provider: Provider } | undefined;
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
    const location = new URL(authorization);
    const parameters = {
      response_type: 'code',
      client_id: config.clientId,
      redirect_uri: redirectUri,
      scope: config.scopes.join(' '),
      state,
      nonce,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      ...(config.idTokenClaims === undefined ? {} : { claims: JSON.stringify({ id_token: config.idTokenClaims }) }),
      ...(config.domainHint === '' ? {} : { domain_hint: config.domainHint }),
    };
    for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
    return {
      location: location.href,
      state: sealState({ state, nonce, verifier, redirectUri, returnUrl, until: this.#seconds() + STATE_SECONDS }, key),
    };
  }

  /** `sealed` is the cookie of who comes back. Refuses with a Fault that says nothing a stranger chose. */
  async completeLogin(
    sealed: string,
    given: { readonly code: string; readonly state: string },
  ): Promise<CompletedLogin> {
    const config = this.#config();
    const key = this.#options.key();
    const state = key === undefined ? undefined : openState(sealed, key);
    if (
      state === undefined ||
      !sameText(state.state, given.state) ||
      state.until < this.#seconds() ||
      !this.#use(state.state, state.until)
    )
      throw loginFault('this login was not started here, or has expired');
    const provider = this.#providerOf(config);
    const token = await provider.exchange(given.code, {
      redirectUri: state.redirectUri,
      verifier: state.verifier,
      config,
    });
    const unverified = parseToken(token);
    const proved =
      unverified === undefined
        ? { problem: 'it is no token' }
        : await provider.verify(unverified, { audiences: [config.clientId], skipsAudienceWhereNone: false });
    if ('problem' in proved) throw loginFault(`the token of the provider is invalid: ${proved.problem}`);
    if (!sameText(textClaim(proved.claims, 'nonce'), state.nonce))
      throw loginFault('the token of the provider belongs to another login');
    return { token, claims: proved.claims, returnUrl: state.returnUrl };
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
