import { checkPrimeSync } from 'node:crypto';
import { functionError, type TemplateError } from '../../template/template-error.js';
import type { FunctionHost } from '../host.js';

/** Large numbers for keys, from the randomness that the host gives. */

export function randomBits(host: FunctionHost, count: number): bigint {
  const bytes = Buffer.from(host.random(Math.ceil(count / 8)));
  return BigInt(`0x${bytes.toString('hex')}`) & ((1n << BigInt(count)) - 1n);
}

/** From 1 up to the limit, the limit not included. */
export function randomBelowBig(host: FunctionHost, limit: bigint): bigint {
  const size = limit.toString(2).length;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const value = randomBits(host, size);
    if (value > 0n && value < limit) return value;
  }
  throw noChance();
}

/** Half of them succeed; a source that fails so often in a row is none. */
const MAX_TRIES = 200;

/**
 * For a host whose randomness is none, such as nothing but zeros: what looks for a number that fits would look for
 * ever.
 */
export function noChance(): TemplateError {
  return functionError('crypto/rand: the random source gives the same numbers again and again');
}

const SMALL_PRIMES: readonly number[] = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113,
];
const SMALL_PRODUCT = SMALL_PRIMES.reduce((product, prime) => product * BigInt(prime), 1n);

function mayBePrime(value: bigint): boolean {
  const rest = value % SMALL_PRODUCT;
  return SMALL_PRIMES.every((prime) => rest % BigInt(prime) !== 0n);
}

export function isPrime(value: bigint): boolean {
  return mayBePrime(value) && checkPrimeSync(value);
}

/** The two highest bits are set, so that the product of two such primes has all its bits. */
export function randomPrime(host: FunctionHost, size: number): bigint {
  let before: bigint | undefined;
  for (;;) {
    const start = randomBits(host, size) | (3n << BigInt(size - 2)) | 1n;
    if (start === before) throw noChance();
    before = start;
    for (let step = 0n; step < 4096n; step += 2n) {
      const value = start + step;
      if (value >> BigInt(size) === 0n && isPrime(value)) return value;
    }
  }
}

export function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let factor = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * factor) % modulus;
    factor = (factor * factor) % modulus;
  }
  return result;
}

/** The number that gives 1 when multiplied with `value`; undefined where the two have a common factor. */
export function inverseModulo(value: bigint, modulus: bigint): bigint | undefined {
  let [a, b] = [value % modulus, modulus];
  let [x, y] = [1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b] = [b, a % b];
    [x, y] = [y, x - quotient * y];
  }
  return a === 1n ? ((x % modulus) + modulus) % modulus : undefined;
}

export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
