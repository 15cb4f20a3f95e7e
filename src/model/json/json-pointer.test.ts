import { describe, expect, it } from 'vitest';
import { formatPointer, getPointer, parsePointer } from './json-pointer.js';

describe('a JSON pointer', () => {
  it.each([
    ['', []],
    ['/', ['']],
    ['/a/b', ['a', 'b']],
    ['/a~1b/m~0n', ['a/b', 'm~n']],
    ['/~01', ['~1']],
    ['//', ['', '']],
  ])('%j has the parts %j and back', (text, parts) => {
    expect(parsePointer(text)).toEqual(parts);
    expect(formatPointer(parts)).toBe(text);
  });

  it('keeps a tilde that escapes nothing', () => {
    expect(parsePointer('/~2')).toEqual(['~2']);
  });

  it('must start with a slash', () => {
    expect(() => parsePointer('a/b')).toThrow('must be empty or start with "/"');
  });

  it('reads objects and lists, and nothing that is only inherited', () => {
    const document = { a: [{ b: null }, 'x'], 'c/d': 1 };
    expect(getPointer(document, '')).toBe(document);
    expect(getPointer(document, '/a/0/b')).toBeNull();
    expect(getPointer(document, '/a/1')).toBe('x');
    expect(getPointer(document, '/c~1d')).toBe(1);
    for (const missing of ['/a/2', '/a/-', '/a/01', '/a/length', '/a/1/0', '/constructor', '/c~1d/x'])
      expect(getPointer(document, missing), missing).toBeUndefined();
  });
});
