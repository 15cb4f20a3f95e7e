import { createHmac, scryptSync } from 'node:crypto';

/** Passwords as the Master Password algorithm derives them; templates and letters are facts of that algorithm. */
const SEED = 'com.lyndir.masterpassword';
const TEMPLATES: Readonly<Record<string, string>> = {
  maximum: 'anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno',
  long:
    'CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv ' +
    'CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv ' +
    'CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno',
  medium: 'CvcnoCvc CvcCvcno',
  short: 'Cvcn',
  basic: 'aaanaaan aannaaan aaannaaa',
  pin: 'nnnn',
};
const LETTERS: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  A: 'AEIOUBCDFGHJKLMNPQRSTVWXYZ',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
};
const MEMORY = 128 * 1024 * 1024;

export interface PasswordRequest {
  readonly counter: number;
  readonly kind: string;
  readonly password: Uint8Array;
  readonly user: Uint8Array;
  readonly site: Uint8Array;
}

export function derivePassword({ counter, kind, password, user, site }: PasswordRequest): string {
  const templates = (Object.hasOwn(TEMPLATES, kind) ? TEMPLATES[kind] : undefined)?.split(' ');
  if (templates === undefined) return `cannot find password template ${kind}`;
  const key = scryptSync(password, Buffer.concat([Buffer.from(SEED), uint32(user.length), user]), 64, {
    N: 32_768,
    r: 8,
    p: 2,
    maxmem: MEMORY,
  });
  const seed = createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(SEED), uint32(site.length), site, uint32(counter)]))
    .digest();
  const template = templates[(seed[0] ?? 0) % templates.length] ?? '';
  return Array.from(template, (symbol, index) => {
    const letters = LETTERS[symbol] ?? '';
    return letters.charAt((seed[index + 1] ?? 0) % letters.length);
  }).join('');
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
