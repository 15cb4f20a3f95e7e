import { keyName, literal, numberLiteral, smallInteger, stringLiteral } from './atoms.js';
import type { Dice } from './dice.js';
import { Expressions } from './expressions.js';
import { tryExpression } from './prelude.js';

const NOTHING = { numbers: [], strings: [], tables: [], values: [] };

/** error, assert, pcall and xpcall with all kinds of values and levels. */
export function errors(dice: Dice): string[] {
  return [
    'local function raise(v, level) error(v, level) end',
    'local function deeper(v, level)\n  raise(v, level)\n  return 1\nend',
    'local function handler(m) return "handled " .. text(m, 0) end',
    'local Fault = {} Fault.__index = Fault Fault.__tostring = function(f) return "fault " .. f.code end',
    ...dice.times(10, 18, () =>
      dice.one([
        () => `try(error, ${literal(dice)}, ${smallInteger(dice, 0, 3)})`,
        () => `try(error, ${literal(dice)})`,
        () => 'try(error)',
        () => `try(raise, ${literal(dice)}, ${smallInteger(dice, 0, 3)})`,
        () => `try(deeper, ${stringLiteral(dice)}, ${dice.pick(['0', '1', '2', '3', '4', '9', '"1"', '-1'])})`,
        () => `try(function() error({code = ${numberLiteral(dice)}, ${literal(dice)}}) end)`,
        () => `try(function() error(setmetatable({code = ${stringLiteral(dice)}}, Fault)) end)`,
        () => `try(assert, ${literal(dice)}, ${literal(dice)}, ${literal(dice)})`,
        () => `try(assert, ${literal(dice)})`,
        () => 'try(assert)',
        () => `try(function() return assert(${literal(dice)}, ${dice.chance(0.5) ? stringLiteral(dice) : '{1}'}) end)`,
        () =>
          'show(xpcall(function() ' +
          dice.pick([
            'error("inside")',
            'error({1})',
            'return 1, 2',
            'local x = nil + 1',
            'error()',
            'error("flat", 0)',
          ]) +
          ' end, ' +
          dice.pick([
            'handler',
            'handler',
            'function(m) return m, 2 end',
            'function() end',
            'function(m) error("again") end',
          ]) +
          '))',
        () => `show(pcall(pcall, error, ${literal(dice)}))`,
        () => `show(pcall(pcall))`,
        () => `show(pcall(${literal(dice)}))`,
        () => `try(pcall, function() local ok, m = pcall(error, "a") error(m .. "b", ${smallInteger(dice, 0, 2)}) end)`,
        () =>
          'show(select("#", pcall(error)), select("#", pcall(function() end)), pcall(function(...) return ' +
          `... end, ${literal(dice)}, nil))`,
      ]),
    ),
    ...(dice.chance(0.3)
      ? [`error(${dice.pick(['"final"', '{code = 1}', '"final", 0', '"final", 2', 'nil', '42', 'true'])})`]
      : ['return 1, "two", nil, {}']),
  ];
}

/** Run time errors of the language: their texts and the lines that they name. */
export function positions(dice: Dice): string[] {
  const made = new Expressions(dice, NOTHING);
  const wrong = (): string =>
    dice.one([
      () => `local t = {} return t.${keyName(dice)}.${keyName(dice)}`,
      () => `local t = {a = {}} t.a.b.c = 1`,
      () => `return ${keyName(dice)}.${keyName(dice)}`,
      () => `${keyName(dice)}Missing()`,
      () => `local t = {} t.${keyName(dice)}()`,
      () => `local t = {} t:${keyName(dice)}()`,
      () => `local s = "x" return s.y.z`,
      () => `return (${literal(dice)}) + (${literal(dice)})`,
      () => `return (${literal(dice)}) .. (${literal(dice)})`,
      () => `return (${literal(dice)}) < (${literal(dice)})`,
      () => `return (${literal(dice)}) <= (${literal(dice)})`,
      () => `return -(${literal(dice)})`,
      () => `return #(${literal(dice)})`,
      () => `return (${literal(dice)})[${literal(dice)}]`,
      () => `local x = ${literal(dice)} x.y = 1`,
      () => `return (${literal(dice)})()`,
      () => `for i = ${literal(dice)}, ${literal(dice)} do tick() end`,
      () => `for k in ${literal(dice)} do tick() end`,
      () => `for k, v in pairs(${literal(dice)}) do tick() end`,
      () => `for i, v in ipairs(${literal(dice)}) do tick() end`,
      () =>
        (
          'return ' +
          dice.pick([
            'tonumber',
            'tostring',
            'type',
            'ipairs',
            'next',
            'unpack',
            'setmetatable',
            'rawget',
            'rawset',
            'select',
            'rawequal',
            'assert',
            'table.concat',
            'table.insert',
            'table.remove',
            'table.sort',
            'table.maxn',
          ]) +
          `(${dice.times(0, 3, () => literal(dice)).join(', ')})`
        ).replace('tostring', 'str'),
      () => `local t = {} t[${dice.pick(['nil', '0/0'])}] = 1`,
      () => `return ${made.any(3)}`,
      () => `return ${made.number(3)}`,
    ]);
  return dice.times(12, 22, () =>
    dice.one([
      () => `try(function() ${wrong()} end)`,
      () => `try(function()\n\n  ${wrong()}\nend)`,
      () => `try(function()\n  local function inner()\n    ${wrong()}\n  end\n  inner()\n  return 1\nend)`,
      () => `try(function()\n  local function inner() ${wrong()} end\n  return inner()\nend)`,
      () => tryExpression(`\n  ${made.any(3)}\n  `),
    ]),
  );
}
