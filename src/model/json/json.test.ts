import { describe, expect, it } from 'vitest';
import { clone, drop, equal, isArray, isObject, own, put, type JsonObject } from './json.js';

const ODD = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', ''];

describe('own, put and drop', () => {
  it.each(ODD)('treat %j as an ordinary key', (key) => {
    const object: JsonObject = {};
    expect(own(object, key)).toBe(undefined);
    put(object, key, { polluted: true });
    expect(Object.keys(object)).toEqual([key]);
    expect(own(object, key)).toEqual({ polluted: true });
    put(object, key, 2);
    expect(own(object, key)).toBe(2);
    drop(object, key);
    expect(Object.keys(object)).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as JsonObject).polluted).toBe(undefined);
  });
});

describe('isObject and isArray', () => {
  it('tell objects, lists and null apart', () => {
    expect([{}, [], null, 'a', 1].map(isObject)).toEqual([true, false, false, false, false]);
    expect([[], {}, null, undefined].map(isArray)).toEqual([true, false, false, false]);
  });
});

describe('clone', () => {
  it('copies deeply and keeps bigint and odd keys', () => {
    const object: JsonObject = { list: [{ a: 1 }], big: 2n ** 60n, none: null };
    put(object, '__proto__', { b: 2 });
    const copy = clone(object);
    expect(equal(copy, object)).toBe(true);
    expect(Object.keys(copy)).toEqual(Object.keys(object));
    expect(copy.list).not.toBe(object.list);
    expect(own(copy, '__proto__')).not.toBe(own(object, '__proto__'));
  });
});

describe('equal', () => {
  it.each([
    [1, 1n, true],
    [1.5, 1n, false],
    [2 ** 53, 2n ** 53n + 1n, false],
    [null, undefined, false],
    [null, 0, false],
    ['1', 1, false],
    [true, 1, false],
    [1n, true, false],
    [1n, '1', false],
    [[], {}, false],
    [{}, [], false],
    [[1, 2], [1, 2], true],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: undefined }, {}, true],
    [{}, { a: undefined }, true],
    [{ a: null }, {}, false],
    [{ a: { b: [1n] } }, { a: { b: [1] } }, true],
    [{ a: 1 }, { b: 1 }, false],
  ] as const)('%o and %o: %s', (a, b, expected) => {
    expect(equal(a as never, b as never)).toBe(expected);
    expect(equal(b as never, a as never)).toBe(expected);
  });

  it('does not take an inherited member for a member', () => {
    const object: JsonObject = {};
    put(object, 'constructor', 1);
    expect(equal(object, {})).toBe(false);
    expect(equal({}, object)).toBe(false);
  });
});
