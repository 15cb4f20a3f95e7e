import type { CallContext } from '../template/value/go-function.js';
import { functionError } from '../template/template-error.js';

/** What functions take from outside, so that a render can be repeated. */
export interface FunctionHost {
  /** Nanoseconds since 1970. */
  now(): bigint;
  /** Bytes nobody can guess. */
  random(count: number): Uint8Array;
  /** The zone that Go calls Local, by its name in the time zone database. */
  readonly zone: string;
}

export function hostOf(context: CallContext): FunctionHost {
  const { host } = context;
  if (!isHost(host)) throw new TypeError('the template runs without clock and randomness');
  return host;
}

function isHost(host: unknown): host is FunctionHost {
  return typeof host === 'object' && host !== null && 'now' in host && 'random' in host && 'zone' in host;
}

/** A whole number from 0 up to `limit`, each as likely as the other. */
export function randomBelow(host: FunctionHost, limit: number): number {
  if (limit <= 1) return 0;
  const most = 2 ** 48 - (2 ** 48 % limit);
  for (let tries = 0; tries < 200; tries++) {
    const value = host.random(6).reduce((sum, byte) => sum * 256 + byte, 0);
    if (value < most) return value % limit;
  }
  throw functionError('crypto/rand: the random source gives the same numbers again and again');
}
