import { createHash, randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../src/model/json/index.js';
import type { Exchange } from '../http/exchange.js';
import { userClaims, type AuthorizationRequest, type Client, type Realm, type Session } from './realm.js';

const ACCESS_SECONDS = 300;
const REFRESH_SECONDS = 1800;
const CODE_SECONDS = 60;

/** What is wrong with a request to the token endpoint. */
class OAuthError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly description: string,
  ) {
    super(description);
  }
}

const notValid = (description: string): OAuthError => new OAuthError(400, 'invalid_grant', description);

/** The OIDC side of one realm: discovery, keys, login, tokens, user info. */
export class OidcProvider {
  constructor(
    readonly realm: Realm,
    readonly issuer: string,
    readonly now: () => Date,
  ) {}

  /** `part` is what stands behind the realm; false where nothing is served there. */
  async answer(part: string, exchange: Exchange): Promise<boolean> {
    const endpoint = /^\/protocol\/openid-connect\/(\w+)$/.exec(part)?.[1];
    if (part === '')
      exchange.send(200, {
        realm: this.realm.name,
        public_key: this.realm.keys.publicKeyText,
        'token-service': `${this.issuer}/protocol/openid-connect`,
        'account-service': `${this.issuer}/account`,
        'tokens-not-before': 0,
      });
    else if (part === '/.well-known/openid-configuration') exchange.send(200, this.#discovery());
    else if (endpoint === 'certs') exchange.send(200, this.realm.keys.jwks());
    else if (endpoint === 'auth') this.#authorize(exchange);
    else if (part === '/login-actions/authenticate') await this.#logIn(exchange);
    else if (endpoint === 'token') await this.#token(exchange);
    else if (endpoint === 'userinfo') this.#userInfo(exchange);
    else if (endpoint === 'logout') this.#logOut(exchange);
    else return false;
    return true;
  }

  #discovery(): JsonObject {
    const at = (name: string): string => `${this.issuer}/protocol/openid-connect/${name}`;
    return {
      issuer: this.issuer,
      authorization_endpoint: at('auth'),
      token_endpoint: at('token'),
      userinfo_endpoint: at('userinfo'),
      end_session_endpoint: at('logout'),
      jwks_uri: at('certs'),
      grant_types_supported: ['authorization_code', 'refresh_token', 'password', 'client_credentials'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['plain', 'S256'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access', 'groups'].filter((scope) =>
        this.realm.knowsScopes(scope),
      ),
      claims_supported: ['aud', 'sub', 'iss', 'auth_time', 'name', 'preferred_username', 'email', 'groups'],
    };
  }

  #authorize(exchange: Exchange): void {
    const { query } = exchange;
    const client = this.realm.clientById(query.get('client_id') ?? '');
    const redirectUri = query.get('redirect_uri') ?? '';
    if (client === undefined) return page(exchange, 400, '<p class="instruction">Client not found.</p>');
    // Never sent to an address that the client did not register.
    if (
      !client.redirectUris.some((each) =>
        each.endsWith('*') ? redirectUri.startsWith(each.slice(0, -1)) : each === redirectUri,
      )
    )
      return page(exchange, 400, '<p class="instruction">Invalid parameter: redirect_uri</p>');
    const request: AuthorizationRequest = {
      client,
      redirectUri,
      scope: query.get('scope') ?? '',
      state: query.get('state'),
      nonce: query.get('nonce') ?? '',
      challenge: query.get('code_challenge') ?? '',
      challengeMethod: query.get('code_challenge_method') ?? 'plain',
    };
    if (query.get('response_type') !== 'code')
      return this.#sendBack(exchange, request, { error: 'unsupported_response_type' });
    if (!this.realm.knowsScopes(request.scope))
      return this.#sendBack(exchange, request, {
        error: 'invalid_scope',
        error_description: `Invalid scopes: ${request.scope}`,
      });
    const login = randomUUID();
    this.realm.logins.set(login, request);
    this.#showLogin(exchange, login, '');
  }

  #showLogin(exchange: Exchange, login: string, problem: string): void {
    const action = `${this.issuer}/login-actions/authenticate?session_code=${login}`;
    page(
      exchange,
      200,
      `${problem === '' ? '' : `<span id="input-error">${problem}</span>`}<form id="kc-form-login" ` +
        `action="${action}" method="post"><input name="username"><input name="password" ` +
        'type="password"><input name="login" type="submit" value="Sign In"></form>',
    );
  }

  async #logIn(exchange: Exchange): Promise<void> {
    const login = exchange.query.get('session_code') ?? '';
    const request = this.realm.logins.get(login);
    if (request === undefined)
      return page(
        exchange,
        400,
        '<p class="instruction">Your login attempt timed out. Login will start from the beginning.</p>',
      );
    const form = await exchange.form();
    const user = this.realm.userWith(form.get('username') ?? '', form.get('password') ?? '');
    if (user === undefined) return this.#showLogin(exchange, login, 'Invalid username or password.');
    this.realm.logins.delete(login);
    const session = this.realm.openSession(user, request.client, request.scope, request.nonce);
    const code = `${randomUUID()}.${session.id}.${request.client.id}`;
    this.realm.codes.set(code, { request, session, until: this.#seconds() + CODE_SECONDS });
    this.#sendBack(exchange, request, { session_state: session.id, code });
  }

  #sendBack(
    { response }: Exchange,
    { redirectUri, state }: AuthorizationRequest,
    parts: Readonly<Record<string, string>>,
  ): void {
    const target = new URL(redirectUri);
    for (const [name, value] of Object.entries({ ...(state === null ? {} : { state }), ...parts, iss: this.issuer }))
      target.searchParams.set(name, value);
    response.writeHead(302, { location: target.href, 'cache-control': 'no-store' }).end();
  }

  async #token(exchange: Exchange): Promise<void> {
    try {
      const form = await exchange.form();
      const client = this.#client(exchange, form);
      const session = this.#granted(form, client);
      exchange.send(200, this.#tokens(session), { 'cache-control': 'no-store', pragma: 'no-cache' });
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      exchange.send(
        error.status,
        { error: error.code, error_description: error.description },
        { 'cache-control': 'no-store', pragma: 'no-cache' },
      );
    }
  }

  #client(exchange: Exchange, form: URLSearchParams): Client {
    const given = exchange.basic;
    const clientId = given === undefined ? form.get('client_id') : decodeURIComponent(given.name);
    const secret = given === undefined ? form.get('client_secret') : decodeURIComponent(given.password);
    const client = this.realm.clientById(clientId ?? '');
    if (client === undefined)
      throw new OAuthError(401, 'invalid_client', 'Invalid client or Invalid client credentials');
    if (!client.isPublic && secret !== client.secret)
      throw new OAuthError(401, 'unauthorized_client', 'Invalid client or Invalid client credentials');
    return client;
  }

  #granted(form: URLSearchParams, client: Client): Session {
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return this.#byCode(form, client);
      case 'refresh_token':
        return this.#byRefresh(form, client);
      case 'password': {
        const user = this.realm.userWith(form.get('username') ?? '', form.get('password') ?? '');
        if (user === undefined) throw new OAuthError(401, 'invalid_grant', 'Invalid user credentials');
        return this.realm.openSession(user, client, form.get('scope') ?? 'profile email');
      }
      case 'client_credentials': {
        if (client.isPublic)
          throw new OAuthError(401, 'unauthorized_client', 'Public client not allowed to retrieve service account');
        return this.realm.openSession(
          { id: client.id, username: `service-account-${client.clientId}`, password: '', email: '', groups: [] },
          client,
          form.get('scope') ?? 'profile email',
        );
      }
      case null:
        throw new OAuthError(400, 'invalid_request', 'Missing form parameter: grant_type');
      default:
        throw new OAuthError(400, 'unsupported_grant_type', 'Unsupported grant_type');
    }
  }

  #byCode(form: URLSearchParams, client: Client): Session {
    const code = form.get('code');
    if (code === null) throw new OAuthError(400, 'invalid_request', 'Missing parameter: code');
    const known = this.realm.codes.get(code);
    this.realm.codes.delete(code);
    if (known === undefined) throw notValid('Code not valid');
    if (known.until < this.#seconds()) throw notValid('Code is expired');
    if (known.request.redirectUri !== form.get('redirect_uri')) throw notValid('Incorrect redirect_uri');
    if (known.request.client !== client) throw notValid('Auth error: Found different client_id in clientSession');
    checkProof(known.request, form.get('code_verifier'));
    return known.session;
  }

  #byRefresh(form: URLSearchParams, client: Client): Session {
    const claims = this.realm.keys.verify(form.get('refresh_token') ?? '');
    if (claims?.typ !== 'Refresh') throw notValid('Invalid refresh token');
    if (Number(claims.exp) <= this.#seconds()) throw notValid('Token is not active');
    const session = this.realm.sessions.get(String(claims.sid));
    if (session === undefined) throw notValid('Session not active');
    if (this.realm.revokesRefreshTokens && session.refreshId !== claims.jti) {
      this.realm.sessions.delete(session.id);
      throw notValid('Maximum allowed refresh token reuse exceeded');
    }
    if (session.client !== client)
      throw notValid("Invalid refresh token. Token client and authorized client don't match");
    return session;
  }

  #tokens(session: Session): JsonObject {
    const { client, user, scope, nonce, id } = session;
    const issued = this.#seconds();
    const common = { iat: issued, jti: randomUUID(), iss: this.issuer, sub: user.id, azp: client.clientId, sid: id };
    const { groups, ...others } = userClaims(session);
    const claims = { ...others, ...(groups === undefined || this.realm.groupsInUserInfoOnly ? {} : { groups }) };
    session.refreshId = randomUUID();
    const sign = (more: JsonObject): string => this.realm.keys.sign({ ...common, ...more });
    const isOpenId = scope.split(' ').includes('openid');
    return {
      access_token: sign({ ...claims, exp: issued + ACCESS_SECONDS, aud: 'account', typ: 'Bearer', scope }),
      expires_in: ACCESS_SECONDS,
      refresh_expires_in: REFRESH_SECONDS,
      refresh_token: sign({
        jti: session.refreshId,
        exp: issued + REFRESH_SECONDS,
        aud: this.issuer,
        typ: 'Refresh',
        scope,
      }),
      token_type: 'Bearer',
      ...(isOpenId
        ? {
            id_token: sign({
              ...claims,
              exp: issued + ACCESS_SECONDS,
              aud: client.clientId,
              typ: 'ID',
              auth_time: issued,
              ...(nonce === '' ? {} : { nonce }),
            }),
          }
        : {}),
      'not-before-policy': 0,
      session_state: id,
      scope,
    };
  }

  /** The session of an access token that still holds. */
  sessionOf(token: string | undefined): Session | undefined {
    const claims = token === undefined ? undefined : this.realm.keys.verify(token);
    if (claims?.typ !== 'Bearer' || claims.iss !== this.issuer || Number(claims.exp) <= this.#seconds())
      return undefined;
    return this.realm.sessions.get(String(claims.sid));
  }

  #userInfo(exchange: Exchange): void {
    const session = this.sessionOf(exchange.bearer);
    if (exchange.bearer === undefined)
      exchange.send(401, undefined, { 'www-authenticate': `Bearer realm="${this.realm.name}"` });
    else if (session === undefined)
      exchange.send(
        401,
        { error: 'invalid_token', error_description: 'Token verification failed' },
        {
          'www-authenticate':
            `Bearer realm="${this.realm.name}", error="invalid_token", error_description="Token verification ` +
            'failed"',
        },
      );
    else if (!session.scope.split(' ').includes('openid'))
      exchange.send(403, { error: 'insufficient_scope', error_description: 'Missing openid scope' });
    else exchange.send(200, { sub: session.user.id, ...userClaims(session) });
  }

  #logOut(exchange: Exchange): void {
    const claims = this.realm.keys.verify(exchange.query.get('id_token_hint') ?? '');
    if (claims !== undefined) this.realm.sessions.delete(String(claims.sid));
    page(exchange, 200, '<p class="instruction">You are logged out</p>');
  }

  #seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}

/** PKCE: who exchanges the code must be who asked for it. */
function checkProof({ challenge, challengeMethod }: AuthorizationRequest, verifier: string | null): void {
  if (challenge === '') {
    if (verifier !== null) throw notValid('PKCE code verifier specified but challenge not present in authorization');
    return;
  }
  if (verifier === null) throw notValid('PKCE code verifier not specified');
  if (!/^[0-9a-zA-Z\-._~]{43,128}$/.test(verifier)) throw notValid('PKCE verification failed: Invalid code verifier');
  const proof = challengeMethod === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  if (proof !== challenge) throw notValid('PKCE verification failed: Code mismatch');
}

function page({ response }: Exchange, status: number, body: string): void {
  response
    .writeHead(status, { 'content-type': 'text/html;charset=utf-8' })
    .end(`<!DOCTYPE html><html><body>${body}</body></html>`);
}
