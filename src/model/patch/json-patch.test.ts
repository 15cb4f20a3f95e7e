import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch, parseJsonPatch, unknownJsonPatchFields } from './json-patch.js';
import { clone, type Json, type JsonObject } from '../json/json.js';
import { parseJson, writeJson } from '../json/json-text.js';
import { applyMergePatch, createMergePatch } from './merge-patch.js';
import { PatchFault, type PatchFaultReason } from './patch-fault.js';

interface Case {
  name: string;
  doc: JsonObject;
  patch: Json;
  result?: Json;
  error?: string;
}

// Both tables are recorded from json-patch v4.12.0, the library of the API server.
const load = (name: string): Case[] =>
  parseJson(readFileSync(join(import.meta.dirname, 'cases', name), 'utf8')) as unknown as Case[];
const sorted = (value: Json): string => writeJson(value).split('').sort().join('');

function faultOf(run: () => unknown): { problem: PatchFaultReason; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof PatchFault) return { problem: error.reason, message: error.message };
    throw error;
  }
  throw new Error('the patch was accepted');
}

describe('a JSON patch', () => {
  it.each(load('json-patches.json'))('$name', (given) => {
    const before = clone<Json>(given.doc);
    const apply = (): Json => applyJsonPatch(given.doc, parseJsonPatch(given.patch));
    if (given.error === undefined) {
      expect(apply()).toEqual(given.result);
      expect(sorted(apply())).toBe(sorted(given.result ?? null));
    } else expect(faultOf(apply)).toEqual({ problem: 'inapplicable', message: given.error });
    expect(given.doc).toEqual(before);
  });

  it.each<[Json, string]>([
    [{}, 'object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'string into Go value of type []handlers.jsonPatchOp'],
    [[1], 'number into Go value of type handlers.jsonPatchOp'],
    [[[]], 'array into Go value of type handlers.jsonPatchOp'],
    [[{ op: true }], 'bool into Go struct field jsonPatchOp.op of type string'],
    [[{ op: 'add', path: 1n }], 'number into Go struct field jsonPatchOp.path of type string'],
  ])('of the form %o is malformed', (patch, what) => {
    expect(faultOf(() => parseJsonPatch(patch))).toEqual({
      problem: 'malformed',
      message: `error decoding patch: json: cannot unmarshal ${what}`,
    });
  });

  it('has at most 10,000 operations', () => {
    const operations = (count: number): Json =>
      Array.from({ length: count }, () => ({ op: 'add', path: '/a', value: 1 }));
    expect(applyJsonPatch({}, parseJsonPatch(operations(10_000)))).toEqual({ a: 1 });
    expect(faultOf(() => parseJsonPatch(operations(10_001)))).toEqual({
      problem: 'too-large',
      message: 'The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  it('cannot copy more than three MiB', () => {
    const patch = [
      { op: 'add', path: '/a', value: 'x'.repeat(1000) },
      ...Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/c${i}` })),
    ];
    expect(faultOf(() => applyJsonPatch({}, patch)).message).toBe(
      'copy operation does not apply: doc is missing from path: : missing value',
    );
    const bomb = [
      { op: 'add', path: '/a', value: ['x'.repeat(1000)] },
      ...Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' })),
    ];
    expect(faultOf(() => applyJsonPatch({}, bomb)).message).toMatch(
      /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
    );
  });

  it('names members that it does not know', () => {
    expect(
      unknownJsonPatchFields(
        parseJsonPatch([
          { op: 'add', path: '/a', value: 1 },
          { op: 'add', path: '/a', vlaue: 1 },
        ]),
      ),
    ).toEqual(['json patch unknown field "[1].vlaue"']);
  });
});

describe('a merge patch', () => {
  it.each(load('merge-patches.json'))('$name', (given) => {
    const before = clone<Json>(given.doc);
    const apply = (): Json => applyMergePatch(given.doc, given.patch);
    if (given.error === undefined) {
      expect(apply()).toEqual(given.result);
      expect(sorted(apply())).toBe(sorted(given.result ?? null));
    } else expect(faultOf(apply)).toEqual({ problem: 'malformed', message: given.error });
    expect(given.doc).toEqual(before);
  });

  it('made from two objects turns one into the other', () => {
    const from = { a: 1, b: { c: [1], d: 'x' }, e: { f: 1 }, g: 5n };
    const to = { a: 2, b: { c: [1, 2], d: 'x' }, e: 'now text', g: 5, __proto__x: {} };
    const patch = createMergePatch(from, to);
    expect(patch).toEqual({ a: 2, b: { c: [1, 2] }, e: 'now text', __proto__x: {} });
    expect(applyMergePatch(from, patch)).toEqual({ ...to, g: 5n });
    expect(createMergePatch(from, from)).toEqual({});
    expect(createMergePatch(to, from)).toEqual({ a: 1, b: { c: [1] }, e: { f: 1 }, __proto__x: null });
  });
});
