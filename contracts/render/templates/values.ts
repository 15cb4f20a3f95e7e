import { isObject, put, type Json, type JsonObject } from '../../../src/model/json/index.js';
import type { Dice } from '../../lua/generate/dice.js';

const KEYS = [
  'a',
  'b',
  'c',
  'name',
  'list',
  'items',
  'map',
  'port',
  'flag',
  'nothing',
  'empty',
  'x1',
  '_y',
  'Größe',
  'deep',
] as const;
const ODD_KEYS = ['a-b', 'a.b', '1', '', '__proto__', 'constructor', 'tru e'] as const;
export const TEXTS = [
  '',
  'a',
  'hello',
  'Hello World',
  'x: y',
  'line\nbreak',
  ' spaced ',
  '42',
  '3.5',
  'true',
  'größe',
  '日本語',
  '🙂',
  '<a href="x">&\'</a>',
  'a,b,c',
  '%d %s',
  '{{ .a }}',
  'tab\there',
  'nul\0',
  'quote"d',
  'back\\slash',
  'q?a=b&c=d e',
  '\u00a0nbsp',
  '\u2028',
  'a/b/c',
] as const;

/** What a path leads to, so that expressions can be mostly right. */
export type Kind = 'text' | 'float' | 'flag' | 'nil' | 'list' | 'map' | 'int';

export interface Path {
  readonly text: string;
  readonly kind: Kind;
}

export function randomValues(dice: Dice): JsonObject {
  return randomMap(dice, 3, 4, 9);
}

function randomMap(dice: Dice, depth: number, least: number, most: number): JsonObject {
  const object: JsonObject = {};
  for (const key of dice.times(least, most, () => (dice.chance(0.05) ? dice.pick(ODD_KEYS) : dice.pick(KEYS))))
    put(object, key, randomValue(dice, depth));
  return object;
}

export function randomValue(dice: Dice, depth: number): Json {
  return dice.one<Json>([
    () => dice.pick(TEXTS),
    () => dice.pick(TEXTS),
    () => randomNumber(dice),
    () => dice.chance(0.5),
    () => null,
    ...(depth > 0
      ? [
          () => dice.times(0, 4, () => randomValue(dice, depth - 1)),
          () => randomMap(dice, depth - 1, 0, 4),
          () => randomMap(dice, depth - 1, 1, 4),
        ]
      : []),
  ]);
}

function randomNumber(dice: Dice): number {
  return dice.one([
    () => dice.between(0, 5),
    () => dice.between(-3, 100000),
    () => dice.between(0, 100) / 8,
    () =>
      dice.pick([
        0, 1e6, 123456789, 1e20, 1e21, 1e-5, 0.1, -0.5, 9007199254740993, 1.7976931348623157e308, 5e-324, 65535, 21,
      ]),
  ]);
}

/** Every path from dot that a template can write with dots. */
export function pathsOf(value: Json | undefined, prefix = ''): Path[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(key)) return [];
    const text = `${prefix}.${key}`;
    return [{ text, kind: kindOf(child) }, ...pathsOf(child, text)];
  });
}

export function kindOf(value: Json | undefined): Kind {
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'boolean':
      return 'flag';
    case 'object':
      return 'map';
    default:
      return 'float';
  }
}
