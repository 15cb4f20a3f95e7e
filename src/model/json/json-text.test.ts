import { describe, expect, it } from 'vitest';
import { Fault } from '../faults/fault.js';
import { findDuplicateKeys, parseJson, writeJson } from './json-text.js';
import { own, type JsonObject } from './json.js';

function faultOf(text: string): Fault {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('no fault');
}

describe('parseJson', () => {
  it.each([
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9007199254740991', 9007199254740991],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709551615n],
    ['18446744073709551616', 18446744073709551616],
    ['1e21', 1e21],
    ['1234567890123456.5', 1234567890123456.5],
    ['12345678901234567e2', 1234567890123456700],
    ['-0', -0],
  ])('%s keeps its value', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(` [ ${text} , {"a":${text}}]`)).toEqual([value, { a: value }]);
  });

  it('reads text beside large integers as JSON.parse does', () => {
    const rest = { a: ['x\n"\\/\u00e9\ud83d\ude00', true, false, null, 1.5, -2e3, {}, []], '': { b: [[]] } };
    const text = JSON.stringify([rest, 0]).replace(/0\]$/, ' 1234567890123456789\n]');
    expect(parseJson(text)).toEqual([rest, 1234567890123456789n]);
  });

  it.each(['__proto__', 'constructor', 'toString', ''])('keeps the key %j', (key) => {
    for (const number of ['1', '1234567890123456789']) {
      const object = parseJson(`{${JSON.stringify(key)}:{"x":${number}}}`) as JsonObject;
      expect(Object.keys(object)).toEqual([key]);
      expect(own(object, key)).not.toBe(undefined);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  // The words are those of Go's encoding/json, which the API server repeats to its users.
  it.each([
    ['', 'unexpected end of JSON input', '1:1'],
    ['{', 'unexpected end of JSON input', '1:2'],
    ['{"a":1,\n  }', "invalid character '}' looking for beginning of object key string", '2:3'],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string", '1:2'],
    ['{"a" 1}', "invalid character '1' after object key", '1:6'],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair", '1:8'],
    ['[1 2]', "invalid character '2' after array element", '1:4'],
    ['[1,]', "invalid character ']' looking for beginning of value", '1:4'],
    ['[]x', "invalid character 'x' after top-level value", '1:3'],
    ['tru', 'unexpected end of JSON input', '1:4'],
    ['trux', "invalid character 'x' in literal true (expecting 'e')", '1:4'],
    ['"a', 'unexpected end of JSON input', '1:3'],
    ['"a\nb"', "invalid character '\\n' in string literal", '1:3'],
    ['"\\x"', "invalid character 'x' in string escape code", '1:3'],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape", '1:6'],
    ['01', "invalid character '1' after top-level value", '1:2'],
    ['-', 'unexpected end of JSON input', '1:2'],
    ['-a', "invalid character 'a' in numeric literal", '1:2'],
    ['1.', 'unexpected end of JSON input', '1:3'],
    ['1.x', "invalid character 'x' after decimal point in numeric literal", '1:3'],
    ['1e+x', "invalid character 'x' in exponent of numeric literal", '1:4'],
    ["'a'", "invalid character '\\'' looking for beginning of value", '1:1'],
    ['NaN', "invalid character 'N' looking for beginning of value", '1:1'],
  ])('%j: %s', (text, message, where) => {
    expect(faultOf(text)).toMatchObject({ code: 'JSON_INVALID', message, where });
  });

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('refuses %s 20,000 deep, closed or not', (open, close) => {
    expect(faultOf(`${open.repeat(20_000)}1${close.repeat(20_000)}`)).toMatchObject({
      code: 'JSON_INVALID',
      message: 'exceeded max depth',
    });
    expect(faultOf(open.repeat(20_000)).message).toBe('exceeded max depth');
    expect(() => writeJson(parseJson(`${open.repeat(500)}1${close.repeat(500)}`))).not.toThrow();
    expect(faultOf(`${open.repeat(501)}1${close.repeat(501)}`).message).toBe('exceeded max depth');
  });

  it('does not take brackets in strings or side by side for depth', () => {
    const text = JSON.stringify({
      a: '['.repeat(5000),
      b: '\\"[{'.repeat(2000),
      c: Array.from({ length: 3000 }, () => []),
    });
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
});

describe('writeJson', () => {
  it('writes integers in full', () => {
    expect(writeJson({ a: [2n ** 63n, -(2n ** 63n)], b: 'x"', c: undefined, d: null, e: 1.5 })).toBe(
      '{"a":[9223372036854775808,-9223372036854775808],"b":"x\\"","d":null,"e":1.5}',
    );
  });

  it.each(['{"__proto__":1,"a":[9007199254740993]}', '{"a":{"b":[1,2.5,"x",null,true]}}', '[]', '"\\u0000"'])(
    '%s comes back',
    (text) => {
      expect(writeJson(parseJson(text))).toBe(text);
    },
  );
});

describe('findDuplicateKeys', () => {
  it.each([
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"metadata":{"labels":{"a":"1","a":"2"}}}', ['metadata.labels.a']],
    ['{"spec":{"containers":[{"name":"x"},{"name":"y","name":"z"}]}}', ['spec.containers[1].name']],
    ['[[{"a":1,"a":2}]]', ['[0][0].a']],
    ['{"a":{"x":1},"a":{"x":1,"x":2}}', ['a', 'a.x']],
    ['{"\\u0061":1,"a":2}', ['a']],
    ['{"__proto__":1,"__proto__":2,"constructor":1,"toString":2}', ['__proto__']],
    ['{"x.y":{"a":1,"a":1}}', ['x.y.a']],
  ])('%s: %j', (text, paths) => {
    expect(findDuplicateKeys(text).map(({ path }) => path)).toEqual(paths);
  });

  it('stops at a hundred, as the API server does', () => {
    const members = Array.from({ length: 300 }, (_, index) => `"k${index}":1,"k${index}":2`).join(',');
    expect(findDuplicateKeys(`{${members}}`)).toHaveLength(100);
  });
});
