import { own, type Json, type JsonObject } from '../../../src/model/json/index.js';
import { keyName, literal, smallInteger } from './atoms.js';
import type { Dice } from './dice.js';
import { tryBlock } from './prelude.js';

const KEYS = [
  'a',
  'b',
  'c',
  'constructor',
  'd',
  'items',
  'key',
  'labels',
  'length',
  'n',
  'name',
  'spec',
  'status',
  'toString',
  'x',
  'y',
  'ä',
];

/** A random object as an API server gives it; keys in the order of their bytes, as the Go side puts them. */
export function givenObject(dice: Dice): JsonObject {
  const object = (depth: number): JsonObject =>
    Object.fromEntries(KEYS.filter(() => dice.chance(0.3)).map((key) => [key, value(depth - 1)]));
  const value = (depth: number): Json =>
    dice.one<Json>([
      () => (depth > 0 ? object(depth) : dice.between(-5, 100)),
      () => (depth > 0 ? dice.times(0, 6, () => value(depth - 1)) : dice.pick(['text', 'Ready', 'äö', '', '10'])),
      () => dice.pick(['True', 'False', 'Running', 'a b']),
      () => dice.pick([0, 1, -1, 2.5, 1e21, 9007199254740991, 0.1]),
      () => dice.pick([true, false, null]),
    ]);
  const always: JsonObject = { items: dice.times(0, 6, () => value(2)), name: 'demo', spec: object(2) };
  const given: JsonObject = { ...object(3), ...always };
  return Object.fromEntries(KEYS.flatMap((key) => (Object.hasOwn(given, key) ? [[key, own(given, key) ?? null]] : [])));
}

/** Reads, walks, changes and compares `obj` in all ways; nothing is copied into tables before it must be. */
export function givenObjects(dice: Dice): string[] {
  const path = (): string =>
    dice.pick([
      'obj',
      'obj.spec',
      'obj.items',
      'obj.status',
      'obj.a',
      'obj.labels',
      'obj.items[1]',
      'obj.spec.b',
      `obj.${keyName(dice)}`,
      `obj.items[${smallInteger(dice, 0, 4)}]`,
      'obj.constructor',
      'obj["ä"]',
    ]);
  const step = (): string =>
    dice.one([
      () => read(dice, path()),
      () => read(dice, path()),
      () => walk(dice, path()),
      () => change(dice, path()),
      () => change(dice, path()),
      () => list(dice, path()),
    ]);
  return dice
    .times(4, 7, () => tryBlock(dice.times(2, 8, step)))
    .flat()
    .concat(['show(obj)', 'return obj.name, #obj.items']);
}

function read(dice: Dice, path: string): string {
  return dice.one([
    () => `show(${path})`,
    () => `show(${path}.${keyName(dice)}, ${path}[${smallInteger(dice, -1, 5)}], ${path}["${dice.pick(KEYS)}"])`,
    () => `show(type(${path}), #${path})`,
    () => `show(${path} == ${path}, ${path} == obj.spec, rawequal(${path}, ${path}))`,
    () => `show(next(${path}))`,
    () => `show(${path}.toString, ${path}.__proto__, ${path}.hasOwnProperty, ${path}.length)`,
    () => `show(rawget(${path}, "${keyName(dice)}"), ${path}.constructor)`,
    () => `show(${path}.n + 1)`,
    () => `show("n: " .. ${path}.n)`,
    () => `show(unpack(${path}))`,
    () => `show(${path}[nil], ${path}[1.0], ${path}["1"])`,
  ]);
}

function walk(dice: Dice, path: string): string {
  return dice.one([
    () => `for k, v in pairs(${path}) do show(k, v) end`,
    () => `for i, v in ipairs(${path}) do show(i, v) end`,
    () => `for k in pairs(${path}) do ${path}[k] = ${dice.pick(['nil', '1', 'k'])} end`,
    () => `for k, v in pairs(${path}) do if type(v) == "table" then v.seen = k end end show(${path})`,
    () => `local count = 0 for _ in pairs(${path}) do count = count + 1 end show(count)`,
    () => `local k, v = next(${path}) while k ~= nil do tick() show(k, v) k, v = next(${path}, k) end`,
    () => `for i = 1, #${path} do show(${path}[i]) end`,
    () => `for i, v in ipairs(${path}) do if i == 2 then ${path}[i + 1] = "new" end show(i, v) end`,
    () => `for k, v in pairs(${path}) do ${path}.added = "later" show(k) end`,
  ]);
}

function change(dice: Dice, path: string): string {
  const value = dice.one([() => literal(dice), () => 'obj.spec', () => '{1, 2, x = "y"}', () => 'nil', () => 'obj']);
  return dice.one([
    () => `${path}.${keyName(dice)} = ${value} show(${path})`,
    () => `${path}[${smallInteger(dice, 1, 6)}] = ${value} show(${path})`,
    () => `${path}["${dice.pick(KEYS)}"] = ${value}`,
    () => `${path}.${keyName(dice)} = nil show(${path})`,
    () => `rawset(${path}, "${keyName(dice)}", ${literal(dice)}) show(${path})`,
    () => `local t = ${path} t.${keyName(dice)} = ${value} show(t == ${path}, ${path}.${keyName(dice)})`,
    () => `obj.${keyName(dice)} = ${path} show(obj)`,
    () =>
      `setmetatable(${path}, {__index = function(_, k) return "default " .. str(k) end}) ` +
      `show(${path}.missing, ${path}.${keyName(dice)})`,
    () => `${path} = ${value}`,
  ]);
}

function list(dice: Dice, path: string): string {
  return dice.one([
    () => `table.insert(${path}, ${literal(dice)}) show(${path})`,
    () => `table.insert(${path}, ${smallInteger(dice, 1, 3)}, ${literal(dice)}) show(${path})`,
    () => `show(table.remove(${path}), ${path})`,
    () => `show(table.remove(${path}, 1), ${path})`,
    () => `show(table.concat(${path}, ","))`,
    () => `table.sort(${path}, function(a, b) return text(a, 0) < text(b, 0) end) show(${path})`,
    () => `show(table.maxn(${path}), table.getn(${path}))`,
    () => `${path}[#${path} + 1] = ${literal(dice)} show(#${path}, ${path})`,
    () => `${path}[#${path}] = nil show(#${path}, ${path})`,
  ]);
}
