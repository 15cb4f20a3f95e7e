import { readRbacConfig, type FrontDesk, type RbacResource } from '../../control/index.js';
import { parseDuration, type KubeObject } from '../../model/index.js';
import { hostOfUrl } from '../http/hosts.js';
import { NOBODY, type Access, type Credentials, type Refusal, type SignIn, type Subject } from './access.js';
import { ARGOCD_SECRET, AccountBook } from './accounts/account-book.js';
import { SecretShelf } from './accounts/secret-shelf.js';
import { groupsOf, nameOf, OUR_ISSUER, textClaim, timeClaim, userOf, type Claims } from './claims.js';
import { addressOf, knownAddresses } from './oidc/addresses.js';
import { SKEW } from './oidc/oidc-provider.js';
import { Sso } from './oidc/sso.js';
import { Passwords } from './passwords/passwords.js';
import { projectRoles, type ProjectRoles } from './rbac/project-roles.js';
import { Rights } from './rbac/rights.js';
import { BOOK, SessionBook } from './sessions/session-book.js';
import { idOf, Sessions, type Proved } from './sessions/sessions.js';
import { Throttle } from './sessions/throttle.js';
import { readCookies, tokenCookies, tokenInCookies } from './tokens/cookies.js';
import { crossSiteProblem } from './tokens/cross-site.js';
import { takeApart } from './tokens/jwt.js';
import { View } from './view.js';
import { problemWithTimes } from './tokens/lifetime.js';

const DAY = 24 * 3600;
/** So many people look at the same time before all that was worked out is forgotten. */
const MOST_VIEWS = 500;
const NO_SESSION: Refusal = { refused: 'Unauthenticated', message: 'no session information' };

/** What a request shows, if anything. */
export interface Shown {
  readonly token: string;
  /** A browser added it by itself. */
  readonly isCookie: boolean;
}

/** Who comes in, and what they may do there. Everything is read from the objects of Argo CD as they are now. */
export class Doorkeeper implements Access {
  readonly accounts: AccountBook;
  readonly passwords = new Passwords();
  readonly throttle: Throttle;
  readonly sessions: Sessions;
  readonly sso: Sso;
  readonly #desk: FrontDesk;
  readonly #shelf: SecretShelf;
  readonly #book: SessionBook;
  readonly #unsubscribe: () => void;
  readonly #projects = new WeakMap<KubeObject, ProjectRoles>();
  #rights: { readonly version: string; readonly rights: Rights } | undefined;
  #isPolicyRead = false;
  #views: { readonly rights: Rights | undefined; readonly of: Map<string, View> } = {
    rights: undefined,
    of: new Map(),
  };

  private constructor(desk: FrontDesk, shelf: SecretShelf) {
    const now = (): number => desk.now();
    const key = (): Buffer | undefined => shelf.bytes(ARGOCD_SECRET, 'server.secretkey');
    this.#desk = desk;
    this.#shelf = shelf;
    this.accounts = new AccountBook(shelf, () => this.settings, now);
    this.#book = new SessionBook(shelf, now);
    this.throttle = new Throttle(this.#book, now);
    this.sessions = new Sessions({
      key,
      now,
      book: this.#book,
      account: (name) => this.accounts.get(name),
      projectNamed: (name) => this.projectNamed(name),
    });
    this.sso = new Sso({
      key,
      clock: { now, steady: () => desk.steady() },
      text: () => this.settings.get('oidc.config') ?? '',
      findSecret: (reference) => this.#findSecret(reference),
    });
    shelf.onChange(() => {
      this.accounts.forget();
      this.#book.read();
    });
    this.#unsubscribe = desk.onSettings(() => {
      this.accounts.forget();
      this.#isPolicyRead = false;
    });
  }

  static async open(desk: FrontDesk): Promise<Doorkeeper> {
    return new Doorkeeper(desk, await SecretShelf.open(desk, [ARGOCD_SECRET, BOOK]));
  }

  /** The data of argocd-cm. */
  get settings(): ReadonlyMap<string, string> {
    return this.#desk.settingsMap('argocd-cm');
  }

  get shelf(): SecretShelf {
    return this.#shelf;
  }

  /** Seconds that a session lasts. */
  get sessionSeconds(): number {
    try {
      return Math.max(1, Number(parseDuration(this.settings.get('users.session.duration') || '24h') / 1_000_000_000n));
    } catch {
      // The settings page says what is wrong with it.
      return DAY;
    }
  }

  get rights(): Rights {
    if (this.#isPolicyRead && this.#rights !== undefined) return this.#rights.rights;
    const data = this.#desk.settingsMap('argocd-rbac-cm');
    const version = JSON.stringify([...data]);
    this.#isPolicyRead = true;
    // Settings change more often than policies, and what was worked out for a policy is kept.
    if (this.#rights?.version !== version)
      this.#rights = {
        version,
        rights: new Rights(readRbacConfig(Object.fromEntries(data)), (name) => this.projectNamed(name)),
      };
    return this.#rights.rights;
  }

  projectNamed(name: string): ProjectRoles | undefined {
    const object = this.#desk.projectObject(name);
    if (object === undefined) return undefined;
    const known = this.#projects.get(object) ?? projectRoles(object);
    this.#projects.set(object, known);
    return known;
  }

  async authenticate(request: Credentials): Promise<Subject | Refusal> {
    const shown = shownBy(request.headers);
    const answer = shown === undefined ? NO_SESSION : await this.#recognize(shown, request);
    // Where nobody need sign in, a token that proves nothing makes its owner nobody.
    return 'refused' in answer &&
      answer.refused === 'Unauthenticated' &&
      this.settings.get('users.anonymous.enabled') === 'true'
      ? NOBODY
      : answer;
  }

  enforce({ claims }: Subject, resource: RbacResource, action: string, object: string): boolean {
    return this.rights.judge(claims, { resource, action, object }).allowed;
  }

  viewOf(subject: Subject): View {
    const { rights } = this;
    const projects = this.#desk
      .projectObjects()
      .map(({ metadata: { uid = '', resourceVersion = '' } }) => `${uid} ${resourceVersion}`);
    const key = JSON.stringify([
      subject.claims === undefined ? null : [userOf(subject.claims), groupsOf(subject.claims, rights.scopes)],
      projects,
    ]);
    const known = this.#views.rights === rights ? this.#views.of.get(key) : undefined;
    if (known !== undefined) return known;
    if (this.#views.rights !== rights || this.#views.of.size >= MOST_VIEWS) this.#views = { rights, of: new Map() };
    const view = new View((object) => this.enforce(subject, 'applications', 'get', object));
    this.#views.of.set(key, view);
    return view;
  }

  get signIn(): SignIn {
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
    return subject.token === undefined || 'claims' in (await this.prove(subject.token));
  }

  isKnownToBeOver({ token }: Subject): boolean {
    const unverified = token === undefined ? undefined : takeApart(token);
    if (unverified === undefined) return token !== undefined;
    const { claims } = unverified;
    if (textClaim(claims, 'iss') === OUR_ISSUER) return 'problem' in this.sessions.prove(unverified);
    return (
      problemWithTimes(claims, Math.floor(this.#desk.now() / 1000), { ahead: SKEW, behind: SKEW }) !== undefined ||
      this.#book.isRevoked(idOf(claims))
    );
  }

  /** What a token proves of its owner. */
  async prove(token: string): Promise<Proved> {
    const unverified = takeApart(token);
    if (unverified === undefined) return { problem: 'token is malformed' };
    if (textClaim(unverified.claims, 'iss') === OUR_ISSUER) return this.sessions.prove(unverified);
    try {
      const proved = await this.sso.prove(unverified);
      return 'claims' in proved && this.#book.isRevoked(idOf(proved.claims))
        ? { problem: 'token is revoked, please re-login' }
        : proved;
    } catch (error) {
      this.#desk.report(`a token cannot be checked: ${error instanceof Error ? error.message : String(error)}`);
      return { problem: 'the provider of the token cannot be asked' };
    }
  }

  /** Whether people reach this server over TLS, whoever ends it. */
  isSecure(host: string): boolean {
    return addressOf(`http://${host}`, knownAddresses(this.settings)).protocol === 'https:';
  }

  subjectOf(claims: Claims, token?: string): Subject {
    const issuedAt = timeClaim(claims, 'iat');
    return {
      name: userOf(claims),
      username: nameOf(claims),
      groups: groupsOf(claims, this.rights.scopes),
      issuer: textClaim(claims, 'iss'),
      claims,
      ...(issuedAt === undefined ? {} : { issuedAt }),
      ...(token === undefined ? {} : { token }),
    };
  }

  close(): void {
    this.#unsubscribe();
    this.#shelf.close();
    this.passwords.close();
    void this.sso.close();
  }

  async #recognize({ token, isCookie }: Shown, { method, headers }: Credentials): Promise<Subject | Refusal> {
    const url = hostOfUrl(this.settings.get('url') ?? '');
    const suspicion = isCookie ? crossSiteProblem(method, headers, url === undefined ? [] : [url]) : undefined;
    if (suspicion !== undefined) return { refused: 'PermissionDenied', message: suspicion };
    const proved = await this.prove(token);
    if ('problem' in proved) return { refused: 'Unauthenticated', message: `invalid session: ${proved.problem}` };
    const subject = this.subjectOf(proved.claims, token);
    const renewed =
      isCookie && proved.renewed !== undefined
        ? tokenCookies(proved.renewed, { isSecure: this.isSecure(headers.host ?? '') })
        : undefined;
    return renewed === undefined ? subject : { ...subject, renewed };
  }

  /** `key` of argocd-secret, or `secret:key`. */
  #findSecret(reference: string): string | undefined {
    const [name = '', key] = reference.split(':');
    return key === undefined ? this.#shelf.data(ARGOCD_SECRET).get(name) : this.#shelf.data(name).get(key);
  }
}

/** The header wins over the cookie, as with Argo CD. */
export function shownBy(headers: Credentials['headers']): Shown | undefined {
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return { token: bearer, isCookie: false };
  const cookie = tokenInCookies(readCookies(headers.cookie));
  return cookie === undefined ? undefined : { token: cookie, isCookie: true };
}
