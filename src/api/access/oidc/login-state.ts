import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { numberAt, textAt } from '../../../model/json/index.js';
import { seal, unseal } from './seal.js';

/** What must be remembered between the way to a provider and the way back. */
export interface LoginState {
  readonly state: string;
  readonly nonce: string;
  /** Proves that who comes back is who went. */
  readonly verifier: string;
  readonly redirectUri: string;
  /** Where to go then: a path of ours. */
  readonly returnUrl: string;
  /** Seconds since 1970. */
  readonly until: number;
}

const PURPOSE = 'login state';

/** 256 bits, from the system. */
export function randomText(): string {
  return randomBytes(32).toString('base64url');
}

export function sameText(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

export function sealState(state: LoginState, secret: Buffer): Promise<string> {
  return seal(state, PURPOSE, secret);
}

export async function openState(sealed: string, secret: Buffer): Promise<LoginState | undefined> {
  const value = await unseal(sealed, PURPOSE, secret);
  if (value === undefined) return undefined;
  return {
    state: textAt(value, 'state'),
    nonce: textAt(value, 'nonce'),
    verifier: textAt(value, 'verifier'),
    redirectUri: textAt(value, 'redirectUri'),
    returnUrl: textAt(value, 'returnUrl'),
    until: numberAt(value, 'until') ?? 0,
  };
}
