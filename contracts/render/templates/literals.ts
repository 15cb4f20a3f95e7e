import type { Dice } from '../../lua/generate/dice.js';
import { TEXTS } from './values.js';

const NUMBERS = [
  '0',
  '1',
  '2',
  '3',
  '-1',
  '+5',
  '42',
  '1e3',
  '1.5',
  '-0.25',
  '.5',
  '1.',
  '0x1F',
  '0X_ff',
  '0b101',
  '0o17',
  '017',
  '1_000',
  '1_0.5',
  '0x1p4',
  '0x1.8p-1',
  '-0',
  '1e100',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '18446744073709551615',
  '1i',
  '1+2i',
  '0i',
  '3-0i',
  '1e6',
  '123456789.0',
  '1E-7',
  "'a'",
  "'\\n'",
  "'ß'",
  "'\\x41'",
  "'\\u00e9'",
  "'\\''",
] as const;
const BAD_NUMBERS = [
  '1_',
  '_1',
  '0x',
  '08',
  '1__0',
  '99999999999999999999',
  '1e999',
  '0xG',
  '1a',
  '1.2.3',
  "''",
  "'ab'",
  "'\\q'",
  '1+2',
  '0b12',
  '--1',
  '+',
  '-',
  '0x1',
  '0xffffffffffffffffff',
  '1e',
  '0x.p1',
  '0b1.1',
] as const;
const STRINGS = [
  '"a"',
  '"hello"',
  '""',
  '`raw`',
  '"q\\"q"',
  '"a\\tb\\n"',
  '`back\\slash`',
  '"\\u00e9"',
  '"\\x41\\x42"',
  '"\\xff"',
  '"\\xc3\\xa9"',
  '"\\101"',
  '"\\U0001F642"',
  '"größe"',
  '"%v|%v"',
  '"{{ .a }}"',
  '`a"b`',
  '"  "',
  '"a.b.c"',
] as const;
const BAD_STRINGS = [
  '"\\q"',
  '"\\xg0"',
  '"\\u12"',
  '"open',
  '`open',
  '"new\nline"',
  '"\\777"',
  '"\\ud800"',
  "'open",
  '"\\\'',
] as const;

export function integer(dice: Dice): string {
  return dice.chance(0.85) ? String(dice.between(-2, 12)) : dice.pick(NUMBERS);
}

export function number(dice: Dice): string {
  return dice.chance(0.5) ? String(dice.between(-2, 12)) : dice.pick(NUMBERS);
}

export function badNumber(dice: Dice): string {
  return dice.pick(BAD_NUMBERS);
}

export function text(dice: Dice): string {
  return dice.one([
    () => dice.pick(STRINGS),
    () => JSON.stringify(dice.pick(TEXTS)),
    () => `"${dice.pick(['a', 'b', 'c', 'name', 'key', 'x'])}"`,
  ]);
}

export function badText(dice: Dice): string {
  return dice.pick(BAD_STRINGS);
}

const VERBS = 'vvvvsssqqdddxXfgeGtTcUob%'.split('');

/** A format with some directives, and how many arguments it asks for. */
export function format(dice: Dice): { readonly text: string; readonly count: number } {
  const directives = dice.times(0, 4, () => directive(dice));
  const text =
    directives.map((one) => dice.pick(['', ' ', 'x', '%%', '=', 'ü']) + one).join('') +
    dice.pick(['', '', '!', ' end', '%']);
  return { text: JSON.stringify(text), count: directives.length };
}

function directive(dice: Dice): string {
  const flags = dice.times(0, dice.chance(0.3) ? 3 : 0, () => dice.pick(['+', '-', '#', '0', ' '])).join('');
  const width = dice.chance(0.2) ? dice.pick(['1', '5', '12', '*']) : '';
  const precision = dice.chance(0.2) ? dice.pick(['.', '.0', '.2', '.7', '.*', '.25']) : '';
  const index = dice.chance(0.05) ? dice.pick(['[1]', '[2]', '[3]', '[0]', '[x]', '[']) : '';
  const verb = dice.chance(0.03) ? dice.pick(['w', 'z', '!', 'ß', 'O', 'E', 'F', 'i']) : dice.pick(VERBS);
  return `%${flags}${index}${width}${precision}${verb}`;
}
