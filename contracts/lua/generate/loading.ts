import { keyName, literal, numberLiteral, smallInteger, stringLiteral } from './atoms.js';
import type { Dice } from './dice.js';
import { Expressions } from './expressions.js';
import { tryBlock } from './prelude.js';

const NOTHING = { numbers: [], strings: [], tables: [], values: [] };

/** loadstring, load, environments, globals and _G. */
export function loading(dice: Dice): string[] {
  return dice
    .times(4, 8, () =>
      tryBlock(dice.one([chunks, readers, environments, globals, modules].map((make) => () => make(dice)))),
    )
    .flat();
}

function chunks(dice: Dice): string[] {
  const made = new Expressions(dice, NOTHING);
  const source = (): string =>
    dice
      .one([
        () => `return ${made.any(2)}`,
        () => `local a, b = ... return b, a, select("#", ...)`,
        () => `fromChunk = ${literal(dice)} return fromChunk`,
        () =>
          dice.pick([
            'return',
            '',
            'return 1,',
            'x =',
            'for',
            'local function',
            'return return',
            'a b',
            '1 + 1',
            'if true then',
            'end',
            'goto nowhere',
            'break',
            '-- only a comment',
            'return ...',
            '"',
            '[[',
            'local x <const> = 1',
            'a.b:c = 1',
            'f() = 1',
            '::a:: ::a::',
          ]),
        () => `error(${literal(dice)})`,
        () => `\nlocal x = nil\nreturn x.y`,
      ])
      .replace(/str\(/g, 'type(');
  return [
    ...dice.times(
      2,
      5,
      () =>
        `do local f, m = loadstring([====[${source()}]====]${dice.chance(0.3) ? ', "chunk"' : ''}) show(f, ` +
        `m) if f then show(pcall(f, ${literal(dice)}, ${numberLiteral(dice)})) end end`,
    ),
    'show(fromChunk) fromChunk = nil',
    `show(pcall(loadstring, ${literal(dice)}) == true)`,
    'local made = {} for i = 1, 3 do made[i] = loadstring("local n = ... return n * " .. i) end ' +
      'show(made[1](5), made[2](5), made[3](5))',
  ];
}

function readers(dice: Dice): string[] {
  const pieces = dice.pick([
    ['return ', '1 + ', '2'],
    ['local x = 5 ', 'return x, ', '...'],
    ['return "a', 'b"'],
    ['x = ', ''],
    ['return 1 +'],
  ]);
  return [
    `local pieces, i = {${pieces.map((piece) => `'${piece}'`).join(', ')}}, 0`,
    'local f, m = load(function() i = i + 1 return pieces[i] end, "pieces")',
    'show(type(f), m ~= nil, i)',
    'if f then show(pcall(f, "arg")) end',
    `show(pcall(load, ${literal(dice)}) == true)`,
    `show(load(function() return ${dice.pick(['nil', '""', '{}', 'true'])} end) ~= nil)`,
  ];
}

function environments(dice: Dice): string[] {
  return [
    `local env = setmetatable({answer = ${literal(dice)}}, {__index = _G})`,
    'local function read() return answer, type(show), type(print) end',
    'setfenv(read, env) show(read())',
    'show(getfenv(read) == env, getfenv(1) == _G, getfenv(0) == _G, getfenv() == _G, getfenv(print) == _G)',
    'local function write(v) answer = v other = v end setfenv(write, env)',
    `write(${literal(dice)}) show(env.answer, rawget(env, "other"), answer, other)`,
    'local f = loadstring("counter = (counter or 0) + 1 return counter") setfenv(f, {}) show(f(), f(), counter)',
    'local bare = setfenv(function() return x, y end, {x = 1, y = 2}) show(bare())',
    'local empty = setfenv(function() return pcall(print) end, {})',
    'show(pcall(empty))',
    'local function inner() local function nested() return level end return nested() end setfenv(inner, ' +
      '{level = "env"}) show(inner())',
    `local function caller() setfenv(1, {show = show, v = ${numberLiteral(dice)}}) show(v, w) end caller()`,
    `show(pcall(setfenv, ${literal(dice)}, {answer = 7})) show(getfenv(0).answer, loadstring("return ` +
      'answer")()) setfenv(0, _G)',
    `show(pcall(setfenv, print, {}))`,
    `show(pcall(getfenv, ${smallInteger(dice, 0, 5)}) == true)`,
  ];
}

function globals(dice: Dice): string[] {
  const name = `global_${keyName(dice)}`;
  return [
    `${name} = ${literal(dice)} show(${name}, _G.${name}, rawget(_G, "${name}"), _G["${name}"])`,
    `_G.${name} = ${literal(dice)} show(${name})`,
    `rawset(_G, "${name}", ${numberLiteral(dice)}) show(${name})`,
    `local function change() ${name} = ${stringLiteral(dice)} end change() show(${name})`,
    `${name} = nil show(${name}, type(${name}))`,
    'show(_G == _G._G, type(_G), _VERSION)',
    'setmetatable(_G, {__index = function(_, k) return "default " .. k end, __newindex = function(t, k, v) ' +
      'rawset(t, k, v) end})',
    'show(undefinedThing, _G.undefinedThing)',
    'newThing = 1 show(rawget(_G, "newThing")) newThing = nil',
    'setmetatable(_G, nil) show(undefinedThing)',
    'local print = function() return "shadowed" end show(print())',
    'local oldType = type type = function(v) return "my " .. oldType(v) end show(type(1)) type = oldType show(type(1))',
    `local t = table table = nil show(table, t ~= nil) table = t show(table.concat({1, 2}))`,
    'local old = tostring tostring = nil show(pcall(function() return tostring(1) end)) tostring = old',
  ];
}

function modules(dice: Dice): string[] {
  return [
    'show(type(package), type(package.loaded), package.loaded.table == table, package.loaded._G == _G)',
    'package.preload.mine = function(name) loadedTimes = (loadedTimes or 0) + 1 return {name = name, value ' +
      `= ${literal(dice)}} end`,
    'local m = require("mine") show(m.name, m.value, require("mine") == m, loadedTimes, package.loaded.mine == m)',
    'package.loaded.mine = nil show(require("mine") == m, loadedTimes)',
    'package.preload.silent = function() end show(require("silent"))',
    `package.preload.bad = function() error("cannot load", 0) end show(pcall(require, "bad"))`,
    'loadedTimes = nil package.loaded.mine = nil package.loaded.silent = nil',
  ];
}
