import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Fault } from '../../model/faults/index.js';
import { maskUrl } from '../common/index.js';

/**
 * Where a host is: on this machine, on its network link (which is where clouds answer who one is), or elsewhere. Names
 * are told by what they say, not by what they mean to a name server.
 */
export type AddressScope = 'machine' | 'link' | 'elsewhere';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('0.0.0.0', 8, 'ipv4');
LINK_LOCAL.addSubnet('224.0.0.0', 3, 'ipv4');
LINK_LOCAL.addAddress('100.100.100.200', 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');
LINK_LOCAL.addSubnet('fd00:ec2::', 32, 'ipv6');
LINK_LOCAL.addSubnet('ff00::', 8, 'ipv6');
LINK_LOCAL.addAddress('::', 'ipv6');

/** An address that wraps one of the older kind counts as that one. */
const WRAPPED = /^(?:::ffff:|64:ff9b::)(.+)$/i;

export function addressScopeOf(host: string): AddressScope {
  const name = plainHost(host);
  if (name === 'localhost' || name.endsWith('.localhost')) return 'machine';
  const family = isIP(name);
  if (family === 0) return 'elsewhere';
  const wrapped = family === 6 ? olderAddress(name) : undefined;
  if (wrapped !== undefined) return addressScopeOf(wrapped);
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  if (LOOPBACK.check(name, kind)) return 'machine';
  return LINK_LOCAL.check(name, kind) ? 'link' : 'elsewhere';
}

/** Without port, brackets and the dot at the end; numbers in any spelling as the usual one. */
function plainHost(host: string): string {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}/`;
  return (URL.canParse(url) ? new URL(url).hostname : host)
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

function olderAddress(name: string): string | undefined {
  const rest = WRAPPED.exec(name)?.[1];
  if (rest === undefined) return undefined;
  if (isIP(rest) === 4) return rest;
  const [, high = '', low = ''] = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(rest) ?? [];
  if (high === '') return undefined;
  const bytes = [Number.parseInt(high, 16), Number.parseInt(low, 16)].flatMap((part) => [part >> 8, part & 255]);
  return bytes.join('.');
}

function mayReach(nearness: AddressScope, mayBeMachine: boolean): boolean {
  return nearness === 'elsewhere' || (nearness === 'machine' && mayBeMachine);
}

/** Refuses an address that is nearer than who named it may reach. */
export function checkAddressScope(url: URL, mayBeMachine: boolean): void {
  const nearness = addressScopeOf(url.host);
  if (mayReach(nearness, mayBeMachine)) return;
  throw new Fault(
    'SOURCE_REFUSED',
    nearness === 'link'
      ? 'addresses of the network link are not used'
      : 'what a repository or a server names may not be on this machine',
    { where: maskUrl(url.href) },
  );
}

export const FORBIDDEN_SCOPE = 'ERR_NEAR_ADDRESS';

/**
 * Looks names up, and refuses those that mean such an address: at the moment of the connection, so that no later answer
 * counts.
 */
export function guardedLookup(mayBeMachine: boolean, lookup: LookupFunction = systemLookup): LookupFunction {
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      const addresses = found as unknown as readonly LookupAddress[];
      const near =
        error === null ? addresses.find(({ address }) => !mayReach(addressScopeOf(address), mayBeMachine)) : undefined;
      const [first] = error === null ? addresses : [];
      if (error !== null || near !== undefined || first === undefined) {
        callback(
          error ??
            Object.assign(new Error('the name of the server means an address of this machine or its network link'), {
              code: FORBIDDEN_SCOPE,
            }),
          '',
          4,
        );
      } else if (options.all === true) callback(null, [...addresses], undefined);
      else callback(null, first.address, first.family);
    });
  };
}
