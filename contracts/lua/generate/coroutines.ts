import { literal, numberLiteral, smallInteger } from './atoms.js';
import type { Dice } from './dice.js';
import { tryBlock } from './prelude.js';

/** Coroutines: values both ways, states, errors inside, loops and calls that yield, one inside another. */
export function coroutines(dice: Dice): string[] {
  return dice
    .times(3, 6, () =>
      tryBlock(
        dice.one(
          [exchange, generators, states, failures, nesting, deepYields, pipelines].map((make) => () => make(dice)),
        ),
      ),
    )
    .flat();
}

function exchange(dice: Dice): string[] {
  const values = (): string => dice.times(0, 3, () => literal(dice)).join(', ');
  return [
    'local co = coroutine.create(function(...)',
    '  show("start", ...)',
    ...dice.times(
      1,
      4,
      (index) => `  local a${index}, b${index} = coroutine.yield(${values()}) show("got", a${index}, b${index})`,
    ),
    `  return ${values()}`,
    'end)',
    // gopher-lua fails inside where a resume gives fewer values than its yield is asked for.
    ...dice.times(
      3,
      7,
      () => `show(coroutine.status(co), coroutine.resume(co, ${dice.times(2, 3, () => literal(dice)).join(', ')}))`,
    ),
    'show(coroutine.status(co))',
  ];
}

function generators(dice: Dice): string[] {
  return [
    'local function range(n, step) return coroutine.wrap(function() for i = 1, n, step do ' +
      'coroutine.yield(i, i * i) end end) end',
    `for i, square in range(${smallInteger(dice, 0, 6)}, ${dice.pick(['1', '2', '0.5'])}) do tick() show(i, ` +
      'square) end',
    'local function walk(t) return coroutine.wrap(function() local function visit(v, path) if type(v) == ' +
      '"table" then for k, e in pairs(v) do visit(e, path .. "/" .. str(k)) end else coroutine.yield(path, v) ' +
      'end end visit(t, "") end) end',
    `for path, leaf in walk({a = {b = ${numberLiteral(dice)}, ${literal(dice)}}, ${literal(dice)}, c = {}}) ` +
      'do show(path, leaf) end',
    'local function permutations(list, n) n = n or #list if n <= 1 then coroutine.yield(list) else for i = ' +
      '1, n do list[n], list[i] = list[i], list[n] permutations(list, n - 1) list[n], list[i] = list[i], ' +
      'list[n] end end end',
    `local count = 0 for p in coroutine.wrap(function() permutations({1, 2, 3}) end) do count = count + 1 ` +
      `show(table.concat(p, " ")) end show(count)`,
    'local fib = coroutine.wrap(function() local a, b = 0, 1 while true do coroutine.yield(a) a, b = b, a + ' +
      `b end end) local line = {} for i = 1, ${dice.between(3, 15)} do line[i] = fib() end ` +
      'show(table.concat(line, ","))',
  ];
}

function states(dice: Dice): string[] {
  return [
    'local co co = coroutine.create(function() show(coroutine.status(co)) local inner = ' +
      'coroutine.create(function() show(coroutine.status(co)) coroutine.yield() end) coroutine.resume(inner) ' +
      'show(coroutine.status(inner)) coroutine.yield(1) end)',
    'show(coroutine.status(co))',
    'show(coroutine.resume(co))',
    'show(coroutine.status(co))',
    'show(coroutine.resume(co))',
    'show(coroutine.status(co))',
    'show(coroutine.resume(co))',
    'show(type(co), coroutine.running(), type(coroutine.wrap(function() end)))',
    'local seen = coroutine.wrap(function() return type(coroutine.running()) end) show(seen())',
    `show(pcall(coroutine.${dice.pick(['resume', 'status', 'create', 'wrap'])}, ${literal(dice)}))`,
    `show(pcall(coroutine.create, ${dice.pick(['print', 'nil', '5', 'pcall'])}) == true)`,
  ];
}

function failures(dice: Dice): string[] {
  const wrong = dice.pick([
    'error("inside")',
    'error({code = 7})',
    'local x = nil + 1',
    'error("flat", 0)',
    'local t = {} t.a.b = 1',
    'error()',
    'error("two", 2)',
    'missing()',
  ]);
  return [
    `local co = coroutine.create(function(a)\n  show(a)\n  coroutine.yield(a)\n  ${wrong}\n  show("never")\nend)`,
    `show(coroutine.resume(co, ${literal(dice)}))`,
    'show(coroutine.resume(co))',
    'show(coroutine.status(co))',
    'show(coroutine.resume(co))',
    `local guarded = coroutine.create(function() local ok, m = pcall(function() ${wrong} end) show(ok, m) ` +
      'coroutine.yield("still here") return "done" end)',
    'show(coroutine.resume(guarded))',
    'show(coroutine.resume(guarded))',
    'show(coroutine.status(guarded))',
    ...(dice.chance(0.5)
      ? [
          `local wrapped = coroutine.wrap(function() coroutine.yield(1) ${wrong} end)`,
          'show(wrapped())',
          'show(pcall(wrapped))',
        ]
      : []),
  ];
}

function nesting(dice: Dice): string[] {
  return [
    'local function gen(name, n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(name .. ' +
      'i) end end) end',
    `local outer = coroutine.wrap(function() local a, b = gen("a", ${smallInteger(dice, 1, 3)}), gen("b", ` +
      `${smallInteger(dice, 1, 3)}) for i = 1, 2 do coroutine.yield(a(), b()) end for x in gen("c", 2) do ` +
      'coroutine.yield(x) end return "end" end)',
    'for i = 1, 5 do show(outer()) end',
    'local level = 0 local function nest(n) local co = coroutine.create(function() level = level + 1 if n > ' +
      '0 then coroutine.yield(nest(n - 1)) end return n end) return select(2, coroutine.resume(co)) end',
    `show(nest(${smallInteger(dice, 0, 6)}), level)`,
    'local turns = {} local function worker(id, n) return coroutine.create(function() for i = 1, n do ' +
      'turns[#turns + 1] = id .. i coroutine.yield() end end) end',
    `local list = {worker("x", ${smallInteger(dice, 1, 3)}), worker("y", ${smallInteger(dice, 1, 4)}), worker("z", 2)}`,
    'while #list > 0 do tick() for i = #list, 1, -1 do coroutine.resume(list[i]) if ' +
      'coroutine.status(list[i]) == "dead" then table.remove(list, i) end end end',
    'show(table.concat(turns, " "))',
  ];
}

/** Yields from within loops, branches, expressions, varargs and nested calls. */
function deepYields(dice: Dice): string[] {
  return [
    'local yield = coroutine.yield',
    'local co = coroutine.wrap(function(...)',
    '  local function inner(n) if n == 0 then return yield("bottom") end return inner(n - 1) end ' +
      `show("inner", inner(${smallInteger(dice, 0, 3)}))`,
    '  local t = {yield(1), yield(2), k = yield(3)} show(t)',
    '  if yield("if") then show("then") else show("else") end',
    '  local n = 0 while yield("while") do n = n + 1 end repeat local more = yield("repeat") n = n + 1 ' +
      'until not more show(n)',
    '  for i = yield("from"), 3 do local j = yield(i) show(i, j) if j == 5 then break end end',
    '  for k, v in pairs({a = 1, 2}) do show(k, v, yield(k)) end',
    '  local s = yield("x") .. "-" .. yield("y") show(s, yield("a") and yield("b") or yield("c"))',
    '  show(select("#", ...), ..., yield(...))',
    '  local obj = {v = 1} function obj:get(a) self.v = self.v + yield(a) return self.v end ' +
      'show(obj:get(1), obj:get(2))',
    '  do local kept = 0 local function add() kept = kept + (yield("add") or 0) return kept end show(add(), add()) end',
    '  return "finished", yield("last")',
    'end)',
    `local feed = {${dice.times(20, 30, () => dice.pick(['1', '2', '3', 'false', '5', '1'])).join(', ')}}`,
    'show(co("p", nil, "q"))',
    'for i = 1, #feed do local r = {co(feed[i])} show(unpack(r)) if r[1] == "finished" then break end end',
  ];
}

function pipelines(dice: Dice): string[] {
  return [
    'local function produce(list) return coroutine.create(function() for _, v in ipairs(list) do ' +
      'coroutine.yield(v) end end) end',
    'local function filter(keep, source) return coroutine.create(function() while true do tick() local _, v ' +
      '= coroutine.resume(source) if v == nil then return end if keep(v) then coroutine.yield(v) end end end) ' +
      'end',
    'local function map(f, source) return coroutine.create(function() while true do tick() local _, v = ' +
      'coroutine.resume(source) if v == nil then return end coroutine.yield(f(v)) end end) end',
    `local p = map(function(v) return v * ${numberLiteral(dice)} end, filter(function(v) return v % ` +
      `${smallInteger(dice, 2, 3)} == 0 end, ` +
      `produce({${dice.times(3, 9, () => smallInteger(dice, 0, 20)).join(', ')}})))`,
    'while true do local ok, v = coroutine.resume(p) if not ok or v == nil then show(ok, v) break end show(v) end',
    'show(coroutine.status(p))',
    'local sortCo = coroutine.wrap(function() local t = {3, 1, 2} table.sort(t, function(a, b) return a < b ' +
      'end) coroutine.yield(t[1]) return t[3] end) show(sortCo(), sortCo())',
    'local meta = coroutine.wrap(function() local t = setmetatable({}, {__index = function(_, k) return k ' +
      '.. "!" end, __call = function(_, v) return v * 2 end}) coroutine.yield(t.x) coroutine.yield(t(4)) ' +
      'return #t end) show(meta(), meta(), meta())',
  ];
}
