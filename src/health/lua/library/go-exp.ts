/**
 * Go's math.Exp on amd64. Its code multiplies and adds in one rounding where the processor can, which every server does
 * today, so this does it in software. The constants belong to the method (SLEEF, public domain).
 */

const view = new DataView(new ArrayBuffer(8));

/** a times b plus c with a single rounding; for numbers far from overflow and underflow. */
function multiplyAdd(a: number, b: number, c: number): number {
  const product = a * b;
  const productRest = restOfProduct(a, b, product);
  const sum = product + c;
  const fromC = sum - product;
  const sumRest = product - (sum - fromC) + (c - fromC);
  const rest = productRest + sumRest;
  const fromSum = rest - productRest;
  const lost = productRest - (rest - fromSum) + (sumRest - fromSum);
  return sum + (lost === 0 ? rest : odd(rest, lost));
}

/** What the product lost by rounding: both factors are split into halves that multiply exactly. */
function restOfProduct(a: number, b: number, product: number): number {
  const [aHigh, aLow] = halves(a);
  const [bHigh, bLow] = halves(b);
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

function halves(value: number): readonly [number, number] {
  const shifted = value * 134217729;
  const high = shifted - (shifted - value);
  return [high, value - high];
}

/** Of the two neighbours of the true sum the one with an odd last bit, so that the next rounding is the only one. */
function odd(value: number, lost: number): number {
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  if ((bits & 1n) === 1n) return value;
  view.setBigInt64(0, lost > 0 === value > 0 ? bits + 1n : bits - 1n);
  return view.getFloat64(0);
}

const TERMS = [
  1.984126984126984127e-4, 1.3888888888888888889e-3, 8.3333333333333333333e-3, 4.1666666666666666667e-2,
  1.6666666666666666667e-1, 0.5, 1,
];

export function exp(x: number): number {
  if (!Number.isFinite(x)) return x === -Infinity ? 0 : x;
  if (x > 7.09782712893384e2) return Infinity;
  if (x < -1000) return 0;
  const power = roundToEven(x * 1.4426950408889634);
  let rest = multiplyAdd(-power, 0.69314718055966295651160180568695068359375, x);
  rest = multiplyAdd(-power, 0.28235290563031577122588448175013436025525412068e-12, rest);
  // The series is for a sixteenth, which is then doubled four times.
  rest *= 0.0625;
  let series = 2.4801587301587301587e-5;
  for (const term of TERMS) series = multiplyAdd(rest, series, term);
  rest *= series;
  for (let i = 0; i < 3; i++) rest *= rest + 2;
  const fraction = multiplyAdd(rest + 2, rest, 1);
  if (power > -1023) return power > 1023 ? Infinity : fraction * 2 ** power;
  return power < -1075 ? 0 : fraction * 2 ** (power + 1022) * 2 ** -1022;
}

function roundToEven(value: number): number {
  const low = Math.floor(value);
  const over = value - low;
  if (over !== 0.5) return over < 0.5 ? low : low + 1;
  return low % 2 === 0 ? low : low + 1;
}
