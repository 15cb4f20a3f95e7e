import { addressNumber, familyOf } from '../validation/addresses.js';
import type { FieldErrors } from '../validation/field-errors.js';

/** Addresses that no endpoint and no external IP may have. */
export function checkEndpointAddress(to: FieldErrors, field: string, address: string): void {
  const refuse = (why: string): void => to.invalid(field, address, why);
  const value = addressNumber(address);
  const v4 = familyOf(address) === 'IPv4';
  const inRange = (from: string, bits: bigint): boolean => value >> bits === addressNumber(from) >> bits;
  if (value === 0n) refuse(`may not be unspecified (${v4 ? address : '::'})`);
  if (v4 ? inRange('127.0.0.0', 24n) : value === 1n) refuse('may not be in the loopback range (127.0.0.0/8, ::1/128)');
  if (v4 ? inRange('169.254.0.0', 16n) : inRange('fe80::', 118n))
    refuse('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  if (v4 ? inRange('224.0.0.0', 8n) : inRange('ff02::', 112n))
    refuse('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
}
