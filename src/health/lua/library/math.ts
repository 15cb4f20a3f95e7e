import { modulo } from '../operations.js';
import type { HostFunction, HostLibrary, LuaValues, Run } from '../value.js';
import { checkInt, checkNumber } from './arguments.js';
import { exp } from './go-exp.js';
import { frexp, ldexp } from '../../../model/go/index.js';
import { acos, asin, atan, atan2, cos, cosh, log, log10, modf, pow, sin, sinh, tan, tanh } from './go-math.js';
import { Random } from './random.js';

function one(compute: (x: number) => number): HostFunction {
  return (run, args) => [compute(checkNumber(run, args, 1))];
}

function two(compute: (x: number, y: number) => number): HostFunction {
  return (run, args) => {
    const x = checkNumber(run, args, 1);
    return [compute(x, checkNumber(run, args, 2))];
  };
}

/** The first argument wins over equal ones and over NaN behind it. */
function best(isBetter: (a: number, b: number) => boolean): HostFunction {
  return (run, args) => {
    if (args.length === 0) run.fail('wrong number of arguments');
    let value = checkNumber(run, args, 1);
    for (let i = 2; i <= args.length; i++) {
      const each = checkNumber(run, args, i);
      if (isBetter(each, value)) value = each;
    }
    run.chargeSteps(args.length >> 4);
    return [value];
  };
}

const generators = new WeakMap<Run, Random>();

/** Every run draws the same numbers, so that a script gives the same answer for the same object. */
function generatorOf(run: Run): Random {
  let generator = generators.get(run);
  if (generator === undefined) {
    generator = new Random(1);
    generators.set(run, generator);
  }
  return generator;
}

/** A whole number from 0 up to but not including `count`. */
function draw(run: Run, count: number): number {
  // gopher-lua dies of this inside Go, so the message has no position.
  if (count <= 0) run.fail('invalid argument to Intn', 0);
  return Math.floor(generatorOf(run).next() * count);
}

const random: HostFunction = (run, args) => {
  if (args.length === 0) return [generatorOf(run).next()];
  const first = checkInt(run, args, 1);
  if (args.length === 1) return [draw(run, first) + 1];
  return [draw(run, checkInt(run, args, 2) + 1 - first) + first];
};

const randomseed = (run: Run, args: LuaValues): LuaValues => {
  generators.set(run, new Random(checkInt(run, args, 1)));
  return [];
};

/** The functions of the library `math`; see MATH_NUMBERS for its constants. */
export const MATH: HostLibrary = {
  abs: one(Math.abs),
  acos: one(acos),
  asin: one(asin),
  atan: one(atan),
  atan2: two(atan2),
  ceil: one(Math.ceil),
  cos: one(cos),
  cosh: one(cosh),
  deg: one((x) => (x * 180) / Math.PI),
  exp: one(exp),
  floor: one(Math.floor),
  fmod: two((x, y) => x % y),
  frexp: (run, args) => frexp(checkNumber(run, args, 1)),
  ldexp: (run, args) => {
    const fraction = checkNumber(run, args, 1);
    return [ldexp(fraction, checkInt(run, args, 2))];
  },
  log: one(log),
  log10: one(log10),
  max: best((a, b) => a > b),
  min: best((a, b) => a < b),
  mod: two(modulo),
  modf: (run, args) => modf(checkNumber(run, args, 1)),
  pow: two(pow),
  rad: one((x) => (x * Math.PI) / 180),
  random,
  randomseed,
  sin: one(sin),
  sinh: one(sinh),
  sqrt: one(Math.sqrt),
  tan: one(tan),
  tanh: one(tanh),
};

/** In gopher-lua `huge` is the largest number, not infinity. */
export const MATH_NUMBERS: Readonly<Record<string, number>> = { pi: Math.PI, huge: Number.MAX_VALUE };
