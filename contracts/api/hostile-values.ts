import type { Json, JsonObject } from '../../src/model/json/index.js';
import type { Chance } from './chance.js';
import { ODD } from './mutations.js';

/** Values that are long, deep, many, or mean something to a program that reads them. */
const EXTREME: readonly Json[] = [
  'x'.repeat(300_000),
  nested(450),
  nested(1_500),
  '\u001b[2J\u0007\u202e\u0000',
  'a b\u0001',
  '/../../../etc/passwd',
  '$(A)$(B)$$(C)',
  '{{ range until 1000000 }}x{{ end }}',
  '(a+)+$',
  Array.from({ length: 3_000 }, (_, index) => `item-${index}`),
  Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key-${index}`, 'x'])),
  -9_007_199_254_740_991,
  1e300,
];
const ALL: readonly Json[] = [...ODD, ...ODD, ...ODD, ...EXTREME];

/** Those that a schema of the type takes, so that the server stores them and controllers read them. */
const BY_TYPE: Readonly<Record<string, readonly Json[]>> = {
  string: ALL.filter((value) => typeof value === 'string'),
  integer: [0, -1, 1, 2_147_483_647, -2_147_483_648, 2_147_483_648, 9_007_199_254_740_991],
  number: [0, -1, 1.5, 1e300, -1e300, 9_007_199_254_740_991],
  boolean: [true, false],
  array: [...ALL.filter((value) => Array.isArray(value)), Array.from({ length: 300 }, () => ({}))],
  object: ALL.filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
};

/** A value for a field that nobody expects there; two of three are of the type that its schema asks for. */
export function hostileValue(schema: JsonObject, chance: Chance): Json {
  const fitting = typeof schema.type === 'string' ? BY_TYPE[schema.type] : undefined;
  return chance.pick(fitting !== undefined && chance.under(0.67) ? fitting : ALL);
}

function nested(depth: number): Json {
  let value: Json = 'x';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
