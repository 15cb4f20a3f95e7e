import { describe, expect, it } from 'vitest';
import type { Json } from '../../model/json/index.js';
import { removePaths } from '../fields/path.js';
import { compileJq, type JqProgram } from './program.js';

function program(expression: string): JqProgram {
  const compiled = compileJq(expression);
  if (compiled.kind === 'refused') throw new Error(compiled.message);
  return compiled.program;
}

/** What is left after del(expression). */
function rest(expression: string, value: Json): Json {
  const outcome = program(expression).paths(value, 100_000);
  return outcome.kind === 'paths' ? removePaths(value, outcome.paths) : outcome.message;
}

describe('deleting by jq', () => {
  it('deletes items by what they hold, several at once', () => {
    const value = { list: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] };
    expect(rest('.list[] | select(.name != "b")', value)).toEqual({ list: [{ name: 'b' }] });
    expect(value.list).toHaveLength(3);
  });

  it('deletes slices, and items inside slices', () => {
    expect(rest('.[1:]', [1, 2, 3])).toEqual([1]);
    expect(rest('.[1:][0]', [1, 2, 3])).toEqual([1, 3]);
    expect(rest('.[-2:] | .[1:]', [1, 2, 3])).toEqual([1, 2]);
  });

  it('keeps keys that are special to JavaScript as plain keys', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}, "constructor": {"b": 2}}') as Json;
    expect(JSON.stringify(rest('.["__proto__"].a, .constructor', value))).toBe('{"__proto__":{}}');
    expect(rest('.toString', { a: 1 })).toEqual({ a: 1 });
  });

  it('shares what did not change', () => {
    const value = { a: { b: 1 }, c: { d: 1 } };
    expect((removePaths(value, [['a', 'b']]) as typeof value).c).toBe(value.c);
    expect(removePaths(value, [])).toBe(value);
  });
});

describe('expressions that never end', () => {
  it.each([
    'until(true==false; [.]+[1])',
    'def f: f; f',
    'range(1e12) | empty',
    '[limit(1e9;repeat(1))]',
    '[range(1e12)]',
    'def f: ., f; [f]',
    'reduce range(1e9) as $i ("x"; . + .)',
    '"x" * 1e12',
    'def f(x): f(x + 1); f(1)',
    'first(range(1e12) | select(. < 0))',
    '[recurse(.)]',
    '[repeat(..)]',
    'last(repeat(1))',
    '[while(true; . + 1)]',
    '"a" | until(false; . + .)',
    '[range(2000)] | [.[] as $a | .[] as $b | $a * $b] | length',
    '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" * 10000 | [match("a"; "g")] | length',
  ])('%s', (expression) => {
    expect(program(expression).values(1, 100_000).kind).toBe('exhausted');
  });

  it('a value as deep as a text may be is walked without recursion', () => {
    let deep: Json = 1;
    for (let level = 0; level < 900; level++) deep = [deep];
    const outcome = program('..').paths(deep, 100_000);
    expect(outcome.kind === 'paths' && outcome.paths.length).toBe(901);
  });

  it('no try catches the end of the budget', () => {
    expect(program('try range(1e12) catch 1').values(null, 10_000).kind).toBe('exhausted');
    expect(program('[.[]?, (def f: f; f)?]').values(null, 10_000).kind).toBe('exhausted');
  });
});

describe('expressions that are refused', () => {
  it.each([
    [
      '.spec | sellect(.a)',
      'jq expression ".spec | sellect(.a)" at character 9: function sellect/1 is not defined or not supported',
    ],
    ['.spec[', 'jq expression ".spec[" at character 7: unexpected the end'],
    ['$x', 'jq expression "$x" at character 1: $x is not defined'],
    ['"abc', 'jq expression "\\"abc" at character 5: text without its closing quote'],
    ['break $x', 'jq expression "break $x" at character 7: label $x is not defined'],
    ['now', 'jq expression "now" at character 1: function now/0 is not defined or not supported'],
    ['.a ~ 1', 'jq expression ".a ~ 1" at character 4: unexpected "~"'],
    ['(', 'jq expression "(" at character 2: unexpected the end'],
  ])('%s', (expression, message) => {
    expect(compileJq(expression)).toEqual({ kind: 'refused', message });
  });

  it('expressions that are nested or long beyond reason', () => {
    expect(compileJq('['.repeat(5_000)).kind).toBe('refused');
    expect(compileJq('.a'.repeat(20_000)).kind).toBe('refused');
    for (const part of [
      '-',
      '{a:',
      '[1,',
      '.a//',
      '.a//=',
      'if 1 then 2 elif ',
      'try ',
      'def f: ',
      '"\\(',
      '. as $x|',
      '1+(',
    ])
      expect(compileJq(part.repeat(4_000 / part.length - 1)).kind).toBe('refused');
  });
});
