const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

function isLetter(char: string): boolean {
  const code = char.charCodeAt(0);
  return code < 128 ? (code > 96 && code < 123) || (code > 64 && code < 91) : LETTER.test(char);
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && (char.charCodeAt(0) < 128 ? char >= '0' && char <= '9' : DIGIT.test(char));
}

/** The order in which go-yaml writes keys: letters after everything else, numbers inside names by their value. */
export function compareKeys(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let i = 0;
  while (i < end && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === end) return a.length - b.length;
  const x = a.charCodeAt(i) | 32;
  const y = b.charCodeAt(i) | 32;
  if (x > 96 && x < 123 && y > 96 && y < 123) return a.charCodeAt(i) - b.charCodeAt(i);
  return compareFrom(Array.from(a), Array.from(b));
}

function compareFrom(a: readonly string[], b: readonly string[]): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  const [x, y] = [a[i], b[i]];
  if (x === undefined || y === undefined) return a.length - b.length;
  const [xLetter, yLetter] = [isLetter(x), isLetter(y)];
  if (xLetter !== yLetter) return xLetter ? 1 : -1;
  return xLetter ? codeOf(x) - codeOf(y) : compareNumbers(a, b, i) || codeOf(x) - codeOf(y);
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

/** Compares the numbers that start at `i`, by value and then by length. */
function compareNumbers(a: readonly string[], b: readonly string[], i: number): number {
  const seed = (a[i] === '0' || b[i] === '0') && followsNumber(a, i) ? 1n : 0n;
  const [x, xEnd] = numberFrom(a, i, seed);
  const [y, yEnd] = numberFrom(b, i, seed);
  if (x === y) return xEnd - yEnd;
  return x < y ? -1 : 1;
}

/** A zero counts as a digit of the number before it, unless that is all zeros. */
function followsNumber(chars: readonly string[], i: number): boolean {
  for (let j = i - 1; j >= 0 && isDigit(chars[j]); j--) if (chars[j] !== '0') return true;
  return false;
}

/** Go counts in an int64, which may wrap. */
function numberFrom(chars: readonly string[], start: number, seed: bigint): [bigint, number] {
  let value = seed;
  let end = start;
  for (; isDigit(chars[end]); end++) value = BigInt.asIntN(64, value * 10n + BigInt(codeOf(chars[end] ?? '0') - 48));
  return [value, end];
}
