import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../faults/fault.js';
import { parseJson, writeJson } from '../json/json-text.js';
import type { Json, JsonObject } from '../json/json.js';
import { FieldSet, parseFieldsV1, writeFieldsV1 } from './managed-fields.js';
import { fieldElement, keyElement, pathText, type PathElement } from './path-element.js';

interface Case {
  name: string;
  a: JsonObject;
  b?: JsonObject;
  error?: boolean;
  write: JsonObject;
  paths?: string[];
  leaves?: string[];
  ops?: Record<'union' | 'difference' | 'recursiveDifference' | 'intersection', JsonObject>;
  equal?: boolean;
}

// Recorded from structured-merge-diff v6.3.0.
const CASES = parseJson(
  readFileSync(join(import.meta.dirname, 'cases/managed-fields.json'), 'utf8'),
) as unknown as Case[];
const text = (json: Json): string => writeJson(json);
const lines = (set: FieldSet): string[] => [...set.paths()].map(pathText);

describe.each(CASES)('$name', (given) => {
  if (given.error === true) {
    it('is refused', () => {
      expect(() => parseFieldsV1(given.a)).toThrow(Fault);
    });
    return;
  }
  const set = parseFieldsV1(given.a);

  it('is written back in canonical form', () => {
    expect(text(writeFieldsV1(set))).toBe(text(given.write));
  });

  it('lists its paths and leaves', () => {
    expect(lines(set)).toEqual(given.paths ?? []);
    expect(lines(set.leaves())).toEqual(given.leaves ?? []);
    expect(set.size()).toBe((given.paths ?? []).length);
    for (const path of set.paths()) expect(set.has(path)).toBe(true);
    expect(FieldSet.of(...set.paths()).equals(set)).toBe(true);
  });

  const { b, ops } = given;
  if (b === undefined || ops === undefined) return;
  it('is combined with another', () => {
    const other = parseFieldsV1(b);
    for (const name of ['union', 'difference', 'recursiveDifference', 'intersection'] as const) {
      expect(text(writeFieldsV1(set[name](other))), name).toBe(text(ops[name]));
    }
    expect(set.equals(other)).toBe(given.equal);
    expect(text(writeFieldsV1(set))).toBe(text(given.write));
  });
});

describe('a set', () => {
  const path = (...names: string[]): PathElement[] => names.map(fieldElement);

  it('does not change when a set made from it is inserted into', () => {
    const first = FieldSet.of(path('a', 'b', 'c'));
    const second = first.union(FieldSet.of(path('x')));
    const below = first.withPrefix(fieldElement('a'));
    second.insert(path('a', 'b', 'd'));
    below.insert(path('b', 'e'));
    expect(lines(first)).toEqual(['.a.b.c']);
    expect(lines(second)).toEqual(['.x', '.a.b.c', '.a.b.d']);
    expect(lines(below)).toEqual(['.b.c', '.b.e']);
    first.insert(path('a', 'b', 'f'));
    expect(lines(second)).toEqual(['.x', '.a.b.c', '.a.b.d']);
    expect(lines(below)).toEqual(['.b.c', '.b.e']);
  });

  it('keeps one entry for a key given in any order', () => {
    const set = FieldSet.of(
      [
        keyElement([
          ['b', 1],
          ['a', 'x'],
        ]),
      ],
      [
        keyElement([
          ['a', 'x'],
          ['b', 1],
        ]),
      ],
    );
    expect(text(writeFieldsV1(set))).toBe('{"k:{\\"a\\":\\"x\\",\\"b\\":1}":{}}');
  });

  it('has no empty path', () => {
    const set = FieldSet.of([]);
    expect(set.isEmpty()).toBe(true);
    expect(set.has([])).toBe(false);
  });

  it('drops nodes that hold nothing', () => {
    const set = FieldSet.fromNodes([{ element: fieldElement('a'), member: false, children: FieldSet.empty() }]);
    expect(set.isEmpty()).toBe(true);
    expect(set.node(fieldElement('a'))).toBeUndefined();
  });

  it('refuses a set nested without end', () => {
    let deep: JsonObject = {};
    for (let i = 0; i < 20_000; i++) deep = { 'f:a': deep };
    expect(() => parseFieldsV1(deep)).toThrow('nested deeper');
  });

  it('has an order for a thousand fields that does not depend on insertion', () => {
    const names = Array.from({ length: 1000 }, (_, i) => `f${(i * 7919) % 1000}`);
    const set = FieldSet.of(...names.map((name) => path('spec', name)));
    expect(Object.keys(writeFieldsV1(set)['f:spec'] as JsonObject)).toEqual(
      [...names].sort().map((name) => `f:${name}`),
    );
  });
});
