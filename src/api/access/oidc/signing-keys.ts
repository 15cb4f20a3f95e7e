import { isArray, isObject, own, type JsonObject } from '../../../model/json/index.js';
import type { UnverifiedToken } from '../tokens/jwt.js';

/** What providers may sign with. Neither `none` nor anything with a shared key is among them. */
export const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA'],
];

const MAX_KEYS = 100;
/** Only the public part is taken, whatever else a provider publishes. */
const PUBLIC_FIELDS = ['kty', 'kid', 'alg', 'use', 'n', 'e', 'crv', 'x', 'y'];

export type SigningKey = JsonObject;

/** The keys of a JWKS document that may sign. */
export function readSigningKeys(document: JsonObject): SigningKey[] {
  const keys = own(document, 'keys');
  if (!isArray(keys)) return [];
  return keys
    .slice(0, MAX_KEYS)
    .filter(isObject)
    .filter(({ use }) => use === undefined || use === 'sig')
    .map(
      (jwk) =>
        Object.fromEntries(
          PUBLIC_FIELDS.flatMap((name) => {
            const value = own(jwk, name);
            return typeof value === 'string' ? [[name, value]] : [];
          }),
        ) as SigningKey,
    );
}

/** Whether one of the keys signed a token: the one that it names, or any where it names none. */
export async function isSignedBy(keys: readonly SigningKey[], token: UnverifiedToken): Promise<boolean> {
  const { compactVerify, createLocalJWKSet, errors } = await import('./jose.js');
  const compact = `${token.signed}.${token.signature.toString('base64url')}`;
  const options = { algorithms: ALGORITHMS };
  try {
    await compactVerify(compact, createLocalJWKSet({ keys: keys.map((key) => ({ ...key })) }), options);
    return true;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return false;
    for await (const key of error) if (await isSigned(() => compactVerify(compact, key, options))) return true;
    return false;
  }
}

async function isSigned(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch {
    // Another key, or one that is too short or of another kind.
    return false;
  }
}
