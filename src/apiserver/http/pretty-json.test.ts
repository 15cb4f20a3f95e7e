import { expect, it } from 'vitest';
import { prettyJson } from './pretty-json.js';

it('indents as JSON.stringify does', () => {
  const value = {
    kind: 'A',
    empty: {},
    none: [],
    list: [1, 'a "quoted" {brace}', null, true, { deep: [[]] }],
    text: 'back\\slash, colon: [x]',
  };
  expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2));
});

it('keeps every digit of a long integer', () => {
  expect(prettyJson('{"n":9223372036854775807}')).toBe('{\n  "n": 9223372036854775807\n}');
});
