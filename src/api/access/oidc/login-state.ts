import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { isObject, own, parseJson, type Json } from '../../../model/json/index.js';

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

/** 256 bits, from the system. */
export function randomText(): string {
  return randomBytes(32).toString('base64url');
}

/** S256 of RFC 7636. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

export function sameText(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

const keyOf = (secret: Buffer): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'argosy login state', 32));

/** For a cookie: nobody else can read or make it. */
export function sealState(state: LoginState, secret: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(state)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/** Undefined for what we did not seal. */
export function openState(sealed: string, secret: Buffer): LoginState | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < 29 || bytes.length > 4096) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(12, 28));
    return readState(parseJson(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString()));
  } catch {
    // Made by somebody else, or with another key.
    return undefined;
  }
}

function readState(value: Json): LoginState | undefined {
  if (!isObject(value)) return undefined;
  const [state, nonce, verifier, redirectUri, returnUrl, until] = [
    'state',
    'nonce',
    'verifier',
    'redirectUri',
    'returnUrl',
    'until',
  ].map((key) => own(value, key));
  if (
    typeof state !== 'string' ||
    typeof nonce !== 'string' ||
    typeof verifier !== 'string' ||
    typeof redirectUri !== 'string' ||
    typeof returnUrl !== 'string' ||
    typeof until !== 'number'
  )
    return undefined;
  return { state, nonce, verifier, redirectUri, returnUrl, until };
}
