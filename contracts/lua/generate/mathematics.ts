import { literal, numberLiteral, smallInteger } from './atoms.js';
import type { Dice } from './dice.js';
import { tryExpression } from './prelude.js';

const FUNCTIONS = [
  'abs',
  'ceil',
  'floor',
  'sqrt',
  'frexp',
  'modf',
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
  'exp',
  'log',
  'log10',
  'deg',
  'rad',
];

/** The math library and the operators, to the last bit (of Go on amd64: it may join operations elsewhere). */
export function mathematics(dice: Dice): string[] {
  const number = (): string =>
    dice.one([
      () => numberLiteral(dice),
      () => smallInteger(dice, -20, 20),
      () => `${dice.between(-999, 999)} / ${dice.between(1, 60)}`,
      () => dice.pick(['1/0', '-1/0', '0/0', 'math.huge', 'math.pi', '-0.0', '"12"']),
    ]);
  return dice.times(20, 35, () =>
    tryExpression(
      dice.one([
        () => `math.${dice.pick(FUNCTIONS)}(${number()})`,
        () => `math.floor(${number()} + 0.5)`,
        () => `math.${dice.pick(FUNCTIONS)}(${number()})`,
        () => `math.${dice.pick(['max', 'min'])}(${dice.times(0, 5, number).join(', ')})`,
        () => `math.${dice.pick(['fmod', 'mod'])}(${number()}, ${number()})`,
        () => `math.ldexp(${number()}, ${smallInteger(dice, -10, 20)})`,
        () => `math.pow(${smallInteger(dice)}, ${smallInteger(dice)})`,
        () => `math.pow(${number()}, ${number()})`,
        () => `math.atan2(${number()}, ${number()})`,
        () => `(${number()}) ^ (${number()})`,
        () => `math.${dice.pick([...FUNCTIONS, 'max', 'min', 'fmod', 'floor'])}(${literal(dice)})`,
        () =>
          `math.${dice.pick(['floor', 'max', 'fmod', 'random', 'sqrt', 'abs'])}(` +
          `${dice.pick(['nil', '{}', '"x"', 'true', ''])}) ~= 7`,
        () => `math.pi, math.huge, -math.huge`,
        () => `math.random(${dice.between(1, 9)}) >= 1, math.random() < 1, math.random(3, 5) <= 5, math.random(4, 4)`,
        () => `${number()} % ${number()}, ${number()} / ${number()}, ${number()} - ${number()}`,
        () => `(${number()}) % (${number()})`,
      ]),
    ),
  );
}
