const view = new DataView(new ArrayBuffer(8));
const INT64_MIN = -(2 ** 63);

/** value = fraction times two to the power, fraction from 0.5 up to 1. */
export function frexp(value: number): readonly [number, number] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0];
  const isTiny = Math.abs(value) < 2 ** -1022;
  view.setFloat64(0, isTiny ? value * 2 ** 52 : value);
  const high = view.getUint32(0);
  const power = ((high >>> 20) & 0x7ff) - 1022;
  view.setUint32(0, (high & 0x800fffff) | (1022 << 20));
  return [view.getFloat64(0), isTiny ? power - 52 : power];
}

/** fraction times two to the power, rounded once. */
export function ldexp(fraction: number, power: number): number {
  if (fraction === 0 || !Number.isFinite(fraction)) return fraction;
  const [mantissa, own] = frexp(fraction);
  const exponent = own + power;
  // Go's sum overflows here and comes out huge.
  const isOver = power === INT64_MIN && own < 1;
  if (exponent > 1024 || isOver) return mantissa < 0 ? -Infinity : Infinity;
  if (exponent < -1075) return mantissa < 0 ? -0 : 0;
  return exponent >= -1021 ? mantissa * 2 * 2 ** (exponent - 1) : mantissa * 2 ** (exponent + 1074) * 2 ** -1074;
}

/** `first` times a whole power of `base`, or of its inverse, by squaring: the same bits as Go's math.Pow gives. */
export function powBySquaring(base: number, whole: number, isInverse: boolean, first = 1): number {
  let result = first;
  let power = 0;
  let [factor, factorPower] = frexp(base);
  // Powers of two are kept apart so that nothing overflows on the way.
  for (let bits = whole; bits !== 0; bits = Math.floor(bits / 2)) {
    if (Math.abs(factorPower) > 4096) {
      power += factorPower;
      break;
    }
    if (bits % 2 === 1) {
      result *= factor;
      power += factorPower;
    }
    factor *= factor;
    factorPower *= 2;
    if (factor < 0.5) {
      factor += factor;
      factorPower--;
    }
  }
  return isInverse ? ldexp(1 / result, -power) : ldexp(result, power);
}
