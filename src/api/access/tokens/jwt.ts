import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject, parseJson, writeJson, type JsonObject } from '../../../model/json/index.js';
import type { Claims } from './claims.js';

/** A token that was taken apart. Nothing of it is known to be true. */
export interface UnverifiedToken {
  readonly header: JsonObject;
  readonly claims: Claims;
  /** The text that the signature is of. */
  readonly signed: string;
  readonly signature: Buffer;
}

/** Tokens travel in headers and cookies; no provider makes larger ones. */
const MAX_CHARACTERS = 64 * 1024;
const PART = /^[A-Za-z0-9_-]+$/;

/** Undefined for what has not the form of a signed token. An empty signature is none. */
export function parseToken(token: string): UnverifiedToken | undefined {
  if (token.length > MAX_CHARACTERS) return undefined;
  const [header = '', claims = '', signature = '', more] = token.split('.');
  if (more !== undefined || ![header, claims, signature].every((part) => PART.test(part))) return undefined;
  const [head, body] = [readPart(header), readPart(claims)];
  return head === undefined || body === undefined
    ? undefined
    : { header: head, claims: body, signed: `${header}.${claims}`, signature: Buffer.from(signature, 'base64url') };
}

function readPart(text: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(text, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    // A stranger's token may be anything.
    return undefined;
  }
}

const encoded = (value: JsonObject): string => Buffer.from(writeJson(value)).toString('base64url');

/** Signs with HS256, as Argo CD signs sessions and API tokens. */
export function signToken(claims: Claims, key: Buffer): string {
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`;
  return `${signed}.${mac(signed, key).toString('base64url')}`;
}

/** Whether we signed it. Any other algorithm than ours is none. */
export function isSignedByUs({ header, signed, signature }: UnverifiedToken, key: Buffer): boolean {
  const ours = mac(signed, key);
  return (
    header.alg === 'HS256' && key.length > 0 && signature.length === ours.length && timingSafeEqual(signature, ours)
  );
}

function mac(text: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
