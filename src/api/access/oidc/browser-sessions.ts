import { timeClaim, textClaim, type Claims } from '../tokens/claims.js';
import { openSession, sealSession, type SsoSession } from './sso-session.js';
import type { Sso } from './sso.js';

export interface BrowserSessionsOptions {
  readonly sso: Sso;
  /** What sessions are sealed with. */
  readonly key: () => Buffer | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly isRevoked: (id: string) => boolean;
  readonly revoke: (id: string, expiresAt: number) => Promise<void>;
  readonly report: (problem: string) => void;
}

/** What a browser proves. `renewed` and `session` replace what it keeps. */
export type BrowserProof =
  | { readonly claims: Claims; readonly renewed?: string; readonly session?: string }
  | { readonly problem: string };

/** Larger ones do not fit into the headers of a request, beside the token. */
const MAX_SEALED = 7000;
const ENDED = 'the session has ended, please re-login';

/** Sessions with a provider that last longer than an ID token: as long as its refresh token is taken. */
export class BrowserSessions {
  readonly #options: BrowserSessionsOptions;

  constructor(options: BrowserSessionsOptions) {
    this.#options = options;
  }

  /** For a cookie; undefined where there is nothing to keep, or too much. */
  async seal(session: SsoSession): Promise<string | undefined> {
    const key = this.#options.key();
    if (key === undefined || (session.refreshToken === '' && session.accessToken === '')) return undefined;
    const sealed = await sealSession(session, key);
    return sealed.length > MAX_SEALED ? undefined : sealed;
  }

  /**
   * What a token proves together with the session beside it: renewed where it ends soon and may be, with the groups of
   * the user info where these are asked for.
   */
  async extend(
    proved: { readonly claims: Claims } | { readonly problem: string },
    unverified: Claims,
    { sealed, mayRenew }: { readonly sealed: string; readonly mayRenew: boolean },
  ): Promise<BrowserProof> {
    const session = await this.#open(sealed, unverified);
    if (session === 'ended') return { problem: ENDED };
    const isExpired = 'problem' in proved && proved.problem === 'token is expired';
    if ('problem' in proved && !isExpired) return proved;
    const threshold = this.#options.sso.refreshThreshold;
    const left = 'claims' in proved ? (timeClaim(proved.claims, 'exp') ?? 0) - this.#seconds() : -1;
    const canRenew = session !== undefined && session.refreshToken !== '' && mayRenew;
    if (!canRenew || threshold === 0 || left > threshold) return this.#withGroups(proved, session, mayRenew);
    return this.#renew(session, 'claims' in proved ? proved : undefined);
  }

  /** For every copy of the cookie; resolves when every server will know. */
  async end(sealed: string): Promise<void> {
    const key = this.#options.key();
    const session = key === undefined ? undefined : await openSession(sealed, key);
    if (session !== undefined && session.id !== '') await this.#options.revoke(renewalName(session), session.until);
  }

  async #open(sealed: string, claims: Claims): Promise<SsoSession | 'ended' | undefined> {
    const key = this.#options.key();
    const session = key === undefined ? undefined : await openSession(sealed, key);
    if (session === undefined) return undefined;
    const isOfToken = session.issuer === textClaim(claims, 'iss') && session.subject === textClaim(claims, 'sub');
    if (!isOfToken || session.until <= this.#seconds()) return undefined;
    return this.#options.isRevoked(renewalName(session)) ? 'ended' : session;
  }

  async #renew(session: SsoSession, proved: { readonly claims: Claims } | undefined): Promise<BrowserProof> {
    const { sso, report } = this.#options;
    try {
      const renewed = await sso.renew(session);
      if ('ended' in renewed) return { problem: ENDED };
      const answer = await this.#withGroups(renewed, renewed.session, false);
      const sealed = await this.seal(renewed.session);
      return 'problem' in answer
        ? answer
        : { ...answer, renewed: renewed.token, ...(sealed === undefined ? {} : { session: sealed }) };
    } catch (error) {
      report(`a session cannot be renewed: ${error instanceof Error ? error.message : String(error)}`);
      // As long as the token is valid, the provider may be away.
      return proved === undefined
        ? { problem: 'the provider of the token is unreachable' }
        : this.#withGroups(proved, session, false);
    }
  }

  async #withGroups(
    proved: { readonly claims: Claims } | { readonly problem: string },
    session: SsoSession | undefined,
    mayRenew: boolean,
  ): Promise<BrowserProof> {
    if ('problem' in proved) return proved;
    const claims = await this.#options.sso.withGroups(proved.claims, session?.accessToken ?? '');
    if (claims !== undefined) return { claims };
    // An access token may end before the ID token.
    return session !== undefined && session.refreshToken !== '' && mayRenew
      ? this.#renew(session, undefined)
      : { problem: 'the groups of this user cannot be read: please re-login in a browser' };
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}

function renewalName({ id }: SsoSession): string {
  return `sso ${id}`;
}
