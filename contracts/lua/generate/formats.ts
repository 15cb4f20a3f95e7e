import { literal, numberLiteral, smallInteger, stringLiteral } from './atoms.js';
import type { Dice } from './dice.js';
import { tryExpression } from './prelude.js';

const FLAGS = ['', '', '', '-', '0', '+', ' ', '#', '-0', '+0', '-+'];
const WIDTHS = ['', '', '', '1', '3', '5', '8', '10'];
const PRECISIONS = ['', '', '', '.0', '.1', '.2', '.3', '.5', '.10', '.'];

function directive(dice: Dice, verbs: readonly string[]): string {
  return `%${dice.pick(FLAGS)}${dice.pick(WIDTHS)}${dice.pick(PRECISIONS)}${dice.pick(verbs)}`;
}

/** string.format: all directives with flags, widths and precisions, and arguments that do not fit. */
export function formats(dice: Dice): string[] {
  const integer = (): string =>
    dice.pick(['0', '1', '-1', '42', '255', '65', '1e10', '-12345', '3.7', '2^31', '2^53', '"17"']);
  return dice.times(20, 35, () =>
    tryExpression(
      dice.one([
        () => `string.format("${directive(dice, ['d', 'i', 'x', 'X', 'o', 'c', 'd', 'd'])}", ${integer()})`,
        () => `string.format("${directive(dice, ['f', 'e', 'E', 'g', 'G', 'f', 'F'])}", ${numberLiteral(dice)})`,
        () => `string.format("${directive(dice, ['s', 's', 'q'])}", ${stringLiteral(dice)})`,
        () => `string.format("${directive(dice, ['s', 'd', 'f', 'x', 'q', 'g', 'c', 'v'])}", ${literal(dice)})`,
        () => `string.format("[%s] (%d) {%5.2f}", ${stringLiteral(dice)}, ${integer()}, ${numberLiteral(dice)})`,
        () => `string.format("%d%%", ${smallInteger(dice)})`,
        () =>
          'string.format("' +
          dice.pick([
            '%',
            '%y',
            '%5',
            '%s %s',
            '%d',
            'plain',
            '%%',
            '%s%%%d',
            '%ld',
            '%hd',
            '%u',
            '%a',
            '%.14g',
            '%5.1s|',
          ]) +
          `"${dice.times(0, 2, () => `, ${literal(dice)}`).join('')})`,
        () => `string.format("%s", ${literal(dice)})`,
        () => `string.format("%.14g", ${numberLiteral(dice)})`,
        () => `("%s=%s"):format(${literal(dice)}, ${literal(dice)})`,
        () => `string.format("%5s|%-5s|%05d", ${stringLiteral(dice)}, ${numberLiteral(dice)}, ${smallInteger(dice)})`,
        () =>
          `string.format("%x %X %o %e %g", ${integer()}, ${integer()}, ${integer()}, ` +
          `${numberLiteral(dice)}, ${numberLiteral(dice)})`,
      ]),
    ),
  );
}
