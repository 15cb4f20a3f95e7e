import type { Dice } from './dice.js';

const PLAIN_NUMBERS = ['0', '1', '2', '3', '5', '7', '10', '12', '100', '255', '0.5', '1.5', '0.1', '0.25', '3.0'];
const ODD_NUMBERS = [
  '1e3',
  '1e15',
  '1e16',
  '1e20',
  '1e21',
  '1e100',
  '1e-5',
  '1e-7',
  '123456789012',
  '9007199254740993',
  '2147483648',
  '4294967296',
  '0x10',
  '0xff',
  '0xABCDEF',
  '.5',
  '3e2',
  '0.1e1',
  '12345.678',
  '1e308',
  '5e-324',
  '1e14',
  '123456789.125',
  '99999999999999',
  '9223372036854775807',
  '18446744073709551616',
  '1e19',
  '0.30000000000000004',
];
const NUMBER_TEXTS = [
  '10',
  '0x10',
  ' 5 ',
  '1e2',
  '-7',
  '3.5',
  '0',
  '.5',
  '5.',
  '010',
  '1e',
  '0x',
  '',
  ' ',
  '1 2',
  'nan',
  'inf',
  '+3',
  '--1',
  '1_000',
  '0b11',
  '0o17',
  '\\t8\\n',
  '1e400',
  '-0',
  '0x1p4',
];
const WORDS = [
  'a',
  'b',
  'abc',
  'Healthy',
  'Degraded',
  'status',
  'x y',
  'key',
  'hello world',
  'foo.bar',
  'B',
  'Zz',
  'a-b_c',
  'äö',
  '日本',
  'tab\\there',
  'q\\"q',
  'nul\\0x',
  '\\065\\066',
  'line\\nbreak',
  'a\\\\b',
  '%d',
  '100%',
];

/** A number as a literal of a program, at times with a sign. */
export function numberLiteral(dice: Dice): string {
  const digits = dice.pick(dice.chance(0.8) ? PLAIN_NUMBERS : ODD_NUMBERS);
  return dice.chance(0.15) ? `-${digits}` : digits;
}

/** A small whole number, for positions and counts. */
export function smallInteger(dice: Dice, low = -3, high = 8): string {
  return String(dice.between(low, high));
}

export function stringLiteral(dice: Dice): string {
  if (dice.chance(0.05)) return longString(dice);
  const text = dice.pick(WORDS);
  return dice.chance(0.2) && !text.includes('"') ? `'${text}'` : `"${text}"`;
}

/** A text that is a number, or nearly one. */
export function numberText(dice: Dice): string {
  return `"${dice.pick(NUMBER_TEXTS)}"`;
}

function longString(dice: Dice): string {
  const level = '='.repeat(dice.between(0, 2));
  const open = dice.chance(0.5) ? '\n' : '';
  return `[${level}[${open}${dice.pick(['long', 'two\nlines', 'a\\nb', 'x [ y', '"quoted"'])}]${level}]`;
}

export function keyName(dice: Dice): string {
  return dice.pick(['a', 'b', 'c', 'd', 'key', 'name', 'status', 'n', 'x', 'y']);
}

/** A key as it stands between brackets. */
export function keyExpression(dice: Dice): string {
  return dice.one([
    () => `"${keyName(dice)}"`,
    () => smallInteger(dice, -1, 6),
    () => dice.pick(['true', 'false', '1.5', '2^53', '0', '"1"', '-1', '100', '"x" .. 1']),
  ]);
}

/** A constant that is no large number, for what would make as many things. */
export function smallLiteral(dice: Dice): string {
  return dice.one([
    () => smallInteger(dice),
    () => stringLiteral(dice).replace('100%', '3%'),
    () => dice.pick(['nil', 'true', 'false', '"3"', '2.5', '" 4 "', '"x"']),
  ]);
}

/** Any constant. */
export function literal(dice: Dice): string {
  return dice.one([
    () => numberLiteral(dice),
    () => numberLiteral(dice),
    () => stringLiteral(dice),
    () => stringLiteral(dice),
    () => numberText(dice),
    () => dice.pick(['nil', 'true', 'false']),
  ]);
}
