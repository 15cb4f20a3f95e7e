import { hkdfSync } from 'node:crypto';
import { isObject, parseJson, type JsonObject } from '../../../model/json/index.js';

const MAX_CHARACTERS = 64 * 1024;

/** Each purpose has a key of its own: what was sealed for one is nothing for another. */
const keyOf = (secret: Buffer, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', `argosy ${purpose}`, 32));

/** For a cookie: nobody else can read or make it (JWE, AES-256-GCM). */
export async function seal(value: object, purpose: string, secret: Buffer): Promise<string> {
  const { CompactEncrypt } = await import('./jose.js');
  return new CompactEncrypt(Buffer.from(JSON.stringify(value)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(keyOf(secret, purpose));
}

/** Undefined for what we did not seal. */
export async function unseal(sealed: string, purpose: string, secret: Buffer): Promise<JsonObject | undefined> {
  if (sealed === '' || sealed.length > MAX_CHARACTERS) return undefined;
  const { compactDecrypt } = await import('./jose.js');
  try {
    const { plaintext } = await compactDecrypt(sealed, keyOf(secret, purpose), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    const value = parseJson(Buffer.from(plaintext).toString());
    return isObject(value) ? value : undefined;
  } catch {
    // Made by somebody else, or with another key.
    return undefined;
  }
}
