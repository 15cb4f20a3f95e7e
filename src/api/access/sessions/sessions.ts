import { randomUUID } from 'node:crypto';
import type { Account, AccountToken, Capability } from '../accounts/account.js';
import { OUR_ISSUER, textClaim, timeClaim, userOf, type Claims } from '../tokens/claims.js';
import { projectSubject, type ProjectRoles } from '../rbac/project-roles.js';
import { isSignedByUs, signToken, type UnverifiedToken } from '../tokens/jwt.js';
import { lifetimeViolation } from '../tokens/lifetime.js';
import type { SessionStore } from './session-store.js';

export interface SessionsOptions {
  /** `server.secretkey`; undefined where there is none, and then nothing is signed or believed. */
  readonly key: () => Buffer | undefined;
  readonly account: (name: string) => Account | undefined;
  readonly projectNamed: (name: string) => ProjectRoles | undefined;
  readonly store: SessionStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a token proves, or why it proves nothing. */
export type TokenVerification =
  | { readonly claims: Claims; readonly renewed?: string; readonly session?: string }
  | { readonly problem: string };

export interface IssuedToken {
  readonly token: string;
  readonly id: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** A session that ends within this many seconds is made anew while it is used. */
const RENEW_WITHIN = 300;

/**
 * Tokens that we sign: sessions of accounts, tokens of accounts, tokens of roles of projects. Each is looked up anew
 * whenever it is shown.
 */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /**
   * For `seconds`; 0 for ever. Where a password was changed in this very second, the token is of the next: what is
   * older counts no more.
   */
  issue(
    subject: string,
    seconds: number,
    { id = randomUUID(), notBefore = 0 }: { readonly id?: string; readonly notBefore?: number | undefined } = {},
  ): IssuedToken {
    const key = this.#options.key();
    if (key === undefined) throw new Error('cannot sign tokens: argocd-secret has no server.secretkey');
    const now = Math.floor(this.#options.now() / 1000);
    const issuedAt = Math.max(now, notBefore);
    const expiresAt = seconds > 0 ? issuedAt + seconds : 0;
    const claims: Claims = {
      iss: OUR_ISSUER,
      sub: subject,
      ...(expiresAt === 0 ? {} : { exp: expiresAt }),
      nbf: now,
      iat: issuedAt,
      jti: id,
    };
    return { token: signToken(claims, key), id, issuedAt, expiresAt };
  }

  verify(token: UnverifiedToken): TokenVerification {
    const key = this.#options.key();
    if (key === undefined || !isSignedByUs(token, key)) return { problem: 'signature is invalid' };
    const { claims } = token;
    const now = Math.floor(this.#options.now() / 1000);
    const problem = lifetimeViolation(claims, now, { ahead: 1 });
    if (problem !== undefined) return { problem: `token is ${problem}` };
    const owner = projectSubject(userOf(claims));
    return owner === undefined ? this.#ofAccount(claims, now) : this.#ofProject(claims, owner.project, owner.role);
  }

  /** A session ends; resolves when every server will know. */
  async revoke(claims: Claims): Promise<void> {
    const id = tokenIdOf(claims);
    const expiresAt = timeClaim(claims, 'exp');
    if (id !== '' && expiresAt !== undefined) await this.#options.store.revoke(id, expiresAt);
  }

  #ofProject(claims: Claims, name: string, role: string): TokenVerification {
    const id = textClaim(claims, 'jti');
    const issuedAt = timeClaim(claims, 'iat');
    // Tokens of older versions have no id: the second in which they were made stands for it.
    const isKnown =
      this.#options
        .projectNamed(name)
        ?.tokens(role)
        .some((token) => (id === '' ? token.id === '' && token.issuedAt === issuedAt : token.id === id)) ?? false;
    return isKnown ? { claims } : { problem: `project ${name} has no such token of the role ${role}` };
  }

  #ofAccount(claims: Claims, now: number): TokenVerification {
    const [name = '', word] = userOf(claims).split(':');
    const capability: Capability = word === 'login' ? 'login' : 'apiKey';
    const account = this.#options.account(name);
    const id = textClaim(claims, 'jti');
    if (account === undefined) return { problem: `account '${name}' does not exist` };
    if (!account.isEnabled) return { problem: `account ${name} is disabled` };
    if (!account.capabilities.includes(capability))
      return { problem: `account ${name} does not have '${capability}' capability` };
    if (id === '') return { problem: 'token does not have a unique identifier (jti claim) and cannot be validated' };
    if (this.#options.store.isRevoked(id)) return { problem: 'token is revoked, please re-login' };
    if (capability === 'apiKey' && !account.tokens.some((token: AccountToken) => token.id === id))
      return { problem: `account ${name} does not have token with id ${id}` };
    if (account.passwordChangedAt !== undefined && (timeClaim(claims, 'iat') ?? 0) < account.passwordChangedAt)
      return { problem: 'account password has changed since token issued' };
    const renewed = capability === 'login' ? this.#renew(name, claims, now) : undefined;
    return { claims: { ...claims, sub: name }, ...(renewed === undefined ? {} : { renewed }) };
  }

  #renew(name: string, claims: Claims, now: number): string | undefined {
    const [exp, iat] = [timeClaim(claims, 'exp'), timeClaim(claims, 'iat')];
    return exp === undefined || iat === undefined || exp - now >= RENEW_WITHIN
      ? undefined
      : this.issue(`${name}:login`, exp - iat).token;
  }
}

/**
 * What a token is known by: its id, or what stands for it with providers that give none. The ids of a provider are
 * apart from ours: it must not be able to end a session of an account.
 */
export function tokenIdOf(claims: Claims): string {
  const issuer = textClaim(claims, 'iss');
  const id = textClaim(claims, 'jti') || textClaim(claims, 'uti') || textClaim(claims, 'at_hash');
  if (issuer === OUR_ISSUER) return id;
  return `${issuer} ${id || `${textClaim(claims, 'sub')} ${timeClaim(claims, 'iat') ?? 0}`}`;
}
