import { formatFloat, formatHexFloat, type FloatVerb } from './float.js';
import { isPrintable } from './printable.js';
import { canBackquote, quoteBytes, quoteRune } from './quote.js';
import { countRunes, encodeRune, firstRunes, MAX_RUNE, RUNE_ERROR } from './utf8.js';

/** What stands between `%` and the verb. */
export interface Directive {
  minus: boolean;
  plus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** Set instead of sharp and plus for the verb v. */
  sharpV: boolean;
  plusV: boolean;
  width: number | undefined;
  precision: number | undefined;
}

export function newDirective(): Directive {
  return {
    minus: false,
    plus: false,
    sharp: false,
    space: false,
    zero: false,
    sharpV: false,
    plusV: false,
    width: undefined,
    precision: undefined,
  };
}

/** Go pads strings with zeros too when asked to. */
export function pad(text: string, directive: Directive, mayBeZeros = true): string {
  const { width } = directive;
  if (width === undefined || (width <= text.length && width <= countRunes(text))) return text;
  const filler = (directive.zero && !directive.minus && mayBeZeros ? '0' : ' ').repeat(
    Math.max(width - countRunes(text), 0),
  );
  return directive.minus ? text + filler : filler + text;
}

/** A string under a verb; undefined if the verb is not for strings. */
export function formatString(text: string, verb: string, directive: Directive): string | undefined {
  switch (verb) {
    case 'v':
      return directive.sharpV ? quoted(text, directive) : pad(cut(text, directive), directive);
    case 's':
      return pad(cut(text, directive), directive);
    case 'x':
      return hexBytes(text, 'x', directive);
    case 'X':
      return hexBytes(text, 'X', directive);
    case 'q':
      return quoted(text, directive);
    default:
      return undefined;
  }
}

function cut(text: string, { precision }: Directive): string {
  return precision === undefined ? text : firstRunes(text, precision);
}

function quoted(text: string, directive: Directive): string {
  const kept = cut(text, directive);
  if (directive.sharp && canBackquote(kept)) return pad(`\`${kept}\``, directive);
  return pad(quoteBytes(kept, directive.plus), directive);
}

function hexBytes(text: string, letter: 'x' | 'X', directive: Directive): string {
  const { precision, sharp, space } = directive;
  const bytes = precision !== undefined && precision < text.length ? text.slice(0, precision) : text;
  if (bytes === '') return pad('', directive);
  const pairs = Array.from(bytes, (char) => char.charCodeAt(0).toString(16).padStart(2, '0'));
  const prefix = sharp ? `0${letter}` : '';
  const body = space ? pairs.join(` ${sharp ? '0x' : ''}`) : pairs.join('');
  return pad(prefix + (letter === 'X' ? body.toUpperCase() : body), directive);
}

/** A whole number under a verb; undefined if the verb is not for integers. */
export function formatInteger(value: number | bigint, verb: string, directive: Directive): string | undefined {
  switch (verb) {
    case 'v':
    case 'd':
      return digits(value, 10, verb, directive);
    case 'b':
      return digits(value, 2, verb, directive);
    case 'o':
    case 'O':
      return digits(value, 8, verb, directive);
    case 'x':
    case 'X':
      return digits(value, 16, verb, directive);
    case 'c':
      return pad(encodeRune(runeOf(value)), directive);
    case 'q':
      return pad(quoteRune(runeOf(value), directive.plus), directive);
    case 'U':
      return unicode(value, directive);
    default:
      return undefined;
  }
}

function runeOf(value: number | bigint): number {
  return value < 0 || value > MAX_RUNE ? RUNE_ERROR : Number(value);
}

function radixText(value: number | bigint, radix: number): string {
  const whole = Number.isSafeInteger(value) ? value : BigInt(value);
  return (whole < 0 ? -whole : whole).toString(radix);
}

function digits(value: number | bigint, radix: number, verb: string, directive: Directive): string {
  const { width, precision, plus, space, sharp } = directive;
  if (precision === 0 && Number(value) === 0) return ' '.repeat(width ?? 0);
  const isNegative = value < 0;
  let text = radixText(value, radix).padStart(minDigits(isNegative, directive), '0');
  if (sharp) text = withRadixPrefix(text, radix);
  if (verb === 'O') text = `0o${text}`;
  if (verb === 'X') text = text.toUpperCase();
  if (isNegative) text = `-${text}`;
  else if (plus) text = `+${text}`;
  else if (space) text = ` ${text}`;
  return pad(text, directive, false);
}

/** Digits to fill up with zeros: the precision, or the width less the sign under the flag 0. */
function minDigits(isNegative: boolean, { width, precision, plus, space, zero, minus }: Directive): number {
  if (precision !== undefined) return precision;
  if (!zero || minus || width === undefined) return 0;
  return width - (isNegative || plus || space ? 1 : 0);
}

function withRadixPrefix(text: string, radix: number): string {
  if (radix === 2) return `0b${text}`;
  if (radix === 8 && !text.startsWith('0')) return `0${text}`;
  return radix === 16 ? `0x${text}` : text;
}

function unicode(value: number | bigint, directive: Directive): string {
  const unsigned = BigInt.asUintN(64, BigInt(value));
  const least = Math.max(directive.precision ?? 0, 4);
  const code = `U+${unsigned.toString(16).toUpperCase().padStart(least, '0')}`;
  const shown =
    directive.sharp && value >= 0 && value <= MAX_RUNE && isPrintable(Number(value))
      ? ` '${encodeRune(Number(value))}'`
      : '';
  return pad(code + shown, directive, false);
}

/** A float under a verb; undefined if the verb is not for floats. */
export function formatFloatVerb(value: number, verb: string, directive: Directive): string | undefined {
  switch (verb) {
    case 'v':
      return float(value, 'g', directive, undefined);
    case 'g':
    case 'G':
      return float(value, verb, directive, undefined);
    case 'e':
    case 'E':
    case 'f':
      return float(value, verb, directive, 6);
    case 'F':
      return float(value, 'f', directive, 6);
    case 'b':
      return padSigned(formatHexFloat(value, verb, undefined), directive);
    case 'x':
    case 'X':
      return hexFloat(value, verb, directive);
    default:
      return undefined;
  }
}

function float(value: number, verb: FloatVerb, directive: Directive, usual: number | undefined): string {
  const precision = directive.precision ?? usual;
  const signed = formatFloat(value, verb, precision);
  return padSigned(directive.sharp && Number.isFinite(value) ? withPoint(signed, verb, precision) : signed, directive);
}

function hexFloat(value: number, verb: 'x' | 'X', directive: Directive): string {
  const signed = formatHexFloat(value, verb, directive.precision);
  return padSigned(
    directive.sharp && Number.isFinite(value) ? withPoint(signed, verb, directive.precision) : signed,
    directive,
  );
}

function padSigned(signed: string, directive: Directive): string {
  const { plus, space, zero, minus, width } = directive;
  const text = space && signed.startsWith('+') && !plus ? ` ${signed.slice(1)}` : signed;
  const kind = text.charAt(1);
  if (kind === 'I' || kind === 'N')
    return pad(kind === 'N' && !space && !plus ? text.slice(1) : text, directive, false);
  if (!plus && text.startsWith('+')) return pad(text.slice(1), directive);
  // The sign goes before the zeros.
  if (zero && !minus && width !== undefined && width > text.length)
    return text.charAt(0) + text.slice(1).padStart(width - 1, '0');
  return pad(text, directive);
}

/** The flag # keeps the decimal point, and for g and x the trailing zeros; the x of 0x counts as a digit. */
function withPoint(signed: string, verb: FloatVerb | 'x' | 'X', precision: number | undefined): string {
  const isHex = verb === 'x' || verb === 'X';
  const e = signed.search(isHex ? /[pP]/ : /[eE]/);
  const tail = e < 0 ? '' : signed.slice(e);
  let body = e < 0 ? signed : signed.slice(0, e);
  const wanted = verb === 'g' || verb === 'G' || verb === 'x' ? (precision ?? 6) : 0;
  let missing = wanted - body.slice(1).replace('.', '').replace(/^0+/, '').length;
  if (!body.includes('.')) {
    if (body.length === 2 && body.endsWith('0')) missing--;
    body += '.';
  }
  return body + '0'.repeat(Math.max(missing, 0)) + tail;
}
