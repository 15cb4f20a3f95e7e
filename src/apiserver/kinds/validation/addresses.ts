import { isIP, isIPv4 } from 'node:net';
import type { FieldErrors } from './field-errors.js';

/** IPv4 parts may have leading zeros in old objects; the real server still takes them where a field is old. */
function sloppy(value: string): string {
  return /^\d+(\.\d+){3}$/.test(value)
    ? value
        .split('.')
        .map((part) => String(Number(part)))
        .join('.')
    : value;
}

export function isAddress(value: string): boolean {
  return isIP(sloppy(value)) !== 0;
}

export function familyOf(value: string): 'IPv4' | 'IPv6' {
  return isIPv4(sloppy(value)) ? 'IPv4' : 'IPv6';
}

export function checkAddress(to: FieldErrors, field: string, value: string): boolean {
  if (isAddress(value)) return true;
  to.invalid(field, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
  return false;
}

export function isCidr(value: string): boolean {
  const [address = '', bits = '', ...more] = value.split('/');
  if (more.length > 0 || !isAddress(address) || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (familyOf(address) === 'IPv4' ? 32 : 128);
}

export function checkCidr(to: FieldErrors, field: string, value: string): boolean {
  if (isCidr(value)) return true;
  to.invalid(field, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
  return false;
}

/** An address as a number, for range questions. */
export function addressNumber(value: string): bigint {
  const plain = sloppy(value);
  if (isIPv4(plain)) return plain.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  return expand(plain).reduce((sum, part) => (sum << 16n) | BigInt(parseInt(part, 16)), 0n);
}

export function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => ((value >> shift) & 255n).toString()).join('.');
}

/** The eight groups of an IPv6 address. */
function expand(address: string): string[] {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  if (dotted !== null) {
    const low = addressNumber(dotted[2] ?? '');
    return expand(`${dotted[1] ?? ''}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`);
  }
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  if (tail === undefined) return left;
  const right = tail === '' ? [] : tail.split(':');
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
}

/** Is `inner` a range strictly inside `outer`, as NetworkPolicy's `except` asks? */
export function strictlyInside(inner: string, outer: string): boolean {
  const [innerAddress = '', innerBits = ''] = inner.split('/');
  const [outerAddress = '', outerBits = ''] = outer.split('/');
  const family = familyOf(outerAddress);
  if (familyOf(innerAddress) !== family || Number(innerBits) <= Number(outerBits)) return false;
  const shift = BigInt((family === 'IPv4' ? 32 : 128) - Number(outerBits));
  return addressNumber(innerAddress) >> shift === addressNumber(outerAddress) >> shift;
}
