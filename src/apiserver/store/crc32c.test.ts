import { expect, it } from 'vitest';
import { crc32c } from './crc32c.js';

// Values of RFC 3720, appendix B.4.
it.each([
  ['123456789', Buffer.from('123456789'), 0xe3069283],
  ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
  ['32 times 0xff', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['0 to 31', Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
  ['31 to 0', Buffer.from(Array.from({ length: 32 }, (_, index) => 31 - index)), 0x113fdb5c],
])('gives the published checksum of %s', (_, bytes, expected) => {
  expect(crc32c(bytes)).toBe(expected);
});

it('can be chained at any place', () => {
  const bytes = Buffer.from('the quick brown fox jumps over the lazy dog');
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(crc32c(bytes, cut, bytes.length, crc32c(bytes, 0, cut))).toBe(crc32c(bytes));
  }
});
