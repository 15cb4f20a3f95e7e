import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json/index.js';
import { Generator } from './generate.js';
import { Gojq } from './gojq.js';
import { disagreement } from './jq-differential.js';

const INPUT: Json = {
  name: 'name',
  a: { b: 3 },
  obj: { x: 1, y: 2 },
  list: [
    { name: 'a', value: 1 },
    { name: 'b', value: 2 },
    { name: 'c', value: 3 },
  ],
};
const RANDOM = 1_500;
const expressions = readFileSync(join(import.meta.dirname, 'expressions.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '');
const gojq = await Gojq.open();

afterAll(async () => {
  if (typeof gojq !== 'string') await gojq.close();
});

describe.skipIf(typeof gojq === 'string')(typeof gojq === 'string' ? gojq : 'our jq against gojq', () => {
  const engine = gojq as Gojq;

  it(`agrees on ${expressions.length} written expressions, as values and as deletions`, async () => {
    const found: string[] = [];
    for (const expression of expressions) {
      for (const mode of ['values', 'del'] as const) {
        const text = await disagreement(engine, expression, INPUT, mode);
        if (text !== undefined) found.push(text);
      }
    }
    expect(found).toEqual([]);
  });

  it(`agrees on ${RANDOM} random expressions`, async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= RANDOM; seed++) {
      const generator = new Generator(seed * 2654435761);
      const [input, expression] = [generator.value(), generator.expression()];
      const text = await disagreement(engine, expression, input, seed % 2 === 0 ? 'values' : 'del');
      if (text !== undefined) found.push(`seed ${seed}: ${text}`);
    }
    expect(found.slice(0, 20)).toEqual([]);
  });
});
