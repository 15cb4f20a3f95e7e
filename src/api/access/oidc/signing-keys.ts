import {
  constants,
  createPublicKey,
  verify,
  type JsonWebKey,
  type KeyObject,
  type VerifyKeyObjectInput,
} from 'node:crypto';
import { isArray, isObject, own, type JsonObject } from '../../../model/json/index.js';
import type { UnverifiedToken } from '../tokens/jwt.js';

interface Algorithm {
  readonly keyType: 'RSA' | 'EC' | 'OKP';
  readonly hash: string | null;
  readonly curve?: string;
  readonly isPss?: true;
}

/** What providers may sign with. Neither `none` nor anything with a shared key is among them. */
const ALGORITHMS = new Map<string, Algorithm>([
  ['RS256', { keyType: 'RSA', hash: 'sha256' }],
  ['RS384', { keyType: 'RSA', hash: 'sha384' }],
  ['RS512', { keyType: 'RSA', hash: 'sha512' }],
  ['PS256', { keyType: 'RSA', hash: 'sha256', isPss: true }],
  ['PS384', { keyType: 'RSA', hash: 'sha384', isPss: true }],
  ['PS512', { keyType: 'RSA', hash: 'sha512', isPss: true }],
  ['ES256', { keyType: 'EC', hash: 'sha256', curve: 'P-256' }],
  ['ES384', { keyType: 'EC', hash: 'sha384', curve: 'P-384' }],
  ['ES512', { keyType: 'EC', hash: 'sha512', curve: 'P-521' }],
  ['EdDSA', { keyType: 'OKP', hash: null, curve: 'Ed25519' }],
]);

const MIN_RSA_BITS = 2048;
const MAX_KEYS = 100;

export interface SigningKey {
  readonly id: string;
  readonly jwk: JsonObject;
}

/** The keys of a JWKS document that may sign. */
export function readSigningKeys(document: JsonObject): SigningKey[] {
  const keys = own(document, 'keys');
  if (!isArray(keys)) return [];
  return keys
    .slice(0, MAX_KEYS)
    .filter(isObject)
    .filter(({ use }) => use === undefined || use === 'sig')
    .map((jwk) => ({ id: typeof jwk.kid === 'string' ? jwk.kid : '', jwk }));
}

/** Whether one of the keys signed a token: the one that it names, or any where it names none. */
export function isSignedBy(keys: readonly SigningKey[], token: UnverifiedToken): boolean {
  const { kid, alg } = token.header;
  const algorithm = typeof alg === 'string' ? ALGORITHMS.get(alg) : undefined;
  if (algorithm === undefined) return false;
  return keys
    .filter(
      ({ id, jwk }) =>
        (typeof kid !== 'string' || kid === '' || id === kid) && (jwk.alg === undefined || jwk.alg === alg),
    )
    .some(({ jwk }) => isSignedWith(jwk, algorithm, token));
}

function isSignedWith(
  jwk: JsonObject,
  { keyType, hash, curve, isPss }: Algorithm,
  { signed, signature }: UnverifiedToken,
): boolean {
  if (jwk.kty !== keyType || (curve !== undefined && jwk.crv !== curve)) return false;
  const key = publicKey(jwk);
  if (key === undefined || (keyType === 'RSA' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS))
    return false;
  try {
    return verify(hash, Buffer.from(signed), { key, ...signatureFormat(keyType, isPss) }, signature);
  } catch {
    // A signature of the wrong form.
    return false;
  }
}

function signatureFormat(keyType: Algorithm['keyType'], isPss: boolean | undefined): Partial<VerifyKeyObjectInput> {
  if (keyType === 'EC') return { dsaEncoding: 'ieee-p1363' };
  if (isPss !== true) return {};
  return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}

function publicKey(jwk: JsonObject): KeyObject | undefined {
  try {
    // Only the public part is taken, whatever else a provider publishes.
    const { kty, n, e, crv, x, y } = jwk;
    return createPublicKey({ key: JSON.parse(JSON.stringify({ kty, n, e, crv, x, y })) as JsonWebKey, format: 'jwk' });
  } catch {
    // A key that Node does not know signs nothing for us.
    return undefined;
  }
}
