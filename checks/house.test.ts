import { expect, it } from 'vitest';
import { measureHouse } from './house/measure.js';

it.each(measureHouse().filter(({ max }) => max !== undefined))('$name stay within $max', ({ value, max, places }) => {
  expect(value <= (max ?? 0) ? [] : places).toEqual([]);
});
