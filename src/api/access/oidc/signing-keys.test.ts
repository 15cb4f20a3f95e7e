import { constants, generateKeyPairSync, sign, type KeyObject, type SignKeyObjectInput } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../model/json/index.js';
import { parseToken } from '../tokens/jwt.js';
import { isSignedBy, readSigningKeys, type SigningKey } from './signing-keys.js';

interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const ec = (namedCurve: string): Pair => generateKeyPairSync('ec', { namedCurve });
const WAYS: readonly (readonly [alg: string, pair: Pair, hash: string | null, options: Partial<SignKeyObjectInput>])[] =
  [
    ['RS256', rsa, 'sha256', {}],
    ['RS512', rsa, 'sha512', {}],
    ['PS256', rsa, 'sha256', pss],
    ['PS384', rsa, 'sha384', pss],
    ['ES256', ec('P-256'), 'sha256', { dsaEncoding: 'ieee-p1363' }],
    ['ES384', ec('P-384'), 'sha384', { dsaEncoding: 'ieee-p1363' }],
    ['ES512', ec('P-521'), 'sha512', { dsaEncoding: 'ieee-p1363' }],
    ['EdDSA', generateKeyPairSync('ed25519'), null, {}],
  ];

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwk = ({ publicKey }: Pair, more: JsonObject): JsonObject => ({
  ...(publicKey.export({ format: 'jwk' }) as JsonObject),
  ...more,
});
const keysOf = (...keys: JsonObject[]): SigningKey[] => readSigningKeys({ keys });

function token(
  header: JsonObject,
  pair: Pair,
  hash: string | null,
  options: Partial<SignKeyObjectInput>,
): ReturnType<typeof parseToken> {
  const text = `${part(header)}.${part({ sub: 'alice' })}`;
  return parseToken(
    `${text}.${sign(hash, Buffer.from(text), { key: pair.privateKey, ...options }).toString('base64url')}`,
  );
}

const isSigned = async (keys: readonly SigningKey[], given: ReturnType<typeof parseToken>): Promise<boolean> =>
  given !== undefined && (await isSignedBy(keys, given));

describe('keys of a provider', () => {
  it.each(WAYS)('%s', async (alg, pair, hash, options) => {
    const given = token({ alg, kid: 'a' }, pair, hash, options);
    expect(await isSigned(keysOf(jwk(pair, { kid: 'a' })), given)).toBe(true);
    expect(await isSigned(keysOf(jwk(pair, { kid: 'a', use: 'sig', alg })), given)).toBe(true);
    expect(await isSigned(keysOf(jwk(pair, { kid: 'b' })), given)).toBe(false);
    expect(await isSigned(keysOf(jwk(pair, { kid: 'a', use: 'enc' })), given)).toBe(false);
    expect(await isSigned(keysOf(jwk(pair, { kid: 'a', alg: 'HS256' })), given)).toBe(false);
    expect(await isSigned(keysOf(), given)).toBe(false);
    for (const [other] of WAYS)
      if (other !== alg)
        expect([
          other,
          await isSigned(keysOf(jwk(pair, { kid: 'a' })), token({ alg: other, kid: 'a' }, pair, hash, options)),
        ]).toEqual([other, false]);
  });

  it('a token without a key id is checked against all keys', async () => {
    expect(
      await isSigned(
        keysOf(jwk(ec('P-256'), { kid: 'x' }), jwk(rsa, { kid: 'y' })),
        token({ alg: 'RS256' }, rsa, 'sha256', {}),
      ),
    ).toBe(true);
  });

  it('short keys are rejected', async () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
    expect(await isSigned(keysOf(jwk(short, {})), token({ alg: 'RS256' }, short, 'sha256', {}))).toBe(false);
  });

  it.each(['none', 'HS256', 'HS512', 'constructor', '', 'rs256'])('%j is not an accepted algorithm', async (alg) => {
    expect(await isSigned(keysOf(jwk(rsa, {})), token({ alg }, rsa, 'sha256', {}))).toBe(false);
  });

  it.each<JsonObject>([
    {},
    { keys: {} },
    { keys: [1, null] },
    { keys: [{ kty: 'RSA' }] },
    { keys: [{ kty: 'RSA', n: '!', e: 'AQAB' }] },
    { keys: [{ kty: 'EC', crv: 'P-256', x: 'a', y: 'b' }] },
  ])('%j has no usable key', async (document) => {
    expect(await isSigned(readSigningKeys(document), token({ alg: 'RS256' }, rsa, 'sha256', {}))).toBe(false);
  });
});
