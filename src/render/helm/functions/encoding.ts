import type { GoFunctions } from '../template/value/go-function.js';
import { STRING } from '../template/value/go-type.js';
import { toBytes, fromBytes, toByteString } from '../template/value/go-text.js';
import { define } from './define.js';

export type Decoded = { readonly bytes: Uint8Array } | { readonly problemAt: number };

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Standard base64 as Go reads it: newlines do not count, padding must be there. */
export function decodeBase64(text: string): Decoded {
  const plain = text.replace(/[\r\n]/g, '');
  if (BASE64.test(plain)) return { bytes: Buffer.from(plain, 'base64') };
  return { problemAt: base64ErrorOffset(toByteString(text)) };
}

/** Where Go stops; offsets count newlines, too. */
function base64ErrorOffset(input: string): number {
  let at = 0;
  let digits = 0;
  const skip = (): void => {
    while (/^[\r\n]$/.test(input.charAt(at))) at++;
  };
  for (skip(); /^[A-Za-z0-9+/]$/.test(input.charAt(at)); skip()) {
    at++;
    digits++;
  }
  const rest = digits % 4;
  if (at >= input.length) return at - rest;
  if (input.charAt(at) !== '=' || rest < 2) return at;
  at++;
  if (rest === 2) {
    skip();
    if (at >= input.length) return input.length;
    if (input.charAt(at) !== '=') return at - 1;
    at++;
  }
  skip();
  return at;
}

/** Here newlines go before anything is counted, and what follows the padding is not looked at. */
function decodeBase32(text: string): Decoded {
  const input = toByteString(text).replace(/[\r\n]/g, '');
  for (let at = 0; ; at++) {
    const rest = at % 8;
    const left = input.length - at - 1;
    if (left < 0) return rest === 0 ? { bytes: base32Bytes(input) } : { problemAt: at - rest };
    const char = input.charAt(at);
    if (char === '=' && rest >= 2 && left < 8) return paddedBase32(input, at);
    if (!/[A-Z2-7]/.test(char)) return { problemAt: at };
  }
}

function paddedBase32(input: string, at: number): Decoded {
  const rest = at % 8;
  if (input.length - at - 1 + rest < 7) return { problemAt: input.length };
  for (let next = 0; next < 7 - rest; next++) if (input.charAt(at + 1 + next) !== '=') return { problemAt: at + next };
  return rest === 3 || rest === 6 ? { problemAt: at } : { bytes: base32Bytes(input.slice(0, at)) };
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32Bytes(digits: string): Uint8Array {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const char of digits) {
    value = ((value << 5) | BASE32.indexOf(char)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 0xff);
    }
  }
  return Uint8Array.from(bytes);
}

function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; ) {
      bits -= 5;
      text += BASE32.charAt((value >> bits) & 31);
    }
  }
  if (bits > 0) text += BASE32.charAt((value << (5 - bits)) & 31);
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

/** sprig prints the problem where the text should be. */
function decodedText(decoded: Decoded, name: string): string {
  return 'bytes' in decoded ? fromBytes(decoded.bytes) : `illegal ${name} data at input byte ${decoded.problemAt}`;
}

export const ENCODING: GoFunctions = {
  b64enc: define([STRING], STRING, (args) => Buffer.from(toBytes(args.text(0))).toString('base64')),
  b64dec: define([STRING], STRING, (args) => decodedText(decodeBase64(args.text(0)), 'base64')),
  b32enc: define([STRING], STRING, (args) => encodeBase32(toBytes(args.text(0)))),
  b32dec: define([STRING], STRING, (args) => decodedText(decodeBase32(args.text(0)), 'base32')),
};
