import { Fault } from '../model/faults/index.js';
import { hasCredentials, type RepositoryAccess } from './access/index.js';
import { maskUrl, type Address } from './common/index.js';
import { addressScopeOf } from './http/index.js';

/**
 * What a repository names may be on this machine only where the repository itself is; on the network link nothing is.
 */
export function checkPlace(address: Address, parent?: Address): void {
  const nearness = address.host === '' ? 'elsewhere' : addressScopeOf(address.host);
  if (
    nearness === 'elsewhere' ||
    (nearness === 'machine' &&
      (parent === undefined || parent.protocol === 'file' || addressScopeOf(parent.host) === 'machine'))
  )
    return;
  throw new Fault(
    'SOURCE_REFUSED',
    nearness === 'link' ? 'addresses of the network link are not used' : 'a submodule may not be on this machine',
    { where: maskUrl(address.url) },
  );
}

/** User and password inside an address count where nothing else is known; the mirror's address is without them. */
export function ownAccess(address: Address, access: RepositoryAccess): RepositoryAccess {
  if (address.username === undefined || address.protocol === 'ssh') return access;
  if (!hasCredentials(access))
    return {
      ...access,
      username: address.username,
      ...(address.password === undefined ? {} : { password: address.password }),
    };
  return access.username === undefined && access.password !== undefined
    ? { ...access, username: address.username }
    : access;
}
