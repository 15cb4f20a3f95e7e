import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { equal, isObject, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import { quoteGo } from '../../model/go/index.js';
import { ApiError } from '../errors/api-error.js';
import { builtinSchema, objectMetaSchema } from './compile.js';
import { decode, decodeKind } from './decode.js';
import { DecodeError } from './decode-error.js';

/** Recorded from the real decoder: `node scripts/schema-table/record-cases.mjs`. */
const cases = new URL('./cases/', import.meta.url);

function read(name: string): JsonObject {
  const value = parseJson(readFileSync(new URL(name, cases), 'utf8'));
  if (!isObject(value)) throw new TypeError(name);
  return value;
}

function outcome(given: JsonObject): Json {
  const { group, version, kind, body } = given as { group: string; version: string; kind: string; body: JsonObject };
  const schema = builtinSchema(group, version, kind)!;
  try {
    const { object, unknownFields } = decodeKind(body, { group, version, kind, schema });
    return {
      ...(unknownFields.length > 0 && { strict: unknownFields.map((path) => `unknown field ${quoteGo(path)}`) }),
      object,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.code).toBe(400);
    return { error: error.message.slice(`${kind} in version "${version}" cannot be handled as a ${kind}: `.length) };
  }
}

describe('a body is decoded as the real server does', () => {
  for (const name of readdirSync(cases)) {
    it(name.replaceAll('-', ' '), () => {
      const found = outcome(read(`${name}/given.json`));
      const wanted = read(`${name}/expect.json`);
      if (!equal(found, wanted)) expect(found).toEqual(wanted);
    });
  }
});

describe('limits', () => {
  const crd = builtinSchema('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')!;

  it('rejects endless schema nesting without a stack overflow', () => {
    let schema: JsonObject = { type: 'object' };
    for (let depth = 0; depth < 10_000; depth++) schema = { properties: { a: schema } };
    const body = { spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } };
    expect(() => decode(body, crd)).toThrow(new DecodeError('exceeded max depth'));
  });

  it('rejects nesting through types that read their own JSON', () => {
    let schema: JsonObject = { type: 'object' };
    for (let depth = 0; depth < 10_000; depth++) schema = { items: schema };
    expect(() => decode({ spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } }, crd)).toThrow(DecodeError);
  });

  it('keeps untyped data of any depth', () => {
    let data: JsonObject = {};
    for (let depth = 0; depth < 50_000; depth++) data = { a: data };
    expect(decode({ data }, builtinSchema('apps', 'v1', 'ControllerRevision')!).object.data).toBe(data);
  });

  it('names at most 100 unknown fields', () => {
    const body = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 1]));
    expect(decode(body, builtinSchema('', 'v1', 'Pod')!).unknownFields).toHaveLength(100);
  });

  it('names the root type where there is no field', () => {
    expect(() => decode('x', objectMetaSchema())).toThrow(
      'json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    );
  });
});
