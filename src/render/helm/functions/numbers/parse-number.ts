/** Numbers from text as Go's strconv reads them. */

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

export type ParsedInt =
  | { readonly value: bigint; readonly problem?: undefined }
  | { readonly value: bigint; readonly problem: 'invalid syntax' | 'value out of range' };

const SYNTAX: ParsedInt = { value: 0n, problem: 'invalid syntax' };
const DIGITS: ReadonlyMap<number, RegExp> = new Map([
  [2, /^[01]+$/],
  [8, /^[0-7]+$/],
  [10, /^[0-9]+$/],
  [16, /^[0-9a-fA-F]+$/],
]);
const PREFIXES: ReadonlyMap<number, string> = new Map([
  [2, '0b'],
  [8, '0o'],
  [10, ''],
  [16, '0x'],
]);

/** strconv.ParseInt for 64 bits; base 0 takes 0x, 0o, 0b, a leading 0 and underscores between digits. */
export function parseInt64(text: string, base: 0 | 8 | 10): ParsedInt {
  const unsigned = /^[-+]/.test(text) ? text.slice(1) : text;
  const { radix, digits } = base === 0 ? withPrefix(unsigned) : { radix: base, digits: unsigned };
  if (digits === undefined || !(DIGITS.get(radix)?.test(digits) ?? false)) return SYNTAX;
  const significant = digits.replace(/^0+(?=.)/, '');
  // More digits than 64 bits could have; BigInt would take quadratic time on a megabyte of them.
  const size = significant.length > 64 ? 2n ** 64n : BigInt(`${PREFIXES.get(radix) ?? ''}${significant}`);
  const value = text.startsWith('-') ? -size : size;
  if (value < MIN) return { value: MIN, problem: 'value out of range' };
  return value > MAX ? { value: MAX, problem: 'value out of range' } : { value };
}

const RADIX_OF_LETTER: ReadonlyMap<string, number> = new Map([
  ['x', 16],
  ['b', 2],
  ['o', 8],
]);

function withPrefix(text: string): { radix: number; digits: string | undefined } {
  const letter = text.length >= 3 && text.startsWith('0') ? text.charAt(1).toLowerCase() : '';
  const radix = RADIX_OF_LETTER.get(letter) ?? (text.startsWith('0') && text.length > 1 ? 8 : 10);
  const rest = 'xbo'.includes(letter) && letter !== '' ? text.slice(2) : text;
  if (!rest.includes('_')) return { radix, digits: rest };
  // One underscore may follow the prefix, and each must stand between digits.
  const body = rest !== text && rest.startsWith('_') ? rest.slice(1) : rest;
  return { radix, digits: /^_|_$|__/.test(body) ? undefined : body.replaceAll('_', '') };
}

const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const HEXADECIMAL = /^([-+]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([-+]?\d+)$/;
const WORD = /^(?:([-+]?)(?:inf|infinity)|nan)$/i;

/** strconv.ParseFloat; undefined where Go reports an error, numbers too large included. */
export function parseFloat64(text: string): number | undefined {
  const word = WORD.exec(text);
  if (word !== null) {
    if (/nan/i.test(text)) return NaN;
    return word[1] === '-' ? -Infinity : Infinity;
  }
  const plain = text.includes('_') ? withoutUnderscores(text) : text;
  if (plain === undefined) return undefined;
  const value = DECIMAL.test(plain) ? Number(plain) : hexFloat(plain);
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}

/** Each underscore must stand between digits; a prefix counts as a digit. */
function withoutUnderscores(text: string): string | undefined {
  const isHex = /^[-+]?0[xX]/.test(text);
  const body = text.replace(/^[-+]?(?:0[bBoOxX])?/, (prefix) => (prefix.length > 1 ? '0' : ''));
  const misplaced = isHex ? /(?<![0-9a-fA-F])_|_(?![0-9a-fA-F])/ : /(?<!\d)_|_(?!\d)/;
  return misplaced.test(body) ? undefined : text.replaceAll('_', '');
}

function hexFloat(text: string): number | undefined {
  const [, sign, whole = '', fraction = '', power = '0'] = HEXADECIMAL.exec(text) ?? [];
  if (sign === undefined || whole + fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return sign === '-' ? -0 : 0;
  const exponent = Number(power) - 4 * fraction.length;
  const size = roundedBinary(digits, exponent);
  return sign === '-' ? -size : size;
}

/** digits times two to the power, rounded once to the nearest float, ties to even. */
function roundedBinary(digits: string, power: number): number {
  const mantissa = BigInt(`0x${digits}`);
  const bits = mantissa.toString(2).length;
  if (bits + power > 1024) return Infinity;
  if (bits + power < -1074) return 0;
  // Bits below the last that fits: 53 for a normal number, fewer for a tiny one.
  const drop = Math.max(bits - 53, -1074 - power, 0);
  const unit = 1n << BigInt(drop);
  const rest = mantissa % unit;
  let kept = mantissa / unit;
  if (rest * 2n > unit || (rest * 2n === unit && kept % 2n === 1n)) kept++;
  const scale = power + drop;
  if (scale > 971) return Number(kept) * 2 ** 971 * 2 ** (scale - 971);
  return scale < -1022 ? Number(kept) * 2 ** (scale + 52) * 2 ** -52 : Number(kept) * 2 ** scale;
}
