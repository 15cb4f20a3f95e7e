import type { IncomingHttpHeaders } from 'node:http';

/** The resources of RBAC, as Argo CD names them. */
export type RbacResource =
  | 'applications' | 'applicationsets' | 'clusters' | 'projects' | 'repositories' | 'write-repositories' | 'certificates' | 'accounts' | 'gpgkeys' | 'logs' | 'exec' | 'extensions';

/** Who asks. */
export interface Subject {
  /** The name that policies know, such as `admin` or `proj:shop:ci`; empty for nobody. */
  readonly name: string;
  /** What people are shown. */
  readonly username: string;
  readonly groups: readonly string[];
  /** Who signed the session: `argocd` for local accounts. */
  readonly issuer: string;
  /** When the token was made, in seconds since 1970; words of a refusal name it. */
  readonly issuedAt?: number;
}

/** What a request shows of who sends it. */
export interface Credentials {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
}

export interface Refusal {
  /** `Unauthenticated`: sign in. `PermissionDenied`: the request itself is suspicious, as one that another page sent. */
  readonly refused: 'Unauthenticated' | 'PermissionDenied';
  readonly message: string;
}

/** Who somebody is, and what they may do. The rest of the room knows no more about it. */
export interface Access {
  /** Who sends the request. Nothing of the body has been read. */
  authenticate(request: Credentials): Promise<Subject | Refusal>;
  /** Whether the policies allow it. Called for each of thousands of applications of a list: it must be quick, and it does not wait. */
  enforce(subject: Subject, resource: RbacResource, action: string, object: string): boolean;
  close(): void;
}

export const NOBODY: Subject = { name: '', username: '', groups: [], issuer: '' };
