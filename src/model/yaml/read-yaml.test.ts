import { describe, expect, it } from 'vitest';
import { Fault } from '../faults/fault.js';
import { parseJson } from '../json/json-text.js';
import { equal, own, type Json, type JsonObject } from '../json/json.js';
import scalars from './cases/scalars.json' with { type: 'json' };
import structures from './cases/structures.json' with { type: 'json' };
import { readOneYaml, readYaml, type ReadYamlOptions } from './read-yaml.js';
import type { DuplicateKey } from './reader.js';

/**
 * A text, then what go.yaml.in/yaml v2.4.2 and v3.0.4 make of it: JSON documents, or `!` and the error; one where both
 * agree.
 */
type Case = readonly [string, string, string?];

function values(text: string, options: ReadYamlOptions): Json[] {
  return readYaml(text, options).map((document) => document.value);
}

function faultOf(run: () => unknown): Fault {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('no fault');
}

const kubernetes = { dialect: 'kubernetes' } as const;
const kyaml = { dialect: 'kyaml' } as const;

describe.each([
  ['scalars', scalars as unknown as Case[]],
  ['structures', structures as unknown as Case[]],
])('%s', (_name, cases) => {
  it.each([
    ['kubernetes', 1],
    ['kyaml', 2],
  ] as const)('are what the Go library makes of them: %s', (dialect, column) => {
    const wrong: unknown[] = [];
    for (const row of cases) {
      const expected = row[column] ?? row[1];
      if (expected.startsWith('!')) {
        try {
          wrong.push([row[0], expected, values(row[0], { dialect })]);
        } catch (error) {
          if (!(error instanceof Fault) || error.code !== 'YAML_INVALID') throw error;
        }
      } else {
        const found = values(row[0], { dialect });
        if (!equal(found, parseJson(expected))) wrong.push([row[0], expected, found]);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('numbers', () => {
  it('keeps 64-bit integers, and makes larger ones floats as Go does', () => {
    expect(
      readOneYaml(
        '[9007199254740991, 9007199254740993, -9223372036854775808, 18446744073709551615, 18446744073709551616]',
        kubernetes,
      ),
    ).toEqual([
      9007199254740991,
      9007199254740993n,
      -9223372036854775808n,
      18446744073709551615n,
      18446744073709551616,
    ]);
  });

  it('refuses what JSON has no number for', () => {
    expect(faultOf(() => readYaml('a: .inf', kubernetes)).message).toBe('json: unsupported value: +Inf');
  });
});

describe('faults', () => {
  it.each([
    ['a: 1\nb: [1,\nc: 2', "did not find expected ',' or ']'", 'x.yaml:3:5'],
    ['a: b: c', 'mapping values are not allowed in this context', 'x.yaml:1:5'],
    ['a:\n\tb: 1', 'found character that cannot start any token: a tab; indent with spaces', 'x.yaml:2:1'],
    ['a: 1\n  b: 2', 'mapping values are not allowed in this context', 'x.yaml:2:4'],
    ['a:\n  - b\n c: 1', 'did not find expected key', 'x.yaml:3:2'],
    ['a: "x', 'found unexpected end of stream in a quoted scalar', 'x.yaml:1:4'],
    ['a: *b', "unknown anchor 'b' referenced", 'x.yaml:1:4'],
    ['a: &b [*b]', "anchor 'b' value contains itself", 'x.yaml:1:8'],
    ['a: @b', 'found character that cannot start any token', 'x.yaml:1:4'],
    ['a: \u0001', 'control characters are not allowed', 'x.yaml:1:4'],
    ['a: !!int x', 'cannot decode !!str `x` as a !!int', 'x.yaml:1:4'],
    ['ok: 1\n---\nok: 2\n---\n- a\nb', "did not find expected '-' indicator", 'x.yaml:6:1'],
    ['? [a]\n: b', 'invalid map key: a mapping or a list cannot be a key', 'x.yaml:1:1'],
    ['~: a', 'unsupported map key of type: null; quote it', 'x.yaml:1:1'],
  ])('%j says what is wrong and where', (text, message, where) => {
    const fault = faultOf(() => readYaml(text, { ...kubernetes, file: 'x.yaml' }));
    expect(fault).toMatchObject({ code: 'YAML_INVALID', message, where });
  });

  it('gives line and column without a file', () => {
    expect(faultOf(() => readYaml('a: b: c', kubernetes)).where).toBe('1:5');
  });

  it('refuses a text beyond the limit of length', () => {
    expect(faultOf(() => readYaml('a: 12345', { ...kubernetes, limits: { length: 4 } })).message).toBe(
      'the text has 8 characters; at most 4 are read',
    );
  });

  it('refuses a key of Kustomize input that JSON cannot hold, where Kustomize would drop it', () => {
    expect(faultOf(() => readYaml('~: 1', kyaml)).message).toContain('is not a string; quote it');
  });
});

describe('documents', () => {
  it('gives each with the line where its content starts', () => {
    const text = '# first\na: 1\n---\n\n# second\nb: 2\n---\n---\nc: |\n  x\n...\n';
    expect(readYaml(text, kubernetes)).toEqual([
      { value: { a: 1 }, line: 2 },
      { value: { b: 2 }, line: 6 },
      { value: null, line: 8 },
      { value: { c: 'x\n' }, line: 9 },
    ]);
  });

  it('has none in a text of comments', () => {
    expect(readYaml('# nothing\n', kubernetes)).toEqual([]);
    expect(readOneYaml('# nothing\n', kubernetes)).toBe(null);
  });

  it('reads one without looking at the next', () => {
    expect(readOneYaml('a: 1\n---\n[', kubernetes)).toEqual({ a: 1 });
  });
});

describe('repeated keys', () => {
  const text = 'metadata:\n  labels: {a: 1, a: 2}\nspec:\n  containers:\n  - name: x\n    name:\n      z\n';

  it('lets the last win and tells where each is', () => {
    const found: DuplicateKey[] = [];
    const value = readOneYaml(text, { ...kubernetes, onDuplicate: (duplicate) => found.push(duplicate) });
    expect(value).toEqual({ metadata: { labels: { a: 2 } }, spec: { containers: [{ name: 'z' }] } });
    expect(found).toEqual([
      { key: 'a', path: 'metadata.labels.a', line: 2, valueLine: 2 },
      { key: 'name', path: 'spec.containers[0].name', line: 6, valueLine: 7 },
    ]);
  });

  it('is a fault when asked for', () => {
    expect(faultOf(() => readYaml(text, { ...kubernetes, duplicates: 'error' }))).toMatchObject({
      message: 'key "a" already set in map',
      where: '2:21',
    });
  });

  it('is always a fault in Kustomize input, unless allowed', () => {
    expect(faultOf(() => readYaml(text, kyaml)).message).toBe('mapping key "a" already defined at line 2');
    expect(readOneYaml('a: 1\na: 2', { ...kyaml, duplicates: 'last' })).toEqual({ a: 2 });
  });

  it('counts a key that a merge sets over another, as Go does', () => {
    const merged = 'b: &b {x: 1}\nd:\n  x: 2\n  <<: *b\n';
    expect(readOneYaml(merged, kubernetes)).toEqual({ b: { x: 1 }, d: { x: 1 } });
    expect(readOneYaml(merged, kyaml)).toEqual({ b: { x: 1 }, d: { x: 2 } });
    expect(faultOf(() => readYaml(merged, { ...kubernetes, duplicates: 'error' })).message).toBe(
      'key "x" already set in map',
    );
  });
});

describe('names that JavaScript knows', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

  it.each(names)('%s is an ordinary key, in a mapping, a merge and an alias', (name) => {
    for (const options of [kubernetes, kyaml]) {
      const value = readOneYaml(
        `a: &a {${name}: {x: 1}}\nb:\n  <<: *a\nc: *a\nd:\n  ${name}: 2\n`,
        options,
      ) as JsonObject;
      for (const key of ['a', 'b', 'c']) {
        const object = own(value, key) as JsonObject;
        expect(Object.keys(object)).toEqual([name]);
        expect(own(object, name)).toEqual({ x: 1 });
      }
      expect(own(own(value, 'd') as JsonObject, name)).toBe(2);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as JsonObject).x).toBe(undefined);
  });
});

it('shares no object between an anchor and its aliases', () => {
  const value = readOneYaml('a: &a {x: [1]}\nb: *a\n', kubernetes) as { a: { x: Json[] }; b: { x: Json[] } };
  value.a.x.push(2);
  expect(value.b.x).toEqual([1]);
});
