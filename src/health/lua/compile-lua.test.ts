import { expect, it } from 'vitest';
import { compileLua } from './compile-lua.js';

it('compiles the same text once', () => {
  expect(compileLua('return 1')).toBe(compileLua('return 1'));
  expect(compileLua('return 1', 'other.lua')).not.toBe(compileLua('return 1'));
});

it('forgets what was not asked for in a long time', () => {
  const first = compileLua('return "first"');
  const filler = (i: number): string => `return ${i} -- ${'x'.repeat(1000)}`;
  for (let i = 0; i < 1200; i++) compileLua(filler(i));
  expect(compileLua('return "first"')).not.toBe(first);
});

it('keeps what is asked for again and again', () => {
  const first = compileLua('return "often"');
  for (let i = 0; i < 1200; i++) {
    compileLua(`return ${i} -- ${'y'.repeat(1000)}`);
    compileLua('return "often"');
  }
  expect(compileLua('return "often"')).toBe(first);
});

it('does not keep very long texts', () => {
  const long = `return 1 -- ${'z'.repeat(70_000)}`;
  expect(compileLua(long)).not.toBe(compileLua(long));
});
