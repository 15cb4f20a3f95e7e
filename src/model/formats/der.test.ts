import { expect, it } from 'vitest';
import { integer, oid, readDer, sequence } from './der.js';

it.each([
  [1n, '020101'],
  [0x80n, '02020080'],
  [0n, '020100'],
  [0x7fffn, '02027fff'],
])('writes %d as short as it can be', (value, hex) => {
  expect(integer(value).toString('hex')).toBe(hex);
});

it('reads what it writes', () => {
  const long = sequence(...Array.from({ length: 100 }, () => oid('1.2.840.10045.4.3.2')));
  const [whole] = readDer(long) ?? [];
  expect(readDer(whole?.content ?? Buffer.alloc(0))).toHaveLength(100);
});

it('bytes that end in the middle are no DER', () => {
  expect(readDer(integer(0x7fffn).subarray(0, 3))).toBeUndefined();
});
