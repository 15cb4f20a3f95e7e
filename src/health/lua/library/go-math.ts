import { powBySquaring } from '../../../model/go/index.js';
import { exp } from './go-exp.js';

/**
 * Functions of Go's math package that JavaScript's Math rounds differently: here they give the same bits as Go does on
 * amd64. The constants are facts of the approximations it uses (Cephes, FreeBSD msun, Hart and Cheney).
 */

const view = new DataView(new ArrayBuffer(8));

/** Whole part and rest; both keep the sign. */
export function modf(value: number): readonly [number, number] {
  const whole = Math.trunc(value);
  if (!Number.isFinite(value)) return [whole, NaN];
  return [whole, value === whole ? Math.sign(value) * 0 : value - whole];
}

export function pow(base: number, exponent: number): number {
  if (exponent === 0 || base === 1) return 1;
  if (exponent === 1) return base;
  if (base === -1 && Math.abs(exponent) === Infinity) return 1;
  // Here JavaScript follows the same table of special cases as Go.
  if (base === 0 || !Number.isFinite(base) || !Number.isFinite(exponent)) return base ** exponent;
  if (exponent === 0.5) return Math.sqrt(base);
  if (exponent === -0.5) return 1 / Math.sqrt(base);
  return finitePow(base, exponent);
}

function finitePow(base: number, exponent: number): number {
  let whole = Math.trunc(Math.abs(exponent));
  let rest = Math.abs(exponent) - whole;
  if (rest !== 0 && base < 0) return NaN;
  if (whole >= 2 ** 63) {
    if (base === -1) return 1;
    return Math.abs(base) < 1 === exponent > 0 ? 0 : Infinity;
  }
  let result = 1;
  if (rest !== 0) {
    if (rest > 0.5) {
      rest--;
      whole++;
    }
    result = exp(rest * log(base));
  }
  return powBySquaring(base, whole, exponent < 0, result);
}

const LN2_HIGH = 6.9314718036912381649e-1;
const LN2_LOW = 1.90821492927058770002e-10;

export function log(value: number): number {
  if (value === 0) return -Infinity;
  if (Number.isNaN(value) || value < 0) return NaN;
  if (value === Infinity) return value;
  view.setFloat64(0, value);
  // Go's amd64 code takes the bits as they are, so it is wrong for denormal numbers; so is this.
  const high = view.getUint32(0);
  let power = ((high >>> 20) & 0x7ff) - 1022;
  view.setUint32(0, (high & 0x000fffff) | (1022 << 20));
  let fraction = view.getFloat64(0);
  if (fraction <= 7.07106781186547524401e-1) {
    power--;
    fraction *= 2;
  }
  const f = fraction - 1;
  const s = f / (2 + f);
  const s2 = s * s;
  const s4 = s2 * s2;
  const odd =
    s2 *
    (6.66666666666673513e-1 +
      s4 * (2.857142874366239149e-1 + s4 * (1.818357216161805012e-1 + s4 * 1.479819860511658591e-1)));
  const even = s4 * (3.999999999940941908e-1 + s4 * (2.222219843214978396e-1 + s4 * 1.531383769920937332e-1));
  const half = 0.5 * f * f;
  return power * LN2_HIGH - (half - (s * (half + (odd + even)) + power * LN2_LOW) - f);
}

export function log10(value: number): number {
  return log(value) * Math.LOG10E;
}

const LARGE_ANGLE = 2 ** 29;

interface Octant {
  /** Even, from 0 to 6. */
  readonly octant: number;
  /** Radians from there. */
  readonly rest: number;
}

/** 4/pi with 1216 bits after the point. */
const FOUR_BY_PI = BigInt(
  [
    '0x1',
    '45f306dc9c882a53f84eafa3ea69bb81b6c52b3278872083fca2c757bd778ac36e48dc74849ba5c00c925dd413a32439',
    'fc3bd63962534e7dd1046bea5d768909d338e04d68befc827323ac7306a673e93908bf177bf250763ff12fffbc0b301f',
    'de5e2316b414da3eda6cfd9e4f96136e9e8c7ecd3cbfd45aea4f758fd7cbe2f67a0e73ef14a525d4d7f6bf623f1aba10',
    'ac06608df8f6d757',
  ].join(''),
);

/** Octant of an angle beyond 2^29, where pi as a float64 is too coarse. */
function largeOctant(size: number): Octant {
  view.setFloat64(0, size);
  const raw = view.getBigUint64(0);
  const power = Number(raw >> 52n) - 1075;
  const mantissa = (raw & 0xfffffffffffffn) | 0x10000000000000n;
  const window = BigInt.asUintN(192, FOUR_BY_PI >> BigInt(1216 + 64 - (power + 61) - 192));
  const product = BigInt.asUintN(128, (window * mantissa) >> 64n);
  const low = BigInt.asUintN(64, product);
  const part = Number(product >> 125n);
  const fraction = BigInt.asUintN(64, product >> 61n);
  const zeros = 64 - fraction.toString(2).length;
  // The low half is joined as it stands, three bits early: so does Go.
  const digits = BigInt.asUintN(64, (fraction << BigInt(zeros + 1)) | (low >> BigInt(63 - zeros)));
  view.setBigUint64(0, (digits >> 12n) | (BigInt(1022 - zeros) << 52n));
  const rest = view.getFloat64(0);
  return part % 2 === 1
    ? { octant: (part + 1) % 8, rest: (rest - 1) * (Math.PI / 4) }
    : { octant: part, rest: rest * (Math.PI / 4) };
}

function octant(size: number): Octant {
  if (size >= LARGE_ANGLE) return largeOctant(size);
  let count = Math.trunc(size * 1.2732395447351628);
  if (count % 2 === 1) count++;
  const rest =
    size - count * 7.85398125648498535156e-1 - count * 3.77489470793079817668e-8 - count * 2.69515142907905952645e-15;
  return { octant: count % 8, rest };
}

function sinePart(z: number): number {
  const zz = z * z;
  return (
    z +
    z *
      zz *
      (((((1.5896230157654656806e-10 * zz + -2.50507477628578072866e-8) * zz + 2.75573136213857245213e-6) * zz +
        -1.98412698295895385996e-4) *
        zz +
        8.33333333332211858878e-3) *
        zz +
        -1.66666666666666307295e-1)
  );
}

function cosinePart(z: number): number {
  const zz = z * z;
  return (
    1 -
    0.5 * zz +
    zz *
      zz *
      (((((-1.135853652138768173e-11 * zz + 2.08757008419747316778e-9) * zz + -2.75573141792967388112e-7) * zz +
        2.48015872888517045348e-5) *
        zz +
        -1.38888888888730564116e-3) *
        zz +
        4.16666666666665929218e-2)
  );
}

export function sin(angle: number): number {
  const size = Math.abs(angle);
  if (angle === 0 || !Number.isFinite(angle)) return angle === 0 ? angle : NaN;
  const { octant: part, rest } = octant(size);
  const isCosine = part % 4 === 1 || part % 4 === 2;
  const value = isCosine ? cosinePart(rest) : sinePart(rest);
  return part > 3 !== angle < 0 ? -value : value;
}

export function cos(angle: number): number {
  const size = Math.abs(angle);
  if (!Number.isFinite(angle)) return NaN;
  const { octant: part, rest } = octant(size);
  const quarter = part % 4;
  const value = quarter === 1 || quarter === 2 ? sinePart(rest) : cosinePart(rest);
  return part > 3 !== quarter > 1 ? -value : value;
}

export function tan(angle: number): number {
  const size = Math.abs(angle);
  if (angle === 0 || !Number.isFinite(angle)) return angle === 0 ? angle : NaN;
  const { octant: part, rest: z } = octant(size);
  const zz = z * z;
  let value = z;
  if (zz > 1e-14) {
    const above = zz * ((-1.30936939181383777646e4 * zz + 1.1535166483858741614e6) * zz + -1.79565251976484877988e7);
    value =
      z +
      z *
        (above /
          ((((zz + 1.36812963470692954678e4) * zz + -1.32089234440210967447e6) * zz + 2.50083801823357915839e7) * zz +
            -5.38695755929454629881e7));
  }
  if (part % 4 >= 2) value = -1 / value;
  return angle < 0 ? -value : value;
}

const PI_REST = 6.12323399573676588613e-17;

function smallAtan(x: number): number {
  const z = x * x;
  const above =
    z *
    ((((-8.750608600031904122785e-1 * z + -1.615753718733365076637e1) * z + -7.50085579231470466734e1) * z +
      -1.22886668449013617341e2) *
      z +
      -6.485021904942025371773e1);
  const below =
    ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z + 4.328810604912902668951e2) * z +
      4.853903996359136964868e2) *
      z +
    1.945506571482613964425e2;
  return x * (above / below) + x;
}

function positiveAtan(x: number): number {
  if (x <= 0.66) return smallAtan(x);
  if (x > 2.4142135623730950488) return Math.PI / 2 - smallAtan(1 / x) + PI_REST;
  return Math.PI / 4 + smallAtan((x - 1) / (x + 1)) + 0.5 * PI_REST;
}

export function atan(x: number): number {
  if (x === 0) return x;
  return x > 0 ? positiveAtan(x) : -positiveAtan(-x);
}

export function asin(x: number): number {
  if (x === 0) return x;
  const size = Math.abs(x);
  if (!(size <= 1)) return NaN;
  const other = Math.sqrt(1 - size * size);
  const angle = size > 0.7 ? Math.PI / 2 - positiveAtan(other / size) : positiveAtan(size / other);
  return x < 0 ? -angle : angle;
}

export function acos(x: number): number {
  return Math.PI / 2 - asin(x);
}

export function atan2(y: number, x: number): number {
  // JavaScript has the same special cases.
  if (x === 0 || y === 0 || !Number.isFinite(x) || !Number.isFinite(y)) return Math.atan2(y, x);
  const angle = atan(y / x);
  if (x > 0) return angle;
  return angle <= 0 ? angle + Math.PI : angle - Math.PI;
}

export function sinh(x: number): number {
  if (x === 0) return x;
  const size = Math.abs(x);
  let value: number;
  if (size > 21) value = exp(size) * 0.5;
  else if (size > 0.5) {
    const e = exp(size);
    value = (e - 1 / e) * 0.5;
  } else {
    const sq = size * size;
    const above =
      (((-0.2630563213397497062819489e2 * sq + -0.2894211355989563807284660366e4) * sq +
        -0.8991272022039509355398013511e5) *
        sq +
        -0.6307673640497716991184787251e6) *
      size;
    value =
      above /
      (((sq + -0.173678953558233699533450911e3) * sq + 0.1521517378790019070696485176e5) * sq +
        -0.6307673640497716991212077277e6);
  }
  return x < 0 ? -value : value;
}

export function cosh(x: number): number {
  const size = Math.abs(x);
  if (size > 21) return exp(size) * 0.5;
  const e = exp(size);
  return (e + 1 / e) * 0.5;
}

export function tanh(x: number): number {
  const size = Math.abs(x);
  if (size > 0.5 * 8.8029691931113054295988e1) return x < 0 ? -1 : 1;
  if (size >= 0.625) {
    const value = 1 - 2 / (exp(2 * size) + 1);
    return x < 0 ? -value : value;
  }
  if (x === 0 || Number.isNaN(x)) return x;
  const s = x * x;
  const above = x * s * ((-9.64399179425052238628e-1 * s + -9.92877231001918586564e1) * s + -1.61468768441708447952e3);
  return x + above / (((s + 1.12811678491632931402e2) * s + 2.23548839060100448583e3) * s + 4.84406305325125486048e3);
}
