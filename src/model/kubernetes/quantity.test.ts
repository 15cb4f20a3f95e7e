import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../faults/fault.js';
import * as quantity from './quantity.js';

const load = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, 'cases', name), 'utf8'));

interface Case {
  given: string;
  error?: string;
  text: string;
  negated: string;
  number: string;
  zero: boolean;
}

interface PairCase {
  a: string;
  b: string;
  compare: number;
  sum: string;
  difference: string;
}

// Both tables are recorded from apimachinery v0.34.4.
describe('a quantity', () => {
  it.each(load('quantities.json') as Case[])('$given', (given) => {
    if (given.error !== undefined) {
      expect(() => quantity.parseQuantity(given.given)).toThrow(
        new Fault('VALUE_INVALID', given.error, { where: given.given }),
      );
      return;
    }
    const parsed = quantity.parseQuantity(given.given);
    expect(quantity.quantityText(parsed)).toBe(given.text);
    expect(quantity.quantityText(quantity.negateQuantity(parsed))).toBe(given.negated);
    expect(quantity.isZeroQuantity(parsed)).toBe(given.zero);
    expect(quantity.quantityToNumber(parsed)).toSatisfy(
      (value: number) =>
        value === Number(given.number.replace('Inf', 'Infinity')) || Math.abs(value / Number(given.number) - 1) < 1e-15,
    );
  });

  it.each(load('quantity-pairs.json') as PairCase[])('$a and $b', ({ a, b, compare, sum, difference }) => {
    const [x, y] = [quantity.parseQuantity(a), quantity.parseQuantity(b)];
    expect(quantity.compareQuantities(x, y)).toBe(compare);
    expect(quantity.quantityText(quantity.addQuantities(x, y))).toBe(sum);
    expect(quantity.quantityText(quantity.subtractQuantities(x, y))).toBe(difference);
  });

  it('is rounded away from zero when asked in larger units', () => {
    expect(quantity.quantityValue(quantity.parseQuantity('1500m'))).toBe(2n);
    expect(quantity.quantityValue(quantity.parseQuantity('-1500m'))).toBe(-2n);
    expect(quantity.quantityValue(quantity.parseQuantity('1.5'), -3)).toBe(1500n);
    expect(quantity.quantityValue(quantity.parseQuantity('1n'), -3)).toBe(1n);
    expect(quantity.quantityValue(quantity.parseQuantity('1Ki'))).toBe(1024n);
  });

  it('is made from numbers', () => {
    expect(quantity.canonicalQuantity(0.5)).toBe('500m');
    expect(quantity.canonicalQuantity(9_007_199_254_740_993n)).toBe('9007199254740993');
    expect(quantity.quantityText(quantity.quantityOf(2048, 'binary'))).toBe('2Ki');
    expect(quantity.quantityText(quantity.quantityOf(1500, 'decimal', -3))).toBe('1500m');
  });

  it('refuses text and exponents that would take long to compute', () => {
    for (const text of ['9'.repeat(100_000), '1e1000000000', '1e-1000000000', '1e99999999999999999999']) {
      expect(() => quantity.parseQuantity(text)).toThrow(Fault);
    }
  });
});
