import { describe, expect, it } from 'vitest';
import { compileLua } from './compile-lua.js';
import { LuaError } from './lua-error.js';
import { runLua } from './run-lua.js';
import { typeName, type LuaValue } from './value.js';

/** Runs a script and tells what it returns or how it fails; objects show their type. */
function run(source: string, openLibs = true): string {
  try {
    return runLua(compileLua(source), { obj: { status: { replicas: 3 } } }, { openLibs, now: () => 0 })
      .map(show)
      .join(' ');
  } catch (error) {
    if (!(error instanceof LuaError)) throw error;
    return error.message;
  }
}

function show(value: LuaValue): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : typeName(value);
}

// Results were read off gopher-lua 1.1.2, except where it crashes: a yield across a tail call or pcall.
describe('the language', () => {
  it.each([
    ['return 1 + 2 * 3 ^ 2 ^ 0.5 % 4 - -1', '3.4576087756748297'],
    ['return 7 % -3, -7 % 3, 5 % (1/0), -5 % (1/0)', '-2 2 5 Infinity'],
    ['return "10" + 5, "0x10" * 2, " 5 " - 1, 10 .. 20', '15 32 4 1020'],
    ['return 010, 0010, .5, 0xff, 1e2', '10 8 0.5 255 100'],
    ['return 1 == 1.0, "1" == 1, nil == false', 'true false false'],
    ['return #{1, 2, nil, 4}, #{nil, nil, 3}, #{n = 1}', '4 3 0'],
    ['return "a\\65\\x41\\z", [[\nx]], [==[a]]b]==]', 'aAx41z x a]]b'],
    ['local function f(...) return select("#", ...), ... end return f(nil, nil), (f(1, 2))', '2 2'],
    ['local a <', "<string> line:1(column:9) near '<':   syntax error\n"],
    ['local t = {f = function(self, x) return self.n + x end, n = 40} return t:f(2)', '42'],
    ['local s = 0 for i = 10, 1, -3 do s = s + i end return s', '22'],
    [
      'local s = 0 for i = 1, 3 do for j = 1, 3 do if j == 2 then goto continue end s = s + j ::continue:: ' +
        'end end return s',
      '12',
    ],
    ['local i = 0 repeat local done = i == 3 i = i + 1 until done return i', '4'],
    [
      'local fs = {} for i = 1, 3 do fs[i] = function() i = i + 1 return i end end return fs[1](), fs[1](), fs[2]()',
      '2 3 3',
    ],
    ['local function f(n) if n == 0 then return "deep" end return f(n - 1) end return f(100000)', 'deep'],
    ['return (function(...) return arg.n, #arg end)(1, 2, 3)', '3 3'],
    ['return (function(...) local n = select("#", ...) return arg, n end)(1)', 'nil 1'],
    ['function a() return b() end function b() return 5 end return a()', '5'],
    [
      'local t = setmetatable({}, {__index = function(_, k) return k .. "!" end, __call = function(_, a) ' +
        'return a end, __len = function() return 42 end}) return t.x, t(7), #t',
      'x! 7 42',
    ],
    [
      'local m = {__lt = function() return true end, __le = function() return false end, __concat = ' +
        'function() return "cat" end, __unm = function() return "neg" end} local a, b = setmetatable({}, m), ' +
        'setmetatable({}, m) return a < b, a <= b, a > b, 1 .. a, -a',
      'true false true cat neg',
    ],
    ['return obj.status.replicas + 1, obj.status == obj.status, obj.none', '4 true nil'],
  ])('%s', (source, expected) => {
    expect(run(source)).toBe(expected);
  });
});

describe('errors name the place as gopher-lua does', () => {
  it.each([
    ['local t\nt.x = 1', "<string>:2: attempt to index a non-table object(nil) with key 'x'"],
    ['return obj.spec\n.replicas', "<string>:1: attempt to index a non-table object(nil) with key 'replicas'"],
    ['nosuch()', '<string>:1: attempt to call a non-function object'],
    ['return 1 < "2"', '<string>:1: attempt to compare number with string'],
    ['return {} > 1', '<string>:1: attempt to compare number with table'],
    ['return {} + 1', '<string>:1: cannot perform add operation between table and number'],
    ['return "a" .. 1 .. nil', '<string>:1: cannot perform concat operation between number and nil'],
    ['return -{}', '<string>:1: __unm undefined'],
    ['return #5', '<string>:1: __len undefined'],
    ['for i = "a", 2 do end', '<string>:1: for statement init must be a number'],
    ['for x in 5 do end', '<string>:1: attempt to call a non-function object'],
    ['local t = {} t[nil] = 1', '<string>:1: table index is nil'],
    ['local t = {} t[0/0] = 1', '<string>:1: table index is NaN'],
    ['for _, x in ipairs(nil) do end', '<string>:1: bad argument #1 to ipairs (table expected, got nil)'],
    ['local t = {string.rep}\nt[1]()', '<string>:2: bad argument #1 to ? (string expected, got nil)'],
    ['local function f() error("x", 2) end\nf()', '<string>:1: x'],
    ['local function f() error("x", 3) end\nf()', '<string>:2: x'],
    ['error("x", 0)', 'x'],
    ['return select(2, pcall(error, "m"))', '<string>:1: m'],
    ['return xpcall(function() error("x") end, function(m) return "handled " .. m end)', 'false handled <string>:1: x'],
    ['local co = coroutine.create(function() error("in") end) return coroutine.resume(co)', 'false <string>:1: in'],
    ['coroutine.yield(1)', '<string>:1: can not yield from outside of a coroutine'],
  ])('%s', (source, expected) => {
    expect(run(source)).toBe(expected);
  });
});

describe('syntax errors read as in gopher-lua', () => {
  it.each([
    ['x = = 1', "<string> line:1(column:5) near '=':   syntax error\n"],
    ['if x then', '<string> at EOF:   syntax error\n'],
    ['x', '<string> at EOF:   parse error\n'],
    ['x y', "<string> line:1(column:3) near 'y':   parse error\n"],
    ['(a) = 1', "<string> line:1(column:5) near '=':   parse error\n"],
    ['local a = 1 ~ 2', "<string> line:1(column:13) near '~':   Invalid '~' token\n"],
    ['return "abc', '<string> at EOF:   unterminated string\n'],
    ['return "abc\n x', "<string> line:2(column:0) near 'abc':   unterminated string\n"],
    ['--[[ abc', '<string> at EOF:   invalid multiline comment\n'],
    ['x = 0x', "<string> line:1(column:6) near '0x':   illegal hexadecimal number\n"],
    ['x = @', "<string> line:1(column:5) near '@':   Invalid token\n"],
    ['return 1 return 2', "<string> line:1(column:15) near 'return':   syntax error\n"],
    ['goto x', "compile error near line(2) <string>: no visible label 'x' for <goto> at line 1"],
    ['break', 'compile error near line(1) <string>: no loop to break'],
    ['::a:: ::a::', "compile error near line(2) <string>: label 'a' already defined on line 1"],
    [
      'do goto x; local b; ::x:: print(b) end',
      "compile error near line(2) <string>: <goto x> at line 1 jumps into the scope of local 'b'",
    ],
    ['function f() return ... end', "compile error near line(1) <string>: cannot use '...' outside a vararg function"],
  ])('%s', (source, expected) => {
    expect(run(source)).toBe(expected);
  });
});

describe('oddities that scripts may depend on', () => {
  it.each([
    ['local a, b = 1, 2 a, b = b, a return a, b', '2 2'],
    ['a, b = 1, 2 a, b = b, a return a, b', '2 1'],
    ['local x, t = 5, {} x = t.foo and 1 return x', '5'],
    ['local x, t = 5, {} x = t.foo and 1 or 2 return x', '2'],
    ['local x, t = 5, {} x = t.foo ~= nil and t.bar return x', 'false'],
    ['local t = {} local y = t.foo and 1 return y', 'nil'],
    ['x = 5 local t = {} x = t.foo and 1 return x', 'nil'],
    ['local t = {1, k = tostring(2)} return t[2], t.k', '2 2'],
    ['local f = function() return f end return f() == f', 'true'],
    ['local n = 0 local function inc() n = n + 1 end pcall(error) inc() return n', '0'],
    ['return {1, 2,, 3}[3]', "<string> line:1(column:18) near '[':   syntax error\n"],
    ['local t = {1, 2,, 3} return #t', '3'],
    ['return math.huge == 1/0', 'false'],
  ])('%s', (source, expected) => {
    expect(run(source)).toBe(expected);
  });
});

describe('coroutines', () => {
  it.each([
    [
      'local co = coroutine.wrap(function(...) local a = coroutine.yield(...) return a, "end" end) local x, ' +
        'y = co(1, 2) return x, y, co(3)',
      '1 2 3 end',
    ],
    [
      'local co = coroutine.create(function() for i = 1, 2 do coroutine.yield(i) end end) local r = {} for ' +
        'i = 1, 4 do local ok, v = coroutine.resume(co) r[i] = tostring(ok) .. tostring(v) end return ' +
        'table.concat(r, " "), coroutine.status(co)',
      'true1 true2 truenil falsecan not resume a dead thread dead',
    ],
    [
      'local co = coroutine.wrap(function() local t = {coroutine.yield(1), k = coroutine.yield(2)} if ' +
        'coroutine.yield(3) then return t.k, t[1] end end) co() co("a") co("b") return co(true)',
      'b a',
    ],
    [
      'local co = coroutine.wrap(function() local n = 0 while coroutine.yield(n) do n = n + 1 end repeat n ' +
        '= n + 10 until not coroutine.yield(n) return n end) co() co(true) co(true) co(false) co(true) return ' +
        'co(false)',
      '22',
    ],
    [
      'local function walk(t) for _, v in ipairs(t) do if type(v) == "table" then walk(v) else ' +
        'coroutine.yield(v) end end end local s = "" for v in coroutine.wrap(function() walk({1, {2, {3}}, ' +
        '4}) end) do s = s .. v end return s',
      '1234',
    ],
    [
      'local function f(n) if n == 0 then return coroutine.yield("bottom") end return f(n - 1) end local co ' +
        '= coroutine.wrap(f) return co(5000), co("up")',
      'bottom up',
    ],
    [
      'local co co = coroutine.create(function() return coroutine.resume(co) end) return coroutine.resume(co)',
      'true false can not resume a running thread',
    ],
    [
      'local co = coroutine.create(function() pcall(coroutine.yield, 1) return "on" end) return coroutine.resume(co)',
      'true on',
    ],
    ['return coroutine.running(), coroutine.wrap(function() return type(coroutine.running()) end)()', 'nil thread'],
    [
      'local x, y = 1, 2 local co = coroutine.wrap(function() x, y = coroutine.yield() end) co() co(8, 9) return x, y',
      '8 9',
    ],
  ])('%s', (source, expected) => {
    expect(run(source)).toBe(expected);
  });
});

describe('globals as a table', () => {
  it.each([
    ['x = 1 _G.y = 2 return y, _G.x, _G._G == _G, type(_G.string.rep)', '2 1 true function'],
    ['setfenv(1, {obj = obj}) return obj.status.replicas, string', '3 nil'],
    ['local f = setfenv(function() return v end, {v = 7}) return f(), v', '7 nil'],
    ['v = 5 return loadstring("return v + 1")(), loadstring("x =")', '6 nil <string> at EOF:   syntax error\n'],
    ['return require("os").time(), os.time()', '0 0'],
    ['setmetatable(_G, {__index = function(_, name) return "no " .. name end}) return unknown', 'no unknown'],
    ['string.shout = function(s) return s:upper() .. "!" end return ("hi"):shout()', 'HI!'],
    ['local s = string return s.rep("x", 2), s == string', 'xx true'],
    ['for k in pairs(_G) do if k == "obj" then return true end end', 'true'],
  ])('%s', (source, expected) => {
    expect(run(source)).toBe(expected);
  });

  it('only table, package and the basic functions are there without the libraries', () => {
    expect(
      run('return type(table), type(string), type(os), type(math), type(coroutine), type(require("os"))', false),
    ).toBe('table nil nil nil nil table');
    expect(run('return ("x"):rep(2)', false)).toBe(
      "<string>:1: attempt to index a non-table object(string) with key 'rep'",
    );
  });
});
