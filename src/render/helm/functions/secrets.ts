import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { CallContext, GoFunction, GoFunctions } from '../template/value/go-function.js';
import { fromBytes, toBytes } from '../template/value/go-text.js';
import { INT, STRING, UINT32 } from '../template/value/go-type.js';
import { functionError } from '../template/template-error.js';
import { runesText } from './text/broken-text.js';
import { decryptAes, encryptAes } from './crypto/aes.js';
import { bcrypt } from './crypto/bcrypt.js';
import { derivePassword } from './crypto/derive-password.js';
import { generatePrivateKey } from './crypto/keys.js';
import { define } from './define.js';
import { decodeBase64 } from './encoding.js';
import { hostOf, randomBelow, type FunctionHost } from './host.js';

function hash(algorithm: string): GoFunction {
  return define([STRING], STRING, (args) =>
    createHash(algorithm)
      .update(toBytes(args.text(0)))
      .digest('hex'),
  );
}

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return high * 65_536 + low;
}

const MAX_PASSWORD_LENGTH = 72;

function bcryptText(password: string, context: CallContext): string {
  const bytes = toBytes(password);
  // The library takes text alone; a hash of anything else would fit no password.
  if (!isUtf8(bytes)) throw functionError('bcrypt: the password is not UTF-8');
  if (bytes.length > MAX_PASSWORD_LENGTH)
    return 'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes';
  context.charge(100_000);
  return bcrypt(Buffer.from(bytes).toString('utf8'), hostOf(context).random(16));
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
const MAX_LENGTH = 64 * 1024 * 1024;

function randomText(letters: string): GoFunction {
  return define([INT], STRING, (args, context) => {
    const count = args.count(0);
    if (count <= 0) return '';
    if (count > MAX_LENGTH) throw functionError('runtime error: makeslice: len out of range');
    context.charge(count);
    const host = hostOf(context);
    return Array.from({ length: count }, () => letters.charAt(randomBelow(host, letters.length))).join('');
  });
}

function shuffle(text: string, host: FunctionHost): string {
  const chars = Array.from(runesText(text));
  for (let at = chars.length - 1; at > 0; at--) {
    const other = randomBelow(host, at + 1);
    [chars[at], chars[other]] = [chars[other] ?? '', chars[at] ?? ''];
  }
  return chars.join('');
}

function uuid(host: FunctionHost): string {
  const bytes = Buffer.from(host.random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function decrypt(password: string, sealed: string): string {
  if (sealed === '') return '';
  const decoded = decodeBase64(sealed);
  if (!('bytes' in decoded)) throw functionError(`illegal base64 data at input byte ${decoded.problemAt}`);
  // Go reserves room for three bytes in place of every four characters.
  const capacity = Math.floor(sealed.length / 4) * 3;
  return fromBytes(decryptAes(toBytes(password), decoded.bytes, capacity));
}

export const SECRETS: GoFunctions = {
  sha1sum: hash('sha1'),
  sha256sum: hash('sha256'),
  sha512sum: hash('sha512'),
  adler32sum: define([STRING], STRING, (args) => String(adler32(toBytes(args.text(0))))),
  bcrypt: define([STRING], STRING, (args, context) => bcryptText(args.text(0), context)),
  htpasswd: define([STRING, STRING], STRING, (args, context) => {
    const name = args.text(0);
    return name.includes(':') ? `invalid username: ${name}` : `${name}:${bcryptText(args.text(1), context)}`;
  }),
  derivePassword: define([UINT32, STRING, STRING, STRING, STRING], STRING, (args, context) => {
    context.charge(500_000);
    return derivePassword({
      counter: args.count(0),
      kind: args.text(1),
      password: toBytes(args.text(2)),
      user: toBytes(args.text(3)),
      site: toBytes(args.text(4)),
    });
  }),
  genPrivateKey: define([STRING], STRING, (args, context) => {
    context.charge(200_000);
    return generatePrivateKey(args.text(0), hostOf(context));
  }),
  encryptAES: define([STRING, STRING], STRING, (args, context) => {
    if (args.text(1) === '') return '';
    return encryptAes(toBytes(args.text(0)), toBytes(args.text(1)), hostOf(context).random(16));
  }),
  decryptAES: define([STRING, STRING], STRING, (args) => decrypt(args.text(0), args.text(1))),
  randAlphaNum: randomText(LETTERS + DIGITS),
  randAlpha: randomText(LETTERS),
  randNumeric: randomText(DIGITS),
  randAscii: randomText(ASCII),
  randBytes: define([INT], STRING, (args, context) => {
    const count = args.count(0);
    if (count < 0 || count > MAX_LENGTH) throw functionError('runtime error: makeslice: len out of range');
    context.charge(count);
    return Buffer.from(hostOf(context).random(count)).toString('base64');
  }),
  shuffle: define([STRING], STRING, (args, context) => {
    context.charge(args.text(0).length * 4);
    return shuffle(args.text(0), hostOf(context));
  }),
  uuidv4: define([], STRING, (_, context) => uuid(hostOf(context))),
};
