import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../../model/json/index.js';
import type { RbacResource } from '../../model/rbac/index.js';
import type { Claims } from './tokens/claims.js';
import type { VisibilityCache } from './visibility-cache.js';

/** Who asks. */
export interface Subject {
  /** The name that policies know, such as `admin` or `proj:shop:ci`; empty for nobody. */
  readonly name: string;
  /** The name on the page. */
  readonly username: string;
  readonly groups: readonly string[];
  /** Who signed the session: `argocd` for local accounts. */
  readonly issuer: string;
  /** When the token was issued, in seconds since 1970; denials name it. */
  readonly issuedAt?: number;
  /** What the token says; undefined for who did not sign in. */
  readonly claims?: Claims;
  /** The token itself, to validate it again while a stream is open. */
  readonly token?: string;
  /** What the browser keeps beside the token, for a session with a provider. */
  readonly session?: string;
  /** Set-Cookie headers with a newer token, for a session that ends soon. */
  readonly renewed?: readonly string[];
}

/** What a request shows of who sends it. */
export interface Credentials {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
}

export interface Denial {
  /**
   * `Unauthenticated`: sign in. `PermissionDenied`: the request itself is suspicious, as one that another page sent.
   */
  readonly refused: 'Unauthenticated' | 'PermissionDenied';
  readonly message: string;
}

/** The ways to sign in, for the page and for `argosy login`. Nothing of it is secret. */
export interface SignInMethods {
  readonly hasPasswords: boolean;
  /** The OpenID provider, as Argo CD's settings show it. */
  readonly oidc?: {
    readonly name: string;
    readonly issuer: string;
    readonly clientID: string;
    readonly cliClientID: string;
    readonly scopes: readonly string[];
    readonly idTokenClaims?: JsonObject;
  };
}

/** Who somebody is, and what they may do. The rest of the room knows no more about it. */
export interface Access {
  /** Who sends the request. Nothing of the body has been read. */
  authenticate(request: Credentials): Promise<Subject | Denial>;
  /**
   * Whether the policies allow it. Called for each of thousands of applications of a list: it must be quick, and it
   * does not wait.
   */
  enforce(subject: Subject, resource: RbacResource, action: string, object: string): boolean;
  /** The same one as long as the rights of this person, and what they depend on, stay the same. */
  visibilityOf(subject: Subject): VisibilityCache;
  /** Whether who began to listen may still: a session that ended or was taken away ends its streams. */
  isStillValid(subject: Subject): Promise<boolean>;
  /** The same as far as it is known without asking anybody, for each message: times, and what was revoked. */
  isKnownExpired(subject: Subject): boolean;
  /** What a client must know before it signs in. */
  readonly signInMethods: SignInMethods;
  close(): void;
}

export const ANONYMOUS: Subject = { name: '', username: '', groups: [], issuer: '' };
