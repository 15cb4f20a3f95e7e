import { literal, smallInteger, smallLiteral, stringLiteral } from './atoms.js';
import type { Dice } from './dice.js';
import { tryExpression } from './prelude.js';

const SUBJECTS = [
  'hello world',
  'key = value',
  'a,b,,c',
  '  trimmed  ',
  'foo123bar456',
  '[tag] text',
  '(nested (parens) here)',
  'aaa',
  'abcabc',
  'x',
  '',
  'CamelCaseWord',
  '2024-01-31T10:20:30Z',
  'path/to/file.yaml',
  'one two  three',
  '%percent%',
  'a.b.c',
  'tab\\tnew\\nline',
  'THE (quick) fox',
  '$money^',
  '-dash-',
  'äöü',
  'nul\\0byte',
];
const CLASSES = [
  '.',
  '%a',
  '%d',
  '%s',
  '%w',
  '%p',
  '%l',
  '%u',
  '%x',
  '%c',
  '%z',
  '%A',
  '%D',
  '%S',
  '%W',
  '%P',
  '[abc]',
  '[^abc]',
  '[a-f]',
  '[%w_]',
  '[^%s,]',
  '[%d.]',
  '[]]',
  '[^]]',
  '[a-]',
  '[-a]',
  '[%]]',
  '[0-9a-f]',
  'a',
  'b',
  'o',
  'l',
  ' ',
  ',',
  '%.',
  '%%',
  '=',
  '/',
  '%(',
  '%)',
  '%-',
  ']',
  '1',
  '\\0',
];
const PIECES = ['%b()', '%b[]', '%bxy', '()', '^', '$', '%1', '%f[%a]'];

function subject(dice: Dice): string {
  return `"${dice.pick(SUBJECTS)}"`;
}

/** A pattern that mostly is right. */
function pattern(dice: Dice): string {
  const simple = (): string => dice.pick(CLASSES) + (dice.chance(0.4) ? dice.pick(['*', '+', '-', '?']) : '');
  const piece = (): string =>
    dice.one([
      simple,
      simple,
      simple,
      simple,
      () => `(${simple()}${dice.chance(0.5) ? simple() : ''})`,
      () => `(${simple()}(${simple()})${simple()})`,
      () => (dice.chance(0.3) ? dice.pick(PIECES) : '()'),
    ]);
  const body = dice.times(1, 4, piece).join('');
  const text = `${dice.chance(0.2) ? '^' : ''}${body}${dice.chance(0.15) ? '$' : ''}`;
  return (
    '"' +
    (dice.chance(0.04)
      ? dice.pick([
          '(',
          ')',
          '[',
          '[a',
          '%',
          '(()',
          '%b',
          '%bx',
          'a)',
          '[^',
          '[%',
          '%0',
          '%9',
          '(a',
          '[]',
          '*',
          '+a',
          '^*',
        ])
      : text) +
    '"'
  );
}

function replacement(dice: Dice): string {
  return dice.one([
    () => `"${dice.pick(['', '-', '<%0>', '%1', '[%1%2]', '%%', 'x%0x', '%0%0', '%9', '%a', 'end%', '\\0'])}"`,
    () => 'function(...) return table.concat({...}, "+") end',
    () => 'function(c) return nil end',
    () => 'function(c) return false end',
    () => 'function(c) return #tostring(c) end',
    () => '{a = "A", hello = "bye", ["1"] = 1, b = false, [1] = "first"}',
    () => 'function(c) return {} end',
    () => 'setmetatable({}, {__index = function(_, k) return "<" .. str(k) .. ">" end})',
    () => literal(dice),
  ]);
}

/** find, match, gmatch and gsub with random patterns. */
export function patterns(dice: Dice): string[] {
  return dice.times(20, 35, () =>
    dice.one([
      () =>
        tryExpression(
          `string.find(${subject(dice)}, ${pattern(dice)}${dice.chance(0.3) ? `, ${smallInteger(dice, -5, 12)}` : ''})`,
        ),
      () =>
        tryExpression(
          `string.match(${subject(dice)}, ` +
            `${pattern(dice)}${dice.chance(0.3) ? `, ${smallInteger(dice, -5, 12)}` : ''})`,
        ),
      () => tryExpression(`(${subject(dice)}):match(${pattern(dice)})`),
      () =>
        tryExpression(
          `string.gsub(${subject(dice)}, ${pattern(dice)}, ` +
            `${replacement(dice)}${dice.chance(0.2) ? `, ${smallInteger(dice, -1, 3)}` : ''})`,
        ),
      () => tryExpression(`(${subject(dice)}):gsub(${pattern(dice)}, ${replacement(dice)})`),
      () =>
        `try(function() local n = 0 for a, b in string.gmatch(${subject(dice)}, ${pattern(dice)}) do n = n ` +
        '+ 1 show(a, b) if n > 12 then break end end return n end)',
      () =>
        tryExpression(
          `string.find(${subject(dice)}, ${dice.chance(0.5) ? subject(dice) : pattern(dice)}, ` +
            `${smallInteger(dice, 1, 3)}, true)`,
        ),
      () =>
        'try(function() local out = {} for k, v in ("a=1, b=2, c=3"):gmatch("(%w+)=(%w+)") do out[k] = v ' +
        'end return out end)',
    ]),
  );
}

/** The rest of the string library, called both ways. */
export function strings(dice: Dice): string[] {
  const position = (): string => smallInteger(dice, -7, 9);
  const text = (): string => (dice.chance(0.6) ? subject(dice) : stringLiteral(dice));
  return dice.times(20, 35, () =>
    tryExpression(
      dice.one([
        () => `string.sub(${text()}, ${position()})`,
        () => `string.sub(${text()}, ${position()}, ${position()})`,
        () => `(${text()}):sub(${position()}, ${position()})`,
        () => `string.byte(${text()})`,
        () => `string.byte(${text()}, ${position()})`,
        () => `string.byte(${text()}, ${position()}, ${position()})`,
        () => `string.char(${dice.times(0, 5, () => dice.between(0, 300)).join(', ')})`,
        () => `string.rep(${text()}, ${smallInteger(dice, -2, 5)})`,
        () => `(${text()}):upper(), (${text()}):lower()`,
        () => `(${text()}):len(), #${text()}`,
        () => `string.byte(string.reverse(${text()}), 1, -1)`,
        () => `string.byte(string.upper(${text()}), 1, -1)`,
        () => `${text()} < ${text()}, ${text()} <= ${text()}, ${text()} == ${text()}`,
        () => `(${smallInteger(dice)}):rep(2)`,
        () => `string.len(${literal(dice)})`,
        () => `string.rep(${literal(dice)}, ${smallLiteral(dice)})`,
        () => `string.upper(${literal(dice)})`,
        () => `string.sub(${literal(dice)}, ${literal(dice)})`,
        () => `string.byte(${literal(dice)}, ${literal(dice)})`,
        () => `(${text()}).len == string.len, (${text()}).nothing`,
        () => `${text()} .. ${text()} .. ${smallInteger(dice)}`,
        () => `("x"):rep(3, ",")`,
        () =>
          'string.' +
          dice.pick(['find', 'match', 'gsub', 'gmatch', 'rep', 'sub', 'byte', 'char', 'format', 'len']) +
          `(${dice.times(0, 2, () => smallLiteral(dice)).join(', ')}) ~= 5`,
      ]),
    ),
  );
}
