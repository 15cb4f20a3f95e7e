import { describe, expect, it } from 'vitest';
import type { LuaBudget } from './budget.js';
import { compileLua } from './compile-lua.js';
import { LuaError } from './lua-error.js';
import { runLua } from './run-lua.js';
import { typeName, type LuaValue } from './value.js';

/** A small budget: what ends a script is the same with the real one, only sooner. */
const BUDGET: Partial<LuaBudget> = { steps: 500_000, memory: 4 << 20, stringLength: 1 << 20 };

function run(source: string, budget = BUDGET): string {
  try {
    const values = runLua(compileLua(source), { obj: OBJECT }, { openLibs: true, now: () => 0, budget });
    return `returned ${values.slice(0, 6).map(show).join(' ')}`;
  } catch (error) {
    if (!(error instanceof LuaError)) throw error;
    return `${error.kind}: ${error.message.trim()}`;
  }
}

const OBJECT = JSON.parse('{"metadata":{"name":"x"},"__proto__":{"a":1}}') as Record<string, never>;

function show(value: LuaValue): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : typeName(value);
}

const TOO_MANY_STEPS = 'budget: <string>:1: the script took too many steps';
const TOO_MUCH_MEMORY = 'budget: <string>:1: the script used too much memory';
const TOO_LONG = 'budget: <string>:1: the script made a string that is too long';
const OVERFLOW = 'runtime: <string>:1: stack overflow';

describe('a hostile script ends with an error', () => {
  it.each([
    ['endless while', 'while true do end', TOO_MANY_STEPS],
    ['endless repeat', 'repeat until false', TOO_MANY_STEPS],
    ['endless goto', '::a:: goto a', TOO_MANY_STEPS],
    ['for with step 0', 'for i = 1, 1, 0 do end', TOO_MANY_STEPS],
    [
      'endless loop that catches its errors',
      'while true do pcall(function() while true do end end) end',
      TOO_MANY_STEPS,
    ],
    ['throwing forever', 'while true do pcall(error, "x") end', TOO_MANY_STEPS],
    [
      'endless error handler',
      'return xpcall(function() error("x") end, function() while true do end end)',
      TOO_MANY_STEPS,
    ],
    ['tail calls', 'local function f() return f() end return f()', TOO_MANY_STEPS],
    [
      'coroutines one after another',
      'while true do coroutine.wrap(function() coroutine.yield(1) end)() end',
      TOO_MUCH_MEMORY,
    ],
    [
      'a coroutine that yields forever',
      'local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end',
      TOO_MANY_STEPS,
    ],
    [
      'a deep coroutine',
      'local function g(n) if n == 0 then coroutine.yield(1) return 1 end return 1 + g(n - 1) end local co ' +
        '= coroutine.wrap(function() while true do g(100) end end) while true do co() end',
      TOO_MANY_STEPS,
    ],
    ['coroutines in coroutines', 'local function f() return coroutine.wrap(f)() end f()', 'runtime: stack overflow'],
    [
      'backtracking',
      'return string.find(string.rep("a", 30), string.rep("a?", 30) .. string.rep("a", 30))',
      TOO_MANY_STEPS,
    ],
    ['doubling a string', 'local s = "x" while true do s = s .. s end', TOO_LONG],
    ['growing a string', 'local s = "" while true do s = s .. "xxxxxxxxxx" end', TOO_MUCH_MEMORY],
    ['growing a list', 'local t = {} while true do t[#t + 1] = #t end', TOO_MANY_STEPS],
    ['growing a map', 'local t, i = {}, 0 while true do i = i + 1 t["k" .. i] = i end', TOO_MANY_STEPS],
    ['tables without end', 'local t = {} while true do t = {t} end', TOO_MUCH_MEMORY],
    ['closures without end', 'local t = {} while true do t[#t + 1] = function() return t end end', TOO_MUCH_MEMORY],
    ['a list with a huge gap', 'local t = {} t[60000000] = 1', TOO_MUCH_MEMORY],
    [
      'length of a list that ends in nil',
      'local t = {} t[90000] = 1 t[90000] = nil while true do local n = #t end',
      TOO_MANY_STEPS,
    ],
    [
      'next over keys that are gone',
      'local t = {} for i = 1, 10000 do t["k" .. i] = 1 end for i = 1, 10000 do t["k" .. i] = nil end while ' +
        'true do next(t) end',
      TOO_MANY_STEPS,
    ],
    [
      'comparing long strings',
      'local s = string.rep("x", 1e6) local a, b = s .. "a", s .. "b" while true do local c = a == b end',
      TOO_MANY_STEPS,
    ],
    [
      'looking up long keys',
      'local s = string.rep("x", 1e6) local t = {[s .. "a"] = 1} local k = s .. "b" while true do local c = t[k] end',
      TOO_MANY_STEPS,
    ],
    ['huge string.rep', 'return string.rep("x", 1e12)', TOO_LONG],
    ['many string.rep', 'local t = {} while true do t[#t + 1] = string.rep("x", 1e5) end', TOO_MUCH_MEMORY],
    [
      'huge table.concat',
      'local t, s = {}, string.rep("x", 1e4) for i = 1, 1e4 do t[i] = s end return table.concat(t)',
      TOO_LONG,
    ],
    ['huge unpack', 'return unpack({}, 1, 1e8)', TOO_MUCH_MEMORY],
    ['big unpack', 'return unpack({}, 1, 10000)', 'runtime: <string>:1: registry overflow'],
    ['arguments that grow', 'local function f(...) return f(1, ...) end return f()', TOO_MUCH_MEMORY],
    ['inserting in front', 'local t = {} while true do table.insert(t, 1, 1) end', TOO_MANY_STEPS],
    ['loading forever', 'while true do loadstring("return 1")() end', TOO_MUCH_MEMORY],
    [
      'metatable that is its own index',
      'local t = {} setmetatable(t, {__index = t}) return t.a',
      'runtime: <string>:1: too many recursions in gettable',
    ],
    [
      '__index that recurses',
      'local t = setmetatable({}, {__index = function(t, k) return t[k .. "x"] end}) return t.a',
      OVERFLOW,
    ],
    [
      '__newindex that recurses',
      'local t = setmetatable({}, {__newindex = function(t, k, v) t[k] = v end}) t.a = 1',
      OVERFLOW,
    ],
    [
      '__add that recurses',
      'local m = {} m.__add = function(a, b) return a + b end return setmetatable({}, m) + 1',
      OVERFLOW,
    ],
    [
      '__eq that recurses',
      'local m = {} m.__eq = function(a, b) return a == b end return setmetatable({}, m) == setmetatable({}, m)',
      OVERFLOW,
    ],
    [
      '__tostring that recurses',
      'return tostring(setmetatable({}, {__tostring = function(t) return tostring(t) end}))',
      OVERFLOW,
    ],
    ['deep calls', 'local function f(n) return 1 + f(n + 1) end return f(1)', OVERFLOW],
    [
      'calls that call each other',
      'local a, b function a() return 1 + b() end function b() return 1 + a() end return a()',
      OVERFLOW,
    ],
  ])('%s', (_name, source, expected) => {
    expect(run(source)).toBe(expected);
  });

  it('with the budget that checks really have, and no clock', () => {
    expect(run('while true do end', {})).toBe(TOO_MANY_STEPS);
  });

  it('when the clock says so', () => {
    let time = 0;
    const options = { now: () => 0, elapsed: () => (time += 300) };
    expect(() => runLua(compileLua('while true do end'), {}, options)).toThrow('<string>:1: the script took too long');
  });

  it('even where it is deeper than the stack of the host', () => {
    const nested = `local function f(n) return ${'(1 + '.repeat(60)}f(n + 1)${')'.repeat(60)} end return f(1)`;
    expect(run(nested)).toMatch(
      /^(runtime: <string>:1: stack overflow|budget: <string>: the script is nested too deeply)$/,
    );
  });
});

describe('hostile text is refused or runs', () => {
  it.each([
    ['brackets', `return ${'('.repeat(50_000)}1${')'.repeat(50_000)}`, 'syntax'],
    ['tables', `return ${'{'.repeat(50_000)}${'}'.repeat(50_000)}`, 'syntax'],
    ['functions', `return ${'function() return '.repeat(5000)}1${' end'.repeat(5000)}`, 'syntax'],
    ['blocks', `${'do '.repeat(20_000)}${'end '.repeat(20_000)}`, 'syntax'],
    ['not not', `return ${'not '.repeat(50_000)}1`, 'syntax'],
    ['powers', `return ${'2 ^ '.repeat(50_000)}1`, 'syntax'],
    ['a long sum', `return ${'1 + '.repeat(50_000)}1`, 'budget'],
    ['a long path', `local t = {} t.a = t return t${'.a'.repeat(50_000)}`, 'budget'],
    ['locals', 'local a = 1 '.repeat(10_000), 'syntax'],
    ['elseif', `if false then ${'elseif false then '.repeat(5000)}end`, 'returned'],
    ['concatenation', `return #(${'"x" .. '.repeat(5000)}"x")`, 'returned'],
    ['too long', 'x = 1 '.repeat(300_000), 'syntax'],
  ])('%s', (_name, source, expected) => {
    expect(run(source).split(/[ :]/)[0]).toBe(expected);
  });
});

describe('names of the host mean nothing', () => {
  it.each([
    [
      'return obj.constructor, obj.toString, obj.metadata.hasOwnProperty, obj.metadata.__proto__',
      'returned nil nil nil nil',
    ],
    ['return obj.__proto__.a', 'returned 1'],
    ['return ("x").constructor, ("x").length, ("x").toString', 'returned nil nil nil'],
    ['local t = {} return t.constructor, t.__proto__, t["hasOwnProperty"]', 'returned nil nil nil'],
    [
      'local t = {} t.__proto__ = {polluted = true} t.constructor = 5 return t.polluted, t.constructor',
      'returned nil 5',
    ],
    ['return constructor, __proto__, toString, process, globalThis', 'returned nil nil nil nil nil'],
    ['return string.constructor, math.__proto__, _G.constructor', 'returned nil nil nil'],
    [
      'obj.metadata.__proto__ = {polluted = true} local n = 0 for k in pairs(obj.metadata) do n = n + 1 end return n',
      'returned 2',
    ],
  ])('%s', (source, expected) => {
    expect(run(source)).toBe(expected);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(OBJECT).toEqual(JSON.parse('{"metadata":{"name":"x"},"__proto__":{"a":1}}'));
  });
});

it('a failed run leaves nothing behind for the next', () => {
  const probe = 'return #string, ("x"):rep(2), next({}), leaked, select("#", ...)';
  const before = run(probe);
  run('leaked = 1 string.rep = nil getmetatable("").__index = nil setmetatable(_G, {__index = error}) error("x")');
  run('leaked = 1 while true do end');
  run('string.rep = function() return "stolen" end local function f() return 1 + f() end f()');
  expect(run(probe)).toBe(before);
  expect(before).toBe('returned 0 xx nil nil 0');
});
