import { createHmac } from 'node:crypto';
import type { Address } from '../common/index.js';
import type { RepositoryAccess } from './repository-access.js';

/**
 * Names what is kept of one address for those who open it in the same way: equal only for the same address, opened with
 * the same Secrets of the same project, or by nobody in particular. A key of the data directory goes in, so the name
 * tells nothing about the credentials. A Secret whose values change keeps its name: see `accessProof`.
 */
export function accessKey(key: Buffer, url: string, access: RepositoryAccess, address?: Address): string {
  const { origin, depth = 0 } = access;
  return digest(key, [
    'kept for',
    url,
    origin ?? credentialsOf(access),
    depth,
    address?.protocol === 'ssh' ? null : [address?.username, address?.password],
  ]);
}

/**
 * Equal only for the same credentials. Who comes with other ones than those that filled a mirror, as after a rotation,
 * first has to get an answer of the server with them. Trust in servers is not part of it: administrators decide it.
 */
export function accessProof(key: Buffer, access: RepositoryAccess): string {
  return digest(key, ['proven by', credentialsOf(access)]);
}

function credentialsOf({
  grant,
  username,
  password,
  bearerToken,
  sshPrivateKey,
  clientCertificate,
  githubApp,
  insecure,
  proxy,
  noProxy,
}: RepositoryAccess): unknown[] {
  const way = [insecure, proxy, noProxy];
  return grant === undefined
    ? [...way, username, password, bearerToken, sshPrivateKey, clientCertificate, githubApp]
    : [...way, grant];
}

function digest(key: Buffer, parts: readonly unknown[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
}
