import { createHmac, timingSafeEqual } from 'node:crypto';
import { Fault, isObject, parseJson, type JsonObject } from '../../model/index.js';

const HEADER = encode({ alg: 'HS256', typ: 'JWT' });

/** A token signed with HMAC-SHA256, as Argo CD signs those of its own accounts. */
export function signToken(claims: JsonObject, key: Buffer): string {
  const signed = `${HEADER}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/** The claims of a token that this key signed; undefined for anything else. Times are for the caller to judge. */
export function readToken(token: string, key: Buffer): JsonObject | undefined {
  const [header = '', claims = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || token.length > 16_384) return undefined;
  const expected = createHmac('sha256', key).update(`${header}.${claims}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return decode(header)?.alg === 'HS256' ? decode(claims) : undefined;
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(text: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
