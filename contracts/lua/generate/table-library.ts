import { literal, numberLiteral, smallInteger, smallLiteral, stringLiteral } from './atoms.js';
import type { Dice } from './dice.js';
import { tryBlock } from './prelude.js';

/** insert, remove, concat, maxn and getn at all positions, with holes. */
export function tableLibrary(dice: Dice): string[] {
  const element = (): string => {
    if (dice.chance(0.1)) return 'nil';
    return dice.chance(0.5) ? numberLiteral(dice) : stringLiteral(dice);
  };
  const position = (): string => dice.pick(['1', '2', '3', '#t', '#t + 1', '#t + 2', '0', '-1', '10', '1.5', '"2"']);
  return dice
    .times(4, 7, () =>
      tryBlock([
        `local t = {${dice.times(0, 6, element).join(', ')}${dice.chance(0.3) ? ', x = 1, [10] = "ten"' : ''}}`.replace(
          '{, ',
          '{',
        ),
        ...dice.times(6, 14, () =>
          dice.one([
            () => `table.insert(t, ${element()})`,
            () => `table.insert(t, ${position()}, ${element()})`,
            () => `show(table.remove(t))`,
            () => `show(table.remove(t, ${position()}))`,
            () => 'show(t, #t)',
            () => 'show(table.maxn(t), table.getn(t))',
            () => `show(table.concat(t, ${stringLiteral(dice)}))`,
            () => `show(table.concat(t, ",", ${smallInteger(dice, -1, 4)}))`,
            () => `show(table.concat(t, ",", ${smallInteger(dice, -1, 4)}, ${smallInteger(dice, -1, 7)}))`,
            () => 'show(table.concat(t))',
            () => `t[${position()}] = ${element()}`,
            () => `show(unpack(t, ${smallInteger(dice, 0, 3)}))`,
            () => 'for i, v in ipairs(t) do show(i, v) end',
            () => 'for k, v in pairs(t) do show(k, v) end',
          ]),
        ),
        `show(t, #t)`,
        dice.pick([
          `table.insert(t)`,
          `table.insert(t, ${smallLiteral(dice)}, ${literal(dice)})`,
          `table.concat(${literal(dice)})`,
          'table.concat({{}}, ",")',
          'table.concat({1, {}, 2}, ",")',
          `table.remove(${literal(dice)})`,
          'table.insert(nil, 1)',
          'table.concat({true})',
          'show(table.concat({1, 2.5, "x"}, nil))',
          'show(table.concat({}, ","), table.concat({1}, ","))',
        ]),
      ]),
    )
    .flat();
}

/** sort with and without an order; stable results only where the order is total or nothing tells equals apart. */
export function sorting(dice: Dice): string[] {
  const size = dice.pick([0, 1, 2, 3, 5, 8, 12, 13, 20, 40, 70]);
  const numbers = (): string =>
    Array.from({ length: size }, () => dice.pick([String(dice.between(-50, 50)), numberLiteral(dice)])).join(', ');
  const texts = (): string => Array.from({ length: size }, () => stringLiteral(dice)).join(', ');
  return [
    ...tryBlock([
      `local t = {${numbers()}}`,
      'table.sort(t)',
      'show(table.concat(t, " "))',
      'table.sort(t, function(a, b) return a > b end)',
      'show(table.concat(t, " "))',
    ]),
    ...tryBlock([
      `local t = {${texts()}}`,
      'table.sort(t)',
      'show(table.concat(t, " "))',
      'table.sort(t, function(a, b) if #a ~= #b then return #a < #b end return a < b end)',
      'show(table.concat(t, " "))',
    ]),
    ...tryBlock([
      'local t, calls = {' +
        Array.from({ length: size }, (_, index) => `{k = ${dice.between(0, 6)}, id = ${index}}`).join(', ') +
        '}, 0',
      'table.sort(t, function(a, b) calls = calls + 1 return a.k < b.k end)',
      'local line = {} for i, e in ipairs(t) do line[i] = e.k .. ":" .. e.id end show(table.concat(line, " "), calls)',
    ]),
    ...tryBlock([
      `local t = {${dice.times(0, 20, () => `{name = ${stringLiteral(dice)}, n = ${dice.between(0, 9)}}`).join(', ')}}`,
      'table.sort(t, function(a, b) return a.n > b.n or (a.n == b.n and a.name < b.name) end)',
      'for _, e in ipairs(t) do show(e.n, e.name) end',
    ]),
    ...tryBlock([
      'local t = {' +
        dice.times(0, 14, () => dice.pick(['1', '2', '"a"', '3', 'nil', '{}', 'true', '0/0'])).join(', ') +
        '}',
      'table.sort(t)',
      'show(t)',
    ]),
    ...tryBlock([
      `local t = {${numbers()}}`,
      'table.sort(t, ' +
        dice.pick([
          'nil',
          'function() return true end',
          'function() return false end',
          'function(a, b) return a <= b end',
          'function(a, b) error("stop") end',
          '5',
          'function(a, b) return nil end',
        ]) +
        ')',
      'show(table.concat(t, " "))',
    ]),
    ...tryBlock([
      'local m = {__lt = function(a, b) return a.v < b.v end}',
      `local t = {} for i, v in ipairs({${numbers()}}) do t[i] = setmetatable({v = v}, m) end`,
      'table.sort(t) for _, e in ipairs(t) do show(e.v) end',
    ]),
  ];
}
