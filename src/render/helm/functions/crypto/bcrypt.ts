/** bcrypt at cost 10, version 2a. */

const COST = 10;
const ROUNDS = 16;
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The cipher's state: 18 subkeys, then four boxes of 256 words. */
type State = Uint32Array;
const BOXES = 18;
const WORDS = BOXES + 4 * 256;

let initial: State | undefined;

/** The state starts with the digits of pi behind the point, which are cheaper to compute than to write down. */
function initialState(): State {
  if (initial !== undefined) return initial;
  const size = BigInt(WORDS * 32);
  const guard = 64n;
  const pi = 16n * arcTangent(5n, size + guard) - 4n * arcTangent(239n, size + guard);
  const hex = ((pi >> guard) & ((1n << size) - 1n)).toString(16).padStart(WORDS * 8, '0');
  initial = Uint32Array.from({ length: WORDS }, (_, index) => parseInt(hex.slice(index * 8, index * 8 + 8), 16));
  return initial;
}

/** arctan(1/x) with so many bits behind the point. */
function arcTangent(x: bigint, size: bigint): bigint {
  let power = (1n << size) / x;
  let sum = power;
  for (let divisor = 3n, sign = -1n; power !== 0n; divisor += 2n, sign = -sign) {
    power /= x * x;
    sum += (sign * power) / divisor;
  }
  return sum;
}

/** One block of two words, in place. */
function encrypt(state: State, block: Uint32Array): void {
  let left = block[0] ?? 0;
  let right = block[1] ?? 0;
  for (let round = 0; round < ROUNDS; round += 2) {
    left ^= state[round] ?? 0;
    right ^= mix(state, left);
    right ^= state[round + 1] ?? 0;
    left ^= mix(state, right);
  }
  block[0] = right ^ (state[17] ?? 0);
  block[1] = left ^ (state[16] ?? 0);
}

function mix(state: State, value: number): number {
  const a = state[BOXES + (value >>> 24)] ?? 0;
  const b = state[BOXES + 256 + ((value >>> 16) & 0xff)] ?? 0;
  const c = state[BOXES + 512 + ((value >>> 8) & 0xff)] ?? 0;
  const d = state[BOXES + 768 + (value & 0xff)] ?? 0;
  return (((a + b) ^ c) + d) | 0;
}

/** The bytes over and over, four at a time; as many words as the longest use needs. */
function cycle(bytes: Uint8Array, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, word) => {
    let value = 0;
    for (let at = 0; at < 4; at++) value = (value << 8) | (bytes[(word * 4 + at) % bytes.length] ?? 0);
    return value >>> 0;
  });
}

/** Mixes a key into the state, and a salt of four words where there is one. */
function expand(state: State, key: Uint32Array, salt: Uint32Array | undefined): void {
  for (let at = 0; at < BOXES; at++) state[at] = (state[at] ?? 0) ^ (key[at] ?? 0);
  const block = new Uint32Array(2);
  for (let at = 0, word = 0; at < WORDS; at += 2, word ^= 2) {
    if (salt !== undefined) {
      block[0] = (block[0] ?? 0) ^ (salt[word] ?? 0);
      block[1] = (block[1] ?? 0) ^ (salt[word + 1] ?? 0);
    }
    encrypt(state, block);
    state[at] = block[0] ?? 0;
    state[at + 1] = block[1] ?? 0;
  }
}

/** `salt` has 16 bytes, the password at most 72. */
export function bcrypt(password: Uint8Array, salt: Uint8Array): string {
  const key = cycle(Buffer.concat([password, Buffer.from([0])]), BOXES);
  const saltWords = cycle(salt, BOXES);
  const state = Uint32Array.from(initialState());
  expand(state, key, saltWords);
  for (let count = 0; count < 1 << COST; count++) {
    expand(state, key, undefined);
    expand(state, saltWords, undefined);
  }
  const words = cycle(Buffer.from('OrpheanBeholderScryDoubt'), 6);
  const hash = Buffer.alloc(24);
  for (let at = 0; at < 6; at += 2) {
    const block = words.slice(at, at + 2);
    for (let count = 0; count < 64; count++) encrypt(state, block);
    hash.writeUInt32BE(block[0] ?? 0, at * 4);
    hash.writeUInt32BE(block[1] ?? 0, at * 4 + 4);
  }
  return `$2a$${COST}$${encode(salt)}${encode(hash.subarray(0, 23))}`;
}

/** base64 in another order and without padding. */
function encode(bytes: Uint8Array): string {
  const usual = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return Buffer.from(bytes)
    .toString('base64')
    .replace(/(?<!=)=+$/, '')
    .replace(/./g, (char) => ALPHABET.charAt(usual.indexOf(char)));
}
