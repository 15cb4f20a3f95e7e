import {
  createPublicKey,
  createSign,
  createVerify,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { isObject, parseJson, writeJson, type JsonObject } from '../../../src/model/json/index.js';

interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const encoded = (value: JsonObject): string => Buffer.from(writeJson(value)).toString('base64url');

/** The keys of a realm: the newest signs, all that are still there verify. */
export class SigningKeys {
  /** The first is made when it is needed: that takes a quarter of a second. */
  #made: SigningKey[] | undefined;

  get #keys(): readonly SigningKey[] {
    this.#made ??= [newKey()];
    return this.#made;
  }

  /** A new key signs from now on. Where the old ones go, what they signed is worth nothing. */
  rotate(keepOld: boolean): void {
    this.#made = [newKey(), ...(keepOld ? this.#keys : [])];
  }

  sign(claims: JsonObject): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('a realm always has a key');
    const text = `${encoded({ alg: 'RS256', typ: 'JWT', kid: key.id })}.${encoded(claims)}`;
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key.privateKey).toString('base64url')}`;
  }

  /** The claims of a token that one of the keys signed. */
  verify(token: string): JsonObject | undefined {
    const [header = '', claims = '', signature = ''] = token.split('.');
    const { kid } = decode(header) ?? {};
    const key = this.#keys.find(({ id }) => id === kid);
    const isSigned =
      key !== undefined &&
      createVerify('RSA-SHA256').update(`${header}.${claims}`).verify(key.publicKey, signature, 'base64url');
    return isSigned ? decode(claims) : undefined;
  }

  jwks(): JsonObject {
    return {
      keys: this.#keys.map(({ id, publicKey }) => ({
        kid: id,
        kty: 'RSA',
        alg: 'RS256',
        use: 'sig',
        ...rsaPart(publicKey),
      })),
    };
  }

  /** The signing key as `/realms/NAME` shows it: DER without lines. */
  get publicKeyText(): string {
    return this.#keys[0]?.publicKey.export({ type: 'spki', format: 'der' }).toString('base64') ?? '';
  }
}

function newKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { id: randomBytes(32).toString('base64url'), privateKey, publicKey: createPublicKey(privateKey) };
}

function rsaPart(key: KeyObject): { readonly n: string; readonly e: string } {
  const { n = '', e = '' } = key.export({ format: 'jwk' });
  return { n, e };
}

function decode(part: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(part, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    // No token of ours.
    return undefined;
  }
}
