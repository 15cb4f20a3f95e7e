import { expect, it } from 'vitest';
import { normalBase64 } from './base64.js';

it('keeps canonical text and drops what does not matter', () => {
  expect(['', 'aGVsbG8=', 'aGVs\r\nbG8=', 'YR=='].map(normalBase64)).toEqual(['', 'aGVsbG8=', 'aGVsbG8=', 'YQ==']);
});

// Offsets as Go's decoder gives them.
it.each([
  ['***', 0],
  ['a', 0],
  ['aGVsbG8', 4],
  ['YQ=', 3],
  ['YQ==x', 4],
  ['YQ=x', 2],
  ['=', 0],
  ['Y===', 1],
  ['aGVsbG8_', 7],
])('names the byte of %j', (text, at) => {
  expect(() => normalBase64(text)).toThrow(`illegal base64 data at input byte ${at}`);
});
