import { powBySquaring } from '../../../../model/go/index.js';
import type { GoFunctions } from '../../template/value/go-function.js';
import { ANY, FLOAT64, INT, INT64, sliceOf, STRING } from '../../template/value/go-type.js';
import { functionError } from '../../template/template-error.js';
import type { GoValue } from '../../template/value/go-value.js';
import { toFloat64, toInt64 } from './cast.js';
import { add, decimalOf, divide, floatOfDecimal, multiply, subtract, type Decimal } from './decimal.js';
import { define, defineVariadic, type Arguments } from '../define.js';
import { hostOf, randomBelow } from '../host.js';
import { parseInt64 } from './parse-number.js';
import { displayText } from '../text.js';

function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function decimals(first: GoValue, others: readonly GoValue[], step: (a: Decimal, b: Decimal) => Decimal): number {
  const start = decimalOf(toFloat64(first));
  return floatOfDecimal(others.reduce<Decimal>((sum, other) => step(sum, decimalOf(toFloat64(other))), start));
}

function decimalFunction(step: (a: Decimal, b: Decimal) => Decimal): GoFunctions[string] {
  return defineVariadic([ANY], ANY, FLOAT64, (args) => decimals(args.any(0), args.from(1), step));
}

function divided(a: bigint, b: bigint, isRest: boolean): bigint {
  if (b === 0n) throw functionError('runtime error: integer divide by zero');
  return wrap(isRest ? a % b : a / b);
}

function extreme(args: Arguments, isBetter: (a: bigint, b: bigint) => boolean): bigint {
  return args
    .from(1)
    .map(toInt64)
    .reduce((best, next) => (isBetter(next, best) ? next : best), toInt64(args.any(0)));
}

/** As Go's math.Max and Min: NaN wins, except against the infinity that is already the extreme. */
function extremeFloat(args: Arguments, choose: (a: number, b: number) => number, strongest: number): number {
  return args
    .from(1)
    .map(toFloat64)
    .reduce(
      (best, next) => (best === strongest || next === strongest ? strongest : choose(best, next)),
      toFloat64(args.any(0)),
    );
}

function round(value: number, places: number, roundOn: number): number {
  const power = places === 1 ? 10 : powBySquaring(10, Math.abs(places), places < 0);
  const digits = power * value;
  const rest = Number.isFinite(digits) ? digits - Math.trunc(digits) : NaN;
  return (rest >= roundOn ? Math.ceil(digits) : Math.floor(digits)) / power;
}

const MAX_NUMBERS = 10_000_000;

export function untilStep(start: bigint, stop: bigint, step: bigint): bigint[] {
  const isDown = stop < start;
  if (isDown ? step >= 0n : step <= 0n) return [];
  const size = isDown ? (start - stop - step - 1n) / -step : (stop - start + step - 1n) / step;
  if (size > MAX_NUMBERS) throw functionError(`a list of ${size} numbers is more than the ${MAX_NUMBERS} that fit`);
  return Array.from({ length: Number(size) }, (_, index) => start + BigInt(index) * step);
}

function seq(numbers: readonly bigint[]): string {
  const [first = 0n, second = 0n, third = 0n] = numbers;
  switch (numbers.length) {
    case 1:
      return sequence(1n, first, first < 1n ? -1n : 1n, first < 1n ? -1n : 1n);
    case 2:
      return sequence(first, second, second < first ? -1n : 1n, second < first ? -1n : 1n);
    case 3:
      return third < first && second > 0n ? '' : sequence(first, third, third < first ? -1n : 1n, second);
    default:
      return '';
  }
}

function sequence(start: bigint, end: bigint, beyond: bigint, step: bigint): string {
  return untilStep(start, end + beyond, step).join(' ');
}

const INTEGERS: GoFunctions = {
  atoi: define([STRING], INT, (args) => parseInt64(args.text(0), 10).value),
  int64: define([ANY], INT64, (args) => toInt64(args.any(0))),
  int: define([ANY], INT, (args) => toInt64(args.any(0))),
  toDecimal: define([ANY], INT64, (args) => {
    const { value, problem } = parseInt64(displayText(args.any(0)), 8);
    return problem === undefined ? value : 0n;
  }),
  add1: define([ANY], INT64, (args) => wrap(toInt64(args.any(0)) + 1n)),
  add: defineVariadic([], ANY, INT64, (args) =>
    wrap(args.all.reduce((sum: bigint, value) => sum + toInt64(value), 0n)),
  ),
  sub: define([ANY, ANY], INT64, (args) => wrap(toInt64(args.any(0)) - toInt64(args.any(1)))),
  div: define([ANY, ANY], INT64, (args) => divided(toInt64(args.any(0)), toInt64(args.any(1)), false)),
  mod: define([ANY, ANY], INT64, (args) => divided(toInt64(args.any(0)), toInt64(args.any(1)), true)),
  mul: defineVariadic([ANY], ANY, INT64, (args) =>
    args.all.reduce((product: bigint, value) => wrap(product * toInt64(value)), 1n),
  ),
  max: defineVariadic([ANY], ANY, INT64, (args) => extreme(args, (a, b) => a > b)),
  biggest: defineVariadic([ANY], ANY, INT64, (args) => extreme(args, (a, b) => a > b)),
  min: defineVariadic([ANY], ANY, INT64, (args) => extreme(args, (a, b) => a < b)),
  randInt: define([INT, INT], INT, (args, context) => {
    const [low, high] = [args.int(0), args.int(1)];
    if (high <= low) throw functionError('invalid argument to Intn');
    return low + BigInt(randomBelow(hostOf(context), Number(high - low)));
  }),
  until: define([INT], sliceOf(INT), (args, context) => {
    context.charge(Math.abs(args.count(0)));
    return untilStep(0n, args.int(0), args.int(0) < 0n ? -1n : 1n);
  }),
  untilStep: define([INT, INT, INT], sliceOf(INT), (args) => untilStep(args.int(0), args.int(1), args.int(2))),
  seq: defineVariadic([], INT, STRING, (args) => seq(args.all.map((_, at) => args.int(at)))),
};

const FLOATS: GoFunctions = {
  float64: define([ANY], FLOAT64, (args) => toFloat64(args.any(0))),
  add1f: define([ANY], FLOAT64, (args) => decimals(args.any(0), [1], add)),
  addf: defineVariadic([], ANY, FLOAT64, (args) => decimals(0, args.all, add)),
  subf: decimalFunction(subtract),
  divf: decimalFunction(divide),
  mulf: decimalFunction(multiply),
  maxf: defineVariadic([ANY], ANY, FLOAT64, (args) => extremeFloat(args, Math.max, Infinity)),
  minf: defineVariadic([ANY], ANY, FLOAT64, (args) => extremeFloat(args, Math.min, -Infinity)),
  ceil: define([ANY], FLOAT64, (args) => Math.ceil(toFloat64(args.any(0)))),
  floor: define([ANY], FLOAT64, (args) => Math.floor(toFloat64(args.any(0)))),
  round: defineVariadic([ANY, INT], FLOAT64, FLOAT64, (args) =>
    round(toFloat64(args.any(0)), args.count(1), args.all.length > 2 ? args.float(2) : 0.5),
  ),
};

export const ARITHMETIC: GoFunctions = { ...INTEGERS, ...FLOATS };
