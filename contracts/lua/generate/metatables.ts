import { keyName, literal, numberLiteral, smallInteger, stringLiteral } from './atoms.js';
import type { Dice } from './dice.js';
import { tryBlock, tryExpression } from './prelude.js';

const BINARY = { __add: '+', __sub: '-', __mul: '*', __div: '/', __mod: '%', __pow: '^', __concat: '..' } as const;

/** Tables with random sets of metamethods, in all operators. */
export function metatables(dice: Dice): string[] {
  const names = Object.keys(BINARY).filter(() => dice.chance(0.6));
  const operand = (): string =>
    dice.one([
      () => 'a',
      () => 'b',
      () => 'c',
      () => numberLiteral(dice),
      () => stringLiteral(dice),
      () => 'nil',
      () => 'plain',
    ]);
  return [
    'local function name(v) if type(v) == "table" then return rawget(v, "id") or "plain" end return str(v) end',
    'local meta = {}',
    ...names.map(
      (event) => `meta.${event} = function(x, y) return "${event.slice(2)}(" .. name(x) .. "," .. name(y) .. ")" end`,
    ),
    ...comparisons(dice),
    ...dice.pick([[], ['meta.__unm = function(x, y) return "unm(" .. name(x) .. "," .. name(y) .. ")" end']]),
    ...dice.pick([[], [`meta.__len = function(x) return ${literal(dice)} end`]]),
    ...dice.pick([
      [],
      ['meta.__call = function(self, ...) return "call", name(self), select("#", ...), ... end'],
      ['meta.__call = 5'],
      ['meta.__call = setmetatable({}, {__call = function() return "nested" end})'],
    ]),
    ...dice.pick([
      [],
      ['meta.__tostring = function(self) return "<" .. name(self) .. ">" end'],
      ['meta.__tostring = function() return 12 end'],
    ]),
    ...dice.pick([[], [], ['meta.__metatable = "locked"'], ['meta.__metatable = false']]),
    'local other = {__eq = meta.__eq, __lt = function() return true end, __add = function() return "other add" end}',
    'local a, b, c = setmetatable({id = "a", 1, 2}, meta), setmetatable({id = "b"}, meta), setmetatable({id ' +
      '= "c"}, other)',
    'local plain = {}',
    ...dice.times(8, 16, () =>
      tryExpression(
        dice.one([
          () => `${operand()} ${dice.pick(Object.values(BINARY))} ${operand()}`,
          () => `${operand()} ${dice.pick(['==', '~=', '<', '<=', '>', '>='])} ${operand()}`,
          () => `${dice.pick(['-', '#', 'not '])}${dice.pick(['a', 'b', 'c', 'plain'])}`,
          () => `${dice.pick(['a', 'b', 'c'])}(${dice.times(0, 3, () => literal(dice)).join(', ')})`,
          () => `${operand()} .. ${operand()} .. ${operand()}`,
          () => 'a + b * c - a',
          () => 'a == a, rawequal(a, b), a ~= b',
        ]),
      ),
    ),
    'if rawget(meta, "__tostring") then try(function() return tostring(a) end) try(function() print(a, b) end) end',
    'try(function() return getmetatable(a) == meta, getmetatable(a) == "locked", getmetatable(c) == other, ' +
      'getmetatable(plain), getmetatable(1) end)',
    `try(function() return setmetatable(a, ${dice.pick(['nil', '{}', '5', 'meta'])}) == a end)`,
    `try(setmetatable, ${dice.pick(['nil', '{}', 'plain'])}, ${dice.pick(['nil', '{}', '"x"', '1', ''])})`.replace(
      ', )',
      ')',
    ),
  ];
}

function comparisons(dice: Dice): string[] {
  const answer = (): string => dice.pick(['true', 'false', 'nil', '1', 'name(x) < name(y)', 'name(x) == name(y)']);
  return ['__eq', '__lt', '__le']
    .filter(() => dice.chance(0.6))
    .map((event) => `meta.${event} = function(x, y) return ${answer()} end`);
}

/** Chains of __index and __newindex: tables, functions, cycles, classes. */
export function inheritance(dice: Dice): string[] {
  return dice
    .times(3, 6, () =>
      tryBlock(dice.one([() => chain(dice), () => proxy(dice), () => classes(dice), () => defaults(dice)])),
    )
    .flat();
}

function chain(dice: Dice): string[] {
  const levels = dice.between(2, 5);
  const make = (level: number): string =>
    `{${keyName(dice)} = ${literal(dice)}, ${keyName(dice)} = ${literal(dice)}, level = ${level}}`;
  return [
    `local base = ${make(0)}`,
    'local t = base',
    ...Array.from(
      { length: levels },
      (_, level) =>
        `t = setmetatable(${make(level + 1)}, {__index = t${dice.chance(0.3) ? ', __newindex = base' : ''}})`,
    ),
    ...dice.times(3, 6, () =>
      dice.pick([
        `show(t.${keyName(dice)}, rawget(t, "${keyName(dice)}"))`,
        `t.${keyName(dice)} = ${literal(dice)}`,
        'show(t.level, base.level)',
        `t[${smallInteger(dice)}] = ${literal(dice)}`,
      ]),
    ),
    'show(base)',
    'show(t)',
    ...dice.pick([
      [],
      ['local loop = {} setmetatable(loop, {__index = loop}) show(loop.x)'],
      ['local la, lb = {}, {} setmetatable(la, {__index = lb}) setmetatable(lb, {__index = la}) show(la.missing)'],
      ['local s = setmetatable({}, {__index = "text"}) show(s.len)'],
      ['local s = setmetatable({}, {__index = 5}) show(s.x)'],
    ]),
  ];
}

function proxy(dice: Dice): string[] {
  return [
    `local store, seen = {${keyName(dice)} = ${literal(dice)}}, {}`,
    'local p = setmetatable({}, {',
    '  __index = function(t, k) seen[#seen + 1] = "get " .. str(k) return store[k], "dropped" end,',
    '  __newindex = function(t, k, v) seen[#seen + 1] = "set " .. str(k) store[k] = v end,',
    '})',
    ...dice.times(4, 8, () =>
      dice.pick([
        `p.${keyName(dice)} = ${literal(dice)}`,
        `show(p.${keyName(dice)})`,
        `show(p[${smallInteger(dice)}])`,
        `p[#p + 1] = ${literal(dice)}`,
        `rawset(p, "${keyName(dice)}", ${numberLiteral(dice)})`,
        `show(rawget(p, "${keyName(dice)}"), #p)`,
        'show(next(p))',
      ]),
    ),
    'show(seen)',
    'show(store)',
    'show(p)',
  ];
}

function classes(dice: Dice): string[] {
  return [
    'local Shape = {} Shape.__index = Shape',
    'function Shape.new(kind, size) local self = setmetatable({}, Shape) self.kind = kind self.size = size ' +
      'return self end',
    'function Shape:area() return self.size * self.size end function Shape:describe() return self.kind .. ' +
      '":" .. self:area() end',
    'Shape.__tostring = function(s) return "Shape " .. s.kind end Shape.__eq = function(x, y) return x.size ' +
      '== y.size end Shape.__lt = function(x, y) return x.size < y.size end Shape.__le = function(x, y) ' +
      'return x.size <= y.size end',
    'Shape.__concat = function(x, y) return tostring(x) .. "&" .. tostring(y) end Shape.__add = function(x, ' +
      'y) return Shape.new("sum", x.size + y.size) end',
    'local Circle = setmetatable({}, {__index = Shape, __call = function(cls, size) local s = ' +
      'Shape.new("circle", size) return setmetatable(s, cls) end}) Circle.__index = Circle Circle.__tostring ' +
      '= Shape.__tostring',
    'function Circle:area() return 3 * Shape.area(self) end',
    `local a, b, c = Shape.new("square", ${smallInteger(dice, 1, 5)}), Shape.new("box", ` +
      `${smallInteger(dice, 1, 5)}), Circle(${smallInteger(dice, 1, 5)})`,
    'show(a:describe(), b:describe(), c:describe())',
    'show(a == b, a < b, a <= b, a > b, a >= b, a ~= b, a == c)',
    'show(tostring(a), tostring(c), (a + b):describe(), a .. b)',
    'show(pcall(function() return ' +
      `${dice.pick(['a + 1', 'a .. 1', 'a < 1', 'a:missing()', 'c .. c', 'c < c', 'a() ', '-a', '#a'])} end))`,
    'show(rawequal(a, b), getmetatable(a) == Shape, a)',
  ];
}

function defaults(dice: Dice): string[] {
  return [
    'local auto = {} auto.__index = function(t, k) local made = setmetatable({}, auto) rawset(t, k, made) ' +
      'return made end',
    'local root = setmetatable({}, auto)',
    `root.${keyName(dice)}.${keyName(dice)}.${keyName(dice)} = ${literal(dice)}`,
    `root.${keyName(dice)}[${smallInteger(dice, 1, 3)}] = ${literal(dice)}`,
    'show(root)',
    'local memo = setmetatable({}, {__index = function(t, n) tick() local v = n < 2 and n or t[n - 1] + t[n ' +
      '- 2] t[n] = v return v end, __mode = "k"})',
    `show(memo[${dice.between(5, 25)}], #memo)`,
    'local readonly = setmetatable({}, {__newindex = function(t, k) error("cannot set " .. str(k), ' +
      `${smallInteger(dice, 0, 3)}) end})`,
    `readonly.${keyName(dice)} = 1`,
  ];
}
