import { describe, expect, it } from 'vitest';
import { GoScalar, type GoObject } from '../template/value/go-value.js';
import { applySet, inHelmOrder, type SetValue } from './apply-sets.js';
import { asJson } from './table.js';

function set(kind: SetValue['kind'], text: string, start: GoObject = {}): unknown {
  return JSON.parse(
    JSON.stringify(asJson(applySet(start, { kind, text }, (path) => `content of ${path}`)), (_key, value: unknown) =>
      typeof value === 'bigint' ? Number(value) : value,
    ),
  );
}

describe('--set', () => {
  it.each<[string, unknown]>([
    ['a=1', { a: 1 }],
    ['a=1,b.c=true,d=null', { a: 1, b: { c: true }, d: null }],
    ['a=007', { a: '007' }],
    ['a=1.5', { a: '1.5' }],
    ['a=99999999999999999999', { a: '99999999999999999999' }],
    ['a=', { a: '' }],
    ['a={x,2,false}', { a: ['x', 2, false] }],
    ['a={x,y},b=1', { a: ['x', 'y'], b: 1 }],
    ['a={}', { a: [''] }],
    ['a[0]=x,a[2].b=y', { a: ['x', null, { b: 'y' }] }],
    ['a[0][1]=x', { a: [[null, 'x']] }],
    ['a\\.b/c=x\\,y', { 'a.b/c': 'x,y' }],
    ['a[0]', { a: [] }],
    ['a[0', {}],
    ['__proto__.x=1', { ['__proto__']: { x: 1 } }],
  ])('reads %s', (text, expected) => {
    expect(set('set', text)).toEqual(expected);
  });

  it.each([
    ['a', 'key "a" has no value'],
    ['a,b=1', 'key "a" has no value (cannot end with ,)'],
    ['a.=1', 'key map "a" has no value'],
    ['a={1', "list must terminate with '}'"],
    ['a[x]=1', 'error parsing index: strconv.Atoi: parsing "x": invalid syntax'],
    ['a[-1]=1', 'negative -1 index not allowed'],
    ['a[0]b=1', "unexpected data at end of array index: ['b']"],
    ['a[70000]=1', 'index of 70000 is greater than maximum supported index of 65536'],
    ['a=1,a.b=2', 'unable to parse key: interface conversion: interface {} is int64, not map[string]interface {}'],
    ['a=null,a[0]=2', 'unable to parse key: interface conversion: interface {} is nil, not []interface {}'],
    [`${'a.'.repeat(31)}b=1`, 'value name nested level is greater than maximum supported nested level of 30'],
  ])('refuses %s', (text, message) => {
    expect(() => set('set', text)).toThrow(`failed parsing --set data: ${message}`);
  });

  it('keeps whole numbers apart from those of files', () => {
    expect(applySet({}, { kind: 'set', text: 'a=1000000' }, () => '')['a']).toBeInstanceOf(GoScalar);
  });

  it('changes what files set', () => {
    expect(set('set', 'a.c=2,l[1]=z', { a: { b: 1 }, l: ['x', 'y'] })).toEqual({ a: { b: 1, c: 2 }, l: ['x', 'z'] });
  });
});

describe('the others', () => {
  it('takes strings, files, JSON and literals', () => {
    expect(set('set-string', 'a=1,b={1,2}')).toEqual({ a: '1', b: ['1', '2'] });
    expect(set('set-file', 'a.b=some/file.txt')).toEqual({ a: { b: 'content of some/file.txt' } });
    expect(set('set-json', 'a=[1,{"x": "},{"}],b=null ,c="t",d=1e3')).toEqual({
      a: [1, { x: '},{' }],
      b: null,
      c: 't',
      d: 1000,
    });
    expect(set('set-json', ' {"a": {"c": 2}}', { a: { b: 1 } })).toEqual({ a: { b: 1, c: 2 } });
    expect(set('set-json', 'a=,b[1]=2')).toEqual({ a: null, b: [null, 2] });
    expect(set('set-literal', 'a.b=x,y=\\z{1}')).toEqual({ a: { b: 'x,y=\\z{1}' } });
  });

  it.each([
    ['set-json', 'a={', 'failed parsing --set-json data a={'],
    ['set-json', '{"a"', 'failed parsing --set-json data JSON: {"a"'],
    ['set-literal', 'a', 'failed parsing --set-literal data: key "a" has no value'],
  ] as const)('refuses --%s %s', (kind, text, message) => {
    expect(() => set(kind, text)).toThrow(message);
  });

  it('are taken in the order of Helm', () => {
    const all = (['set-literal', 'set-file', 'set-string', 'set', 'set-json'] as const).map((kind) => ({
      kind,
      text: '',
    }));
    expect(inHelmOrder(all).map(({ kind }) => kind)).toEqual([
      'set-json',
      'set',
      'set-string',
      'set-file',
      'set-literal',
    ]);
  });
});
