import { createCipheriv, createDecipheriv } from 'node:crypto';
import { functionError } from '../../template/template-error.js';

const BLOCK = 16;

/** The password, cut or filled with zeros to 32 bytes. */
function keyOf(password: Uint8Array): Buffer {
  const key = Buffer.alloc(32);
  key.set(password.subarray(0, 32));
  return key;
}

/** AES-256-CBC; the initial block stands in front. */
export function encryptAes(password: Uint8Array, text: Uint8Array, start: Uint8Array): string {
  const cipher = createCipheriv('aes-256-cbc', keyOf(password), start);
  return Buffer.concat([start, cipher.update(text), cipher.final()]).toString('base64');
}

/** Go trusts the padding, so that a wrong password may give nonsense or fail in odd ways. */
export function decryptAes(password: Uint8Array, sealed: Uint8Array, capacity: number): Buffer {
  if (capacity < BLOCK)
    throw functionError(`runtime error: slice bounds out of range [:${BLOCK}] with capacity ${capacity}`);
  const body = sealed.subarray(BLOCK);
  if (sealed.length < BLOCK)
    throw functionError(`runtime error: slice bounds out of range [${BLOCK}:${sealed.length}]`);
  if (body.length % BLOCK !== 0) throw functionError('crypto/cipher: input not full blocks');
  if (body.length === 0) throw functionError('runtime error: index out of range [-1]');
  const cipher = createDecipheriv('aes-256-cbc', keyOf(password), sealed.subarray(0, BLOCK));
  cipher.setAutoPadding(false);
  const text = Buffer.concat([cipher.update(body), cipher.final()]);
  const end = text.length - (text.at(-1) ?? 0);
  if (end < 0) throw functionError(`runtime error: slice bounds out of range [:${end}]`);
  return text.subarray(0, end);
}
