import { createHash } from 'node:crypto';
import { makeScrub } from '../common/index.js';

export interface GitHubApp {
  readonly id: number;
  readonly installation: number;
  readonly privateKey: string;
  /** The API of an enterprise server; empty for github.com. */
  readonly baseUrl: string;
}

/** What opens one repository. Values are secrets unless said otherwise; none of them is ever shown. */
export interface RepositoryAccess {
  /** git, helm or oci; not secret. */
  readonly type?: string;
  readonly username?: string;
  readonly password?: string;
  readonly bearerToken?: string;
  readonly sshPrivateKey?: string;
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  readonly githubApp?: GitHubApp;
  /** Lines as in a known_hosts file; not secret. */
  readonly knownHosts?: string;
  /** PEM; not secret. */
  readonly certificateAuthority?: string;
  /** Neither certificates nor host keys are checked. */
  readonly insecure?: boolean;
  /** Sends user and password before the server asks. */
  readonly forceBasic?: boolean;
  readonly proxy?: string;
  readonly noProxy?: string;
  /** A chart repository that is an OCI registry. */
  readonly enableOci?: boolean;
  readonly plainHttp?: boolean;
  /** How many commits back are fetched; 0 is all. */
  readonly depth?: number;
  /** Redirects to anywhere else are refused. */
  readonly staysOnServer?: boolean;
  /** Names a kind of credential that this program cannot use; using it is a fault. */
  readonly unusable?: string;
  /** The Secrets that this comes from, with their projects; not secret. */
  readonly origin?: string;
  /** In whose name a server is asked: the project, whose turn it is then. */
  readonly project?: string;
  /** Stands for credentials that change by themselves, as the tokens of a GitHub App; not secret. */
  readonly grant?: string;
}

/** An access that opens nothing. */
export const PUBLIC: RepositoryAccess = {};

export function scrubFor(access: RepositoryAccess, ...more: readonly (string | undefined)[]): (text: string) => string {
  const { username, password, bearerToken, sshPrivateKey, clientCertificate, githubApp, proxy } = access;
  const proxyPassword = proxy === undefined ? undefined : /\/\/[^/:]*:([^/]*)@/.exec(proxy)?.[1];
  return makeScrub(
    [password, bearerToken, sshPrivateKey, clientCertificate?.key, githubApp?.privateKey, proxyPassword, ...more],
    [username],
  );
}

/** Equal for equal access, so that only callers who may the same share an answer. Tells nothing about the secrets. */
export function fingerprint({ project: _project, ...access }: RepositoryAccess): string {
  const fields = Object.entries(access).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

/** Whether there is anything that identifies us to a server. */
export function hasCredentials({
  username,
  password,
  bearerToken,
  sshPrivateKey,
  clientCertificate,
  githubApp,
  unusable,
}: RepositoryAccess): boolean {
  return [username, password, bearerToken, sshPrivateKey, clientCertificate, githubApp, unusable].some(
    (value) => value !== undefined,
  );
}
