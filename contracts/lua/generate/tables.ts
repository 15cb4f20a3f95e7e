import { keyExpression, keyName, literal, smallInteger } from './atoms.js';
import type { Dice } from './dice.js';
import { Expressions } from './expressions.js';
import { tryBlock } from './prelude.js';

const NOTHING = { numbers: [], strings: [], tables: [], values: [] };

/** Constructors of all kinds, length with holes, fields that are set and cleared. */
export function tables(dice: Dice): string[] {
  const made = new Expressions(dice, NOTHING);
  return dice
    .times(4, 8, () =>
      tryBlock([
        `local t = ${dice.chance(0.5) ? made.table(3) : constructor(dice)}`,
        'show(t, #t)',
        ...dice.times(4, 10, () => dice.one([() => change(dice), () => change(dice), () => look(dice)])),
        'show(#t, t, next(t))',
      ]),
    )
    .flat();
}

/** A constructor whose last value may be several. */
function constructor(dice: Dice): string {
  const fields = dice.times(0, 5, () =>
    dice.one([
      () => literal(dice),
      () => `${keyName(dice)} = ${literal(dice)}`,
      () => `[${keyExpression(dice)}] = ${literal(dice)}`,
    ]),
  );
  const many = dice.pick([
    'unpack({1, 2, 3})',
    '(unpack({1, 2, 3}))',
    'select(2, "x", "y", "z")',
    '(function() end)()',
    '(function() return nil, 5 end)()',
    '(function(...) return ... end)(nil, nil, 3)',
    'unpack({1, nil, 3}, 1, 3)',
  ]);
  return `{${[...fields, many, ...tailOf(dice)].join(', ')}}`;
}

function tailOf(dice: Dice): string[] {
  if (dice.chance(0.25)) return [`${keyName(dice)} = 1`];
  return dice.chance(0.2) ? ['"last"'] : [];
}

function change(dice: Dice): string {
  const value = dice.chance(0.35) ? 'nil' : literal(dice);
  return dice.one([
    () => `t[${smallInteger(dice, 0, 9)}] = ${value}`,
    () => `t[#t + 1] = ${value}`,
    () => `t[#t] = ${value}`,
    () => `t.${keyName(dice)} = ${value}`,
    () => `t[${keyExpression(dice)}] = ${value}`,
    () => `rawset(t, ${keyExpression(dice)}, ${literal(dice)})`,
    () => `table.insert(t, ${literal(dice)})`,
    () => `show(table.remove(t))`,
    () => dice.pick(['t[nil] = 1', 't[0/0] = 1', 't[1e300] = 1', 't[-0.0] = "zero"', 't[2^40] = "far"']),
  ]);
}

function look(dice: Dice): string {
  return dice.one([
    () => 'show(#t)',
    () => `show(t[${keyExpression(dice)}], rawget(t, ${keyExpression(dice)}))`,
    () => `show(t[nil], t[0/0])`,
    () => `show(next(t, ${dice.chance(0.5) ? 'nil' : '(next(t))'}))`,
    () => 'for i, v in ipairs(t) do show(i, v) end',
    () => `show(unpack(t, ${smallInteger(dice, -1, 2)}, ${smallInteger(dice, 0, 5)}))`,
    () => 'show(unpack(t))',
    () => 'show(table.maxn(t), table.getn(t))',
    () => `show(rawequal(t, t), t == t, t == {}, rawequal(1, 1.0), rawequal("a", ${literal(dice)}))`,
  ]);
}

/** The order of pairs and next, with keys removed and put again before, during and after iterations. */
export function tableOrder(dice: Dice): string[] {
  const keys = dice.times(3, 8, (index) => (dice.chance(0.3) ? keyExpression(dice) : `"k${index}"`));
  const key = (): string => dice.pick(keys);
  return dice
    .times(2, 4, () =>
      tryBlock([
        `local t = ${dice.pick(['{}', '{}', '{1, 2, 3}', '{x = 1, y = 2}', '{"a", b = 1, [3] = "c"}'])}`,
        ...keys.map((each) => `t[${each}] = ${literal(dice)}`),
        'for k, v in pairs(t) do show(k, v) end',
        ...dice.times(2, 6, () => (dice.chance(0.5) ? `t[${key()}] = nil` : `t[${key()}] = ${literal(dice)}`)),
        'show("again")',
        'for k, v in pairs(t) do tick() show(k) ' +
          dice.pick([
            '',
            't[k] = nil',
            't[k] = 5',
            `t[${key()}] = nil`,
            `if k == ${key()} then t[${key()}] = nil end`,
            `t[${key()}] = 1`,
          ]) +
          ' end',
        ...dice.times(1, 4, () => `t[${key()}] = ${literal(dice)}`),
        'local k, v = next(t)',
        'while k ~= nil do tick() show(k, v) k, v = next(t, k) end',
        `show(pcall(next, t, ${dice.pick(['"unknown"', '99', '1.25', 'true'])}))`,
        'show(#t, t)',
      ]),
    )
    .flat();
}
