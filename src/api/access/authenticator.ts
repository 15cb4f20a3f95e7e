import type { ControlServices } from '../../control/index.js';
import { readRbacConfig, type RbacResource } from '../../model/rbac/index.js';
import { parseDuration } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { hostOfUrl } from '../http/index.js';
import { ANONYMOUS, type Access, type Credentials, type Denial, type SignInMethods, type Subject } from './access.js';
import { ARGOCD_SECRET, AccountStore } from './accounts/account-store.js';
import { SecretCache, SERVER_TLS_SECRET } from './accounts/secret-cache.js';
import { groupsOf, userNameOf, OUR_ISSUER, textClaim, timeClaim, userOf, type Claims } from './tokens/claims.js';
import { addressOf, knownAddresses } from './oidc/addresses.js';
import { CLOCK_SKEW } from './oidc/provider.js';
import { BrowserSessions } from './oidc/browser-sessions.js';
import { Sso } from './oidc/sso.js';
import { Passwords } from './passwords/passwords.js';
import { projectRoles, type ProjectRoles } from './rbac/project-roles.js';
import { PolicyEnforcer } from './rbac/policy-enforcer.js';
import { SESSIONS_SECRET, SessionStore } from './sessions/session-store.js';
import { tokenIdOf, Sessions, type TokenVerification } from './sessions/sessions.js';
import { Throttle } from './sessions/throttle.js';
import { readCookies, SESSION_COOKIE, tokenCookies, tokenInCookies } from './tokens/cookies.js';
import { crossSiteViolation } from './tokens/cross-site.js';
import { parseToken } from './tokens/jwt.js';
import { rbacNameOf } from './find-application.js';
import { VisibilityCache } from './visibility-cache.js';
import { lifetimeViolation } from './tokens/lifetime.js';

const DAY_SECONDS = 24 * 3600;
/** With more users than this at a time the caches are dropped. */
const MAX_VISIBILITY_CACHES = 500;
const NO_SESSION: Denial = { refused: 'Unauthenticated', message: 'no session information' };

/** What the security profile says of those who sign in. */
export interface AccessOptions {
  /** Whether this server terminates TLS itself: then cookies never go over anything else. */
  readonly servesTls: boolean;
  readonly isAdminEnabledByDefault: boolean;
}

/** What a request shows, if anything. */
export interface PresentedToken {
  readonly token: string;
  /** A browser added it by itself. */
  readonly isCookie: boolean;
}

/** Who comes in, and what they may do there. Everything is read from the objects of Argo CD as they are now. */
export class Authenticator implements Access {
  readonly accounts: AccountStore;
  readonly passwords = new Passwords();
  readonly throttle: Throttle;
  readonly sessions: Sessions;
  readonly sso: Sso;
  readonly browserSessions: BrowserSessions;
  readonly #services: ControlServices;
  readonly #servesTls: boolean;
  readonly #secrets: SecretCache;
  readonly #sessionStore: SessionStore;
  readonly #unsubscribe: () => void;
  readonly #projects = new WeakMap<KubeObject, ProjectRoles>();
  #rights: { readonly version: string; readonly policyEnforcer: PolicyEnforcer } | undefined;
  #isPolicyRead = false;
  #views: { readonly rights: PolicyEnforcer | undefined; readonly of: Map<string, VisibilityCache> } = {
    rights: undefined,
    of: new Map(),
  };

  private constructor(services: ControlServices, secrets: SecretCache, options: AccessOptions) {
    const now = (): number => services.clock.now().getTime();
    const key = (): Buffer | undefined => secrets.bytes(ARGOCD_SECRET, 'server.secretkey');
    this.#services = services;
    this.#servesTls = options.servesTls;
    this.#secrets = secrets;
    this.accounts = new AccountStore(secrets, () => this.settings, now, options.isAdminEnabledByDefault);
    this.#sessionStore = new SessionStore(secrets, now);
    this.throttle = new Throttle(this.#sessionStore, now);
    this.sessions = new Sessions({
      key,
      now,
      store: this.#sessionStore,
      account: (name) => this.accounts.get(name),
      projectNamed: (name) => this.projectNamed(name),
    });
    this.sso = new Sso({
      key,
      clock: { now, steady: () => services.clock.steady() },
      text: () => this.settings.get('oidc.config') ?? '',
      findSecret: (reference) => this.#findSecret(reference),
      sessionSeconds: () => this.sessionSeconds,
    });
    this.browserSessions = new BrowserSessions({
      key,
      now,
      sso: this.sso,
      isRevoked: (id) => this.#sessionStore.isRevoked(id),
      revoke: (id, expiresAt) => this.#sessionStore.revoke(id, expiresAt),
      report: (problem) => {
        services.report(problem);
      },
    });
    secrets.onChange(() => {
      this.accounts.invalidate();
      this.#sessionStore.reload();
    });
    this.#unsubscribe = services.settings.onChange(() => {
      this.accounts.invalidate();
      this.#isPolicyRead = false;
    });
  }

  static async open(services: ControlServices, options: AccessOptions): Promise<Authenticator> {
    const names = [ARGOCD_SECRET, SESSIONS_SECRET, ...(options.servesTls ? [SERVER_TLS_SECRET] : [])];
    return new Authenticator(services, await SecretCache.open(services, names), options);
  }

  /** The data of argocd-cm. */
  get settings(): ReadonlyMap<string, string> {
    return this.#services.settings.configMapData('argocd-cm');
  }

  get secrets(): SecretCache {
    return this.#secrets;
  }

  /** Seconds that a session lasts. */
  get sessionSeconds(): number {
    try {
      return Math.max(1, Number(parseDuration(this.settings.get('users.session.duration') || '24h') / 1_000_000_000n));
    } catch {
      // The settings page says what is wrong with it.
      return DAY_SECONDS;
    }
  }

  get rights(): PolicyEnforcer {
    if (this.#isPolicyRead && this.#rights !== undefined) return this.#rights.policyEnforcer;
    const data = this.#services.settings.configMapData('argocd-rbac-cm');
    const version = JSON.stringify([...data]);
    this.#isPolicyRead = true;
    // Settings change more often than policies, and what was worked out for a policy is kept.
    if (this.#rights?.version !== version)
      this.#rights = {
        version,
        policyEnforcer: new PolicyEnforcer(
          readRbacConfig(Object.fromEntries(data)),
          (name) => this.projectNamed(name),
          (name) => this.accounts.all.has(name),
        ),
      };
    return this.#rights.policyEnforcer;
  }

  projectNamed(name: string): ProjectRoles | undefined {
    const object = this.#services.projects.findObject(name);
    if (object === undefined) return undefined;
    const known = this.#projects.get(object) ?? projectRoles(object);
    this.#projects.set(object, known);
    return known;
  }

  async authenticate(request: Credentials): Promise<Subject | Denial> {
    const token = presentedToken(request.headers);
    const answer = token === undefined ? NO_SESSION : await this.#recognize(token, request);
    // With anonymous access, an invalid token counts as no token.
    return 'refused' in answer &&
      answer.refused === 'Unauthenticated' &&
      this.settings.get('users.anonymous.enabled') === 'true'
      ? ANONYMOUS
      : answer;
  }

  enforce({ claims }: Subject, resource: RbacResource, action: string, object: string): boolean {
    return this.rights.decide(claims, { resource, action, object }).allowed;
  }

  visibilityOf(subject: Subject): VisibilityCache {
    const { rights } = this;
    const projects = this.#services.projects
      .objects()
      .map(({ metadata: { uid = '', resourceVersion = '' } }) => `${uid} ${resourceVersion}`);
    const key = JSON.stringify([
      subject.claims === undefined
        ? null
        : [textClaim(subject.claims, 'iss'), userOf(subject.claims), groupsOf(subject.claims, rights.scopes)],
      projects,
    ]);
    const known = this.#views.rights === rights ? this.#views.of.get(key) : undefined;
    if (known !== undefined) return known;
    if (this.#views.rights !== rights || this.#views.of.size >= MAX_VISIBILITY_CACHES)
      this.#views = { rights, of: new Map() };
    const visibility = new VisibilityCache(
      (application) => rbacNameOf(application, this.#services.namespace),
      (name) => this.enforce(subject, 'applications', 'get', name),
    );
    this.#views.of.set(key, visibility);
    return visibility;
  }

  get signInMethods(): SignInMethods {
    const settings = this.sso.settings;
    const config = settings === undefined || 'problem' in settings ? undefined : settings.config;
    return {
      hasPasswords: [...this.accounts.all.values()].some(
        ({ isEnabled, capabilities }) => isEnabled && capabilities.includes('login'),
      ),
      ...(config === undefined
        ? {}
        : {
            oidc: {
              name: config.name,
              issuer: config.issuer,
              clientID: config.clientId,
              cliClientID: config.cliClientId,
              scopes: config.scopes,
              ...(config.idTokenClaims === undefined ? {} : { idTokenClaims: config.idTokenClaims }),
            },
          }),
    };
  }

  async isStillValid(subject: Subject): Promise<boolean> {
    if (subject.token === undefined) return true;
    const proved = await this.verify(subject.token, { sealed: subject.session ?? '', mayRenew: false });
    // Other groups are other rights: who listens comes again with them.
    return 'claims' in proved && groupsOf(proved.claims, this.rights.scopes).join('\n') === subject.groups.join('\n');
  }

  isKnownExpired({ token }: Subject): boolean {
    const unverified = token === undefined ? undefined : parseToken(token);
    if (unverified === undefined) return token !== undefined;
    const { claims } = unverified;
    if (textClaim(claims, 'iss') === OUR_ISSUER) return 'problem' in this.sessions.verify(unverified);
    return (
      lifetimeViolation(claims, Math.floor(this.#services.clock.now().getTime() / 1000), {
        ahead: CLOCK_SKEW,
        behind: CLOCK_SKEW,
      }) !== undefined || this.#sessionStore.isRevoked(tokenIdOf(claims))
    );
  }

  /** What a token proves of its owner. */
  async verify(
    token: string,
    browser: { readonly sealed: string; readonly mayRenew: boolean } = { sealed: '', mayRenew: false },
  ): Promise<TokenVerification> {
    const unverified = parseToken(token);
    if (unverified === undefined) return { problem: 'token is malformed' };
    if (textClaim(unverified.claims, 'iss') === OUR_ISSUER) return this.sessions.verify(unverified);
    try {
      const proved = await this.sso.verify(unverified);
      return 'claims' in proved && this.#sessionStore.isRevoked(tokenIdOf(proved.claims))
        ? { problem: 'token is revoked, please re-login' }
        : await this.browserSessions.extend(proved, unverified.claims, browser);
    } catch (error) {
      this.#services.report(`a token cannot be checked: ${error instanceof Error ? error.message : String(error)}`);
      return { problem: 'the provider of the token is unreachable' };
    }
  }

  /** Whether clients reach this server over TLS, wherever it is terminated. */
  isSecure(host: string): boolean {
    return this.#servesTls || addressOf(`http://${host}`, knownAddresses(this.settings)).protocol === 'https:';
  }

  subjectOf(claims: Claims, token?: string): Subject {
    const issuedAt = timeClaim(claims, 'iat');
    return {
      name: userOf(claims),
      username: userNameOf(claims),
      groups: groupsOf(claims, this.rights.scopes),
      issuer: textClaim(claims, 'iss'),
      claims,
      ...(issuedAt === undefined ? {} : { issuedAt }),
      ...(token === undefined ? {} : { token }),
    };
  }

  close(): void {
    this.#unsubscribe();
    this.#secrets.close();
    this.passwords.close();
    void this.sso.close();
  }

  async #recognize({ token, isCookie }: PresentedToken, { method, headers }: Credentials): Promise<Subject | Denial> {
    const url = hostOfUrl(this.settings.get('url') ?? '');
    const suspicion = isCookie ? crossSiteViolation(method, headers, url === undefined ? [] : [url]) : undefined;
    if (suspicion !== undefined) return { refused: 'PermissionDenied', message: suspicion };
    const sealed = isCookie ? (tokenInCookies(readCookies(headers.cookie), SESSION_COOKIE) ?? '') : '';
    const proved = await this.verify(token, { sealed, mayRenew: true });
    if ('problem' in proved) return { refused: 'Unauthenticated', message: `invalid session: ${proved.problem}` };
    const { claims, renewed, session = sealed } = proved;
    const isOurs = textClaim(claims, 'iss') === OUR_ISSUER;
    const subject: Subject = {
      ...this.subjectOf(claims, isOurs ? token : (renewed ?? token)),
      ...(session === '' ? {} : { session }),
    };
    const options = { isSecure: this.isSecure(headers.host ?? '') };
    const cookies = isCookie && renewed !== undefined ? tokenCookies(renewed, options) : undefined;
    return cookies === undefined
      ? subject
      : {
          ...subject,
          renewed: [...cookies, ...(session === sealed ? [] : (tokenCookies(session, options, SESSION_COOKIE) ?? []))],
        };
  }

  /** `key` of argocd-secret, or `secret:key`. */
  #findSecret(reference: string): string | undefined {
    const [name = '', key] = reference.split(':');
    return key === undefined ? this.#secrets.data(ARGOCD_SECRET).get(name) : this.#secrets.data(name).get(key);
  }
}

/** The header wins over the cookie, as with Argo CD. */
export function presentedToken(headers: Credentials['headers']): PresentedToken | undefined {
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return { token: bearer, isCookie: false };
  const cookie = tokenInCookies(readCookies(headers.cookie));
  return cookie === undefined ? undefined : { token: cookie, isCookie: true };
}
