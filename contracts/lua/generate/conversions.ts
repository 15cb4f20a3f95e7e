import { literal, numberLiteral, numberText, smallInteger, stringLiteral } from './atoms.js';
import type { Dice } from './dice.js';
import { tryExpression } from './prelude.js';

const ARITHMETIC = ['+', '-', '*', '/', '%', '^'];

/** Numbers to text and back: arithmetic on texts, concatenation of numbers, tonumber with bases, tostring. */
export function conversions(dice: Dice): string[] {
  return dice.times(20, 40, () =>
    tryExpression(
      dice.one([
        () =>
          `${numberText(dice)} ${dice.pick(ARITHMETIC)} ${dice.chance(0.5) ? numberText(dice) : numberLiteral(dice)}`,
        () => `-${numberText(dice)}`,
        () => dice.times(2, 4, () => (dice.chance(0.7) ? numberLiteral(dice) : stringLiteral(dice))).join(' .. '),
        () => `tostring(${dice.chance(0.5) ? product(dice) : literal(dice)})`,
        () => `tonumber(${dice.chance(0.6) ? numberText(dice) : literal(dice)})`,
        () =>
          'tonumber("' +
          dice.pick(['ff', 'FF', '101', '7', 'z', 'zz', '-11', ' 12 ', '1.5', '8', '0x1', '', '1e1']) +
          `", ${dice.pick(['2', '8', '10', '16', '36', '3', '"16"', '1', '37'])})`,
        () =>
          `${numberText(dice)} ${dice.pick(['==', '~=', '<', '<='])} ` +
          (dice.chance(0.5) ? numberText(dice) : numberLiteral(dice)),
        () => product(dice),
        () => `(${product(dice)}) .. ""`,
        () => `${numberText(dice)} + 0, ${numberLiteral(dice)} .. "", #${stringLiteral(dice)}`,
      ]),
    ),
  );
}

/** Arithmetic on constants; results that are long, tiny, huge, or no number. */
function product(dice: Dice): string {
  return dice.one([
    () => `${numberLiteral(dice)} ${dice.pick(ARITHMETIC)} ${numberLiteral(dice)}`,
    () => `${smallInteger(dice)} / ${smallInteger(dice)}`,
    () => `2 ^ ${smallInteger(dice, -10, 70)}`,
    () => `10 ^ ${smallInteger(dice, -8, 25)}`,
    () => `${smallInteger(dice)} % ${smallInteger(dice)}`,
    () => `${dice.between(1, 1_000_000)} / ${dice.between(1, 1000)}`,
    () => `${dice.between(1, 99)} * 0.${dice.between(1, 99)}`,
    () =>
      dice.pick([
        '1 / 0',
        '-1 / 0',
        '0 / 0',
        '-(0 / 0)',
        '2 ^ 1024',
        '-0.0',
        '0 * -1',
        '2 ^ 53 + 1',
        '-2 ^ 63',
        '2 ^ 63',
        '2 ^ 64',
        '1e15 + 0.5',
        '1e300 * 1e10',
      ]),
  ]);
}
