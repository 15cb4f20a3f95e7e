/**
 * Float64 to text as Go's strconv writes it: exact decimal digits, ties to even, exponents of at least two digits.
 * JavaScript's toFixed rounds ties away from zero and stops at 100 digits, so it cannot serve.
 */

/** Decimal digits without trailing zeros; the number is 0.digits times ten to the power `point`. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

export type FloatVerb = 'e' | 'E' | 'f' | 'g' | 'G';

/**
 * Sign always in front ("+1.5", "-0", "+Inf", "+NaN"), so that callers can place padding behind it. `precision`
 * undefined means shortest.
 */
export function formatFloat(value: number, verb: FloatVerb, precision: number | undefined): string {
  if (Number.isNaN(value)) return '+NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '+';
  const size = Math.abs(value);
  if (size === Infinity) return `${sign}Inf`;
  if (verb === 'g' || verb === 'G') return sign + general(size, verb, precision);
  if (precision === undefined) {
    const shortest = shortestDecimal(size);
    const { digits, point } = shortest;
    return (
      sign +
      (verb === 'f'
        ? fixed(shortest, Math.max(digits.length - point, 0))
        : exponent(shortest, Math.max(digits.length - 1, 0), verb))
    );
  }
  const exact = exactDecimal(size);
  if (verb === 'f') return sign + fixed(roundDecimal(exact, exact.point + precision), precision);
  return sign + exponent(roundDecimal(exact, precision + 1), precision, verb);
}

function general(size: number, verb: 'g' | 'G', precision: number | undefined): string {
  const wanted = precision === undefined ? undefined : Math.max(precision, 1);
  const decimal = wanted === undefined ? shortestDecimal(size) : roundDecimal(exactDecimal(size), wanted);
  const { digits, point } = decimal;
  let most = wanted ?? digits.length;
  let limit = most > digits.length && digits.length >= point ? digits.length : most;
  // The shortest form decides for the exponent as if six digits had been asked for.
  if (precision === undefined) limit = 6;
  const power = size === 0 ? -1 : point - 1;
  if (power < -4 || power >= limit) {
    if (most > digits.length) most = digits.length;
    return exponent(decimal, most - 1, verb === 'g' ? 'e' : 'E');
  }
  if (most > point) most = digits.length;
  return fixed(decimal, Math.max(most - point, 0));
}

function exponent({ digits, point }: Decimal, places: number, letter: 'e' | 'E'): string {
  const head = digits === '' ? '0' : digits.charAt(0);
  const tail = places > 0 ? `.${digits.slice(1, 1 + places).padEnd(places, '0')}` : '';
  const power = digits === '' ? 0 : point - 1;
  return `${head}${tail}${letter}${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function fixed({ digits, point }: Decimal, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (places <= 0) return whole;
  const zeros = '0'.repeat(Math.min(Math.max(-point, 0), places));
  const rest = digits.slice(Math.max(point, 0));
  return `${whole}.${(zeros + rest).slice(0, places).padEnd(places, '0')}`;
}

const ZERO: Decimal = { digits: '', point: 0 };

function shortestDecimal(size: number): Decimal {
  if (size === 0) return ZERO;
  const text = size.toExponential();
  const e = text.indexOf('e');
  const digits = text.charAt(0) + text.slice(2, e);
  return { digits, point: Number(text.slice(e + 1)) + 1 };
}

const bits = new DataView(new ArrayBuffer(8));

function exactDecimal(size: number): Decimal {
  if (size === 0) return ZERO;
  const { mantissa, power } = binaryOf(size);
  const whole = power >= 0 ? mantissa << BigInt(power) : mantissa * 5n ** BigInt(-power);
  const text = whole.toString();
  return { digits: text.replace(/(?<!0)0+$/, ''), point: text.length + Math.min(power, 0) };
}

/** Keeps `count` digits, ties to even. */
function roundDecimal(decimal: Decimal, count: number): Decimal {
  const { digits, point } = decimal;
  if (count < 0 || count >= digits.length) return decimal;
  const next = digits.charCodeAt(count) - 48;
  const isTie = next === 5 && count + 1 === digits.length;
  const lastIsOdd = count > 0 && (digits.charCodeAt(count - 1) & 1) === 1;
  const up = isTie ? lastIsOdd : next >= 5;
  const kept = digits.slice(0, count);
  if (!up) {
    const cut = kept.replace(/(?<!0)0+$/, '');
    return cut === '' ? ZERO : { digits: cut, point };
  }
  const stem = kept.replace(/(?<!9)9+$/, '');
  if (stem === '') return { digits: '1', point: point + 1 };
  return { digits: stem.slice(0, -1) + String.fromCharCode(stem.charCodeAt(stem.length - 1) + 1), point };
}

/**
 * A float in powers of two: %x and %X with a hexadecimal mantissa, %b with a whole decimal one. The sign is in front.
 */
export function formatHexFloat(value: number, verb: 'x' | 'X' | 'b', precision: number | undefined): string {
  if (!Number.isFinite(value)) return formatFloat(value, 'g', undefined);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '+';
  const { mantissa, power } = binaryOf(Math.abs(value));
  if (verb === 'b') return `${sign}${mantissa.toString()}p${power < 0 ? '-' : '+'}${Math.abs(power)}`;
  const text = hexText(mantissa, power, precision);
  return sign + (verb === 'X' ? text.toUpperCase() : text);
}

/** One digit before the point, as many behind it as are asked for or needed. */
function hexText(mantissa: bigint, power: number, precision: number | undefined): string {
  if (mantissa === 0n) return `0x0${precision === undefined || precision === 0 ? '' : `.${'0'.repeat(precision)}`}p+00`;
  const shift = 53 - mantissa.toString(2).length;
  let whole = mantissa << BigInt(shift);
  let exponent = power - shift + 52;
  if (precision !== undefined && precision < 13) {
    const cut = BigInt(52 - precision * 4);
    const half = 1n << (cut - 1n);
    const rest = whole & ((1n << cut) - 1n);
    whole >>= cut;
    if (rest > half || (rest === half && (whole & 1n) === 1n)) whole++;
    whole <<= cut;
    if (whole >> 53n === 1n) {
      whole >>= 1n;
      exponent++;
    }
  }
  const digits = (whole & 0xfffffffffffffn).toString(16).padStart(13, '0');
  const shown =
    precision === undefined ? digits.replace(/(?<!0)0+$/, '') : digits.padEnd(precision, '0').slice(0, precision);
  const exponentDigits = String(Math.abs(exponent)).padStart(2, '0');
  return `0x1${shown === '' ? '' : `.${shown}`}p${exponent < 0 ? '-' : '+'}${exponentDigits}`;
}

function binaryOf(size: number): { readonly mantissa: bigint; readonly power: number } {
  bits.setFloat64(0, size);
  const raw = bits.getBigUint64(0);
  const biased = Number(raw >> 52n);
  const fraction = raw & 0xfffffffffffffn;
  return { mantissa: biased === 0 ? fraction : fraction | 0x10000000000000n, power: Math.max(biased, 1) - 1075 };
}
