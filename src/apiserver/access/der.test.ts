import { expect, it } from 'vitest';
import { integer } from './der.js';

it.each([
  [[0, 0, 1], '020101'],
  [[0, 0x80], '02020080'],
  [[0x80], '02020080'],
  [[0, 0], '020100'],
  [[], '020100'],
  [[0x7f, 0xff], '02027fff'],
])('writes %j as short as it can be', (bytes, hex) => {
  expect(integer(Buffer.from(bytes)).toString('hex')).toBe(hex);
});
