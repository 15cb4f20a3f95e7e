import { createHmac, generateKeyPairSync, sign } from 'node:crypto';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as a stranger makes it; `key` is what they happen to know. */
function forged(header: object, claims: object, key: Buffer | undefined): string {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${key === undefined ? '' : createHmac('sha256', key).update(text).digest('base64url')}`;
}

const HS256 = { alg: 'HS256', typ: 'JWT' };

/**
 * Tokens that prove nothing, by what is wrong with them. `key` is the real one: what is signed with it is wrong in
 * other ways.
 */
export function forgeries(key: Buffer, now: number): Readonly<Record<string, string>> {
  const good = {
    iss: 'argocd',
    sub: 'admin:login',
    iat: now - 10,
    nbf: now - 10,
    exp: now + 3600,
    jti: 'b6b2ee2f-0c0f-4b8a-9d2e-3f7a5a4a2f10',
  };
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const text = `${part({ alg: 'RS256' })}.${part(good)}`;
  const signed = forged(HS256, good, key);
  const [head = '', body = '', signature = ''] = signed.split('.');
  const withClaims = (claims: object): string => forged(HS256, { ...good, ...claims }, key);
  return {
    'no algorithm': forged({ alg: 'none' }, good, undefined),
    'no algorithm, with a signature': forged({ alg: 'none' }, good, key),
    'None in capitals': forged({ alg: 'NONE' }, good, key),
    'another key': forged(HS256, good, Buffer.from('guess')),
    'an empty key': forged(HS256, good, Buffer.alloc(0)),
    'an empty signature': `${head}.${body}.`,
    'half a signature': `${head}.${body}.${signature.slice(0, 20)}`,
    'the claims of another token': `${head}.${part({ ...good, sub: 'admin:login', exp: now + 99_999 })}.${signature}`,
    'RS256 with a key of their own': `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`,
    'HS256 with a public key': forged(
      { ...HS256, kid: 'x' },
      good,
      Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })),
    ),
    'HS512 by name': forged({ alg: 'HS512' }, good, key),
    expired: withClaims({ exp: now - 1 }),
    'not yet valid': withClaims({ nbf: now + 60 }),
    'made in the future': withClaims({ iat: now + 60 }),
    'no time': forged(HS256, { iss: 'argocd', sub: 'admin:login', jti: 'x' }, key),
    'exp is a text': withClaims({ exp: '9999999999' }),
    'exp is null': withClaims({ exp: null }),
    'exp is a list': withClaims({ exp: [now + 60] }),
    'exp is too large': forged(HS256, good, key).replace(
      body,
      Buffer.from(JSON.stringify(good).replace(/"exp":\d+/, '"exp":1e999')).toString('base64url'),
    ),
    'another issuer': withClaims({ iss: 'https://evil.example.com' }),
    'no issuer': withClaims({ iss: undefined }),
    'issuer is a list': withClaims({ iss: ['argocd'] }),
    'admin without a word': withClaims({ sub: 'admin' }),
    'an API token that nobody made': withClaims({ sub: 'admin:apiKey' }),
    'an account that is not there': withClaims({ sub: 'root:login' }),
    'no subject': withClaims({ sub: undefined }),
    'subject is an object': withClaims({ sub: { name: 'admin' } }),
    'a role of a project that is not there': withClaims({ sub: 'proj:none:ci' }),
    'no id': withClaims({ jti: undefined }),
    'id is a number': withClaims({ jti: 7 }),
    'of a prototype': withClaims({ sub: '__proto__:login' }),
    'no JSON': `${head}.${Buffer.from('{').toString('base64url')}.${signature}`,
    'a list': `${head}.${part([1])}.${signature}`,
    'four parts': `${signed}.x`,
    'one part': 'x',
    dots: '..',
    long: 'x'.repeat(70_000).replaceAll('xx', 'x.'),
  };
}
