import { literal, numberLiteral, smallInteger } from './atoms.js';
import type { Dice } from './dice.js';
import { tryBlock } from './prelude.js';

/** Upvalues, varargs, numbers of results, recursion, methods. */
export function closures(dice: Dice): string[] {
  return dice
    .times(4, 8, () =>
      tryBlock(
        dice.one(
          [counters, varargs, results, recursion, methods, nested, loops, gotos].map((make) => () => make(dice)),
        ),
      ),
    )
    .flat();
}

function counters(dice: Dice): string[] {
  const step = smallInteger(dice, -2, 3);
  return [
    `local function counter(from) local n = from return function(by) n = n + (by or ${step}) return n end, ` +
      'function() return n end, function(v) n = v end end',
    `local up, get, set = counter(${numberLiteral(dice)})`,
    'local other = counter(100)',
    ...dice.times(3, 7, () =>
      dice.pick([
        'show(up(), get())',
        `show(up(${smallInteger(dice)}))`,
        `set(${numberLiteral(dice)})`,
        'show(other(), get())',
        'up = up or other show(up(2), other(3))',
      ]),
    ),
  ];
}

function varargs(dice: Dice): string[] {
  const list = dice.times(0, 5, () => literal(dice)).join(', ');
  return [
    'local function all(...) return ... end',
    'local function first(...) return (...) end',
    'local function count(...) return select("#", ...) end',
    'local function pack(...) local t = {...} t.n = select("#", ...) return t end',
    'local function shift(a, ...) return ..., a end',
    'local function argTable(...) local a, b = ... return b, a, {..., "end"}, {"begin", ...} end',
    `show(all(${list}))`,
    `show(first(${list}), "after")`,
    `show(count(${list}), count(nil, nil), count())`,
    `show(pack(${list}))`,
    `show(shift(${list}))`,
    `show(argTable(${list}))`,
    `show(pcall(select, ${smallInteger(dice, -4, 5)}, ${list === '' ? 'nil' : list}))`,
    `show((all(${list})), all(1, 2), (all(3, 4)), all())`,
    `local t = {all(1, 2), all(3, 4), (all(5, 6))} show(t, #t)`,
    `local a, b, c = all(${list}), ${literal(dice)} show(a, b, c)`,
  ];
}

function results(dice: Dice): string[] {
  return [
    `local function none() end local function three() return ${literal(dice)}, nil, ${literal(dice)} end ` +
      'local function tail(...) return three(...) end',
    'show(none())',
    'show((none()))',
    'show(three())',
    'show(three(), 9)',
    'show(tail(1))',
    'show({three()}, {three(), three()}, {none()}, {none(), none()})',
    'local a, b, c, d = three() show(a, b, c, d)',
    'local x = three() show(x)',
    'local p, q = none() show(p, q)',
    'show(not none(), none() == nil, #{three()})',
    `if three() then show("truthy") else show("falsy") end`,
    'show(select("#", none()), select("#", none(), none()), select("#", three()), select("#", (three())))',
  ];
}

function recursion(dice: Dice): string[] {
  const depth = dice.between(5, 120);
  return [
    'local function factorial(n) if n <= 1 then return 1 end return n * factorial(n - 1) end',
    'local function sum(n, total) if n == 0 then return total end return sum(n - 1, total + n) end',
    'local even, odd',
    'function even(n) if n == 0 then return true end return odd(n - 1) end',
    'function odd(n) if n == 0 then return false end return even(n - 1) end',
    'local function fibonacci(n) tick() if n < 2 then return n end return fibonacci(n - 1) + fibonacci(n - 2) end',
    'local function depth(t) local d = 0 for _, v in pairs(t) do if type(v) == "table" then local e = ' +
      'depth(v) if e > d then d = e end end end return d + 1 end',
    `show(factorial(${dice.between(1, 25)}), sum(${depth}, 0), even(${depth}), odd(${depth}), ` +
      `fibonacci(${dice.between(3, 12)}))`,
    `show(sum(${dice.between(1000, 5000)}, 0))`,
    'show(depth({}), depth({{}, {{}}}), depth({a = {b = {c = {}}}}))',
  ];
}

function methods(dice: Dice): string[] {
  return [
    `local account = {balance = ${numberLiteral(dice)}, log = {}}`,
    'function account:deposit(n) self.balance = self.balance + n self.log[#self.log + 1] = n return self end',
    'function account.fee(self, rate) return self.balance * rate end',
    'function account:each(f) for i, n in ipairs(self.log) do f(i, n, self) end end',
    'account.inner = {} function account.inner.name() return "inner" end function account.inner:me(...) ' +
      'return self == account.inner, ... end',
    `show(account:deposit(${numberLiteral(dice)}):deposit(${smallInteger(dice)}).balance)`,
    `show(account:fee(${dice.pick(['0.5', '2', '"3"', 'nil'])}))`,
    'show(account.inner.name(), account.inner:me(1, nil))',
    'account:each(function(i, n, who) show(i, n, who == account) end)',
    'show(#"abc", ({1, 2})[2], (function() return "called" end)())',
    `account:${dice.pick(['deposit(1)', 'missing()', 'inner()', 'deposit()'])}`,
    'show(account.balance)',
  ];
}

function nested(dice: Dice): string[] {
  return [
    `local a = ${smallInteger(dice)}`,
    'local function outer(b) local c = b * 2 return function(d) local e = c + d return function(f) a = a + ' +
      '1 c = c + 1 return a, b, c, d, e, f end end end',
    `local one, two = outer(${smallInteger(dice)}), outer(${smallInteger(dice)})`,
    `local deep = one(${smallInteger(dice)})`,
    ...dice.times(2, 5, () =>
      dice.pick([
        `show(deep(${smallInteger(dice)}))`,
        `show(one(1)(2))`,
        `show(two(${smallInteger(dice)})(0))`,
        'a = a * 2',
        'show(a)',
        `local a = "inner" show(a)`,
      ]),
    ),
    'show(a)',
  ];
}

function loops(dice: Dice): string[] {
  return [
    'local list = {}',
    `for i = 1, ${smallInteger(dice, 2, 5)} do local j = i list[#list + 1] = function() j = j + i return i, j end end`,
    'for k, v in pairs({a = 1, b = 2}) do list[#list + 1] = function() v = v + 1 return k, v end end',
    'local w = 0 while w < 3 do w = w + 1 local x = w list[#list + 1] = function() x = x + 10 return x, w end end',
    'local r = 0 repeat r = r + 1 local y = r list[#list + 1] = function() y = y - 1 return y, r end until y >= 2',
    'for _, f in ipairs(list) do show(f()) end',
    'for i = #list, 1, -1 do show(list[i]()) end',
    `for i = ${numberLiteral(dice)}, ${smallInteger(dice)}, ` +
      `${dice.pick(['1', '-1', '0.5', '-0.5', '3', '1e10'])} do tick() show(i) if i > 20 or i < -20 then ` +
      'break end end',
    'for i = ' +
      dice.pick(['1, 3', '3, 1', '1, 0.5', '"1", 2', '1, "2"', '1, 2, "1"', 'nil, 1', '1, nil', '1, 2, {}']) +
      ' do show(i) end',
  ];
}

function gotos(dice: Dice): string[] {
  const limit = smallInteger(dice, 1, 6);
  return [
    `for i = 1, ${limit} do for j = 1, 3 do if j == ${smallInteger(dice, 1, 3)} then goto next end show(i, ` +
      'j) ::next:: end end',
    `local n = 0 ::top:: n = n + 1 if n < ${limit} then goto top end show(n)`,
    `for i = 1, 3 do if i == ${smallInteger(dice, 1, 4)} then goto out end show("in", i) end ::out:: show("out")`,
    'do local k = 0 ::again:: do k = k + 1 local copy = k if copy < 3 then goto again end show(copy) end end',
    `local m = 0 while true do tick() m = m + 1 if m % 2 == 0 then goto skip end if m > ${limit} then break ` +
      'end show(m) ::skip:: end',
    `repeat local z = ${smallInteger(dice)} if z > 2 then break end show(z) until true`,
  ];
}
