import { afterEach, describe, expect, it } from 'vitest';
import { applyJsonPatch, parseJsonPatch } from '../patch/json-patch.js';
import { formatPointer, getPointer } from './json-pointer.js';
import { clone, equal, type JsonObject } from './json.js';
import { parseJson, writeJson } from './json-text.js';
import { FieldSet, parseFieldsV1, writeFieldsV1 } from '../kubernetes/managed-fields.js';
import { applyMergePatch, createMergePatch } from '../patch/merge-patch.js';
import type { Schema } from '../kubernetes/schema.js';
import { labelSelectorFromMap, labelSelectorText, matchesLabels, parseLabelSelector } from '../kubernetes/selector.js';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.js';
import { readOneYaml } from '../yaml/read-yaml.js';
import { writeYaml } from '../yaml/write-yaml.js';

const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
const DATA: Schema = {
  type: 'object',
  properties: new Map([['data', { type: 'object', additionalProperties: { type: 'string' } }]]),
};

const shape = (): unknown[] =>
  [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype].map((prototype) => [
    Reflect.ownKeys(prototype),
    Object.isExtensible(prototype),
  ]);
const before = shape();
afterEach(() => {
  expect(shape(), 'nothing may change what all objects have').toEqual(before);
});

const object = (text: string): JsonObject => parseJson(text) as JsonObject;
const yaml = (text: string): JsonObject => readOneYaml(text, { dialect: 'kubernetes' }) as JsonObject;

/** Each takes a key and gives what became of `{"data":{KEY:"x"}}`. */
const WAYS: Readonly<Record<string, (key: string) => unknown>> = {
  JSON: (key) => object(`{"data":{"${key}":"x"}}`),
  YAML: (key) => yaml(`data:\n  ${key}: x\n`),
  'YAML in brackets': (key) => yaml(`data: {"${key}": x}`),
  'YAML, written and read': (key) => yaml(writeYaml(object(`{"data":{"${key}":"x"}}`))),
  'a merge key': (key) => yaml(`a: &a {${key}: x}\ndata:\n  <<: *a\n`),
  'a copy': (key) => clone(object(`{"data":{"${key}":"x"}}`)),
  'a JSON patch that adds it': (key) =>
    applyJsonPatch(
      object('{"data":{}}'),
      parseJsonPatch(parseJson(`[{"op":"add","path":"/data/${key}","value":"x"}]`)),
    ),
  'a JSON patch that moves it': (key) =>
    applyJsonPatch(
      object(`{"${key}":"x","data":{}}`),
      parseJsonPatch(parseJson(`[{"op":"move","from":"/${key}","path":"/data/${key}"}]`)),
    ),
  'a merge patch': (key) => applyMergePatch(object('{"data":{}}'), object(`{"data":{"${key}":"x"}}`)),
  'a merge patch that was made': (key) =>
    applyMergePatch(object('{"data":{}}'), createMergePatch(object('{"data":{}}'), object(`{"data":{"${key}":"x"}}`))),
  'a strategic merge patch': (key) =>
    applyStrategicMergePatch(object('{"data":{}}'), object(`{"data":{"${key}":"x"}}`), DATA),
};

describe.each(KEYS)('H12: the key %s', (key) => {
  it.each(Object.entries(WAYS))('comes through %s', (_, way) => {
    const result = way(key) as JsonObject;
    expect(writeJson({ data: result.data ?? null })).toBe(`{"data":{"${key}":"x"}}`);
    expect(equal(result.data ?? null, object(`{"${key}":"x"}`))).toBe(true);
  });

  it('is taken away by patches that say so, and only then', () => {
    const given = `{"data":{"${key}":"x","b":"y"}}`;
    expect(writeJson(applyMergePatch(object(given), object(`{"data":{"${key}":null}}`)))).toBe('{"data":{"b":"y"}}');
    expect(
      writeJson(applyJsonPatch(object(given), parseJsonPatch(parseJson(`[{"op":"remove","path":"/data/${key}"}]`)))),
    ).toBe('{"data":{"b":"y"}}');
    expect(() =>
      applyJsonPatch(object('{"data":{}}'), parseJsonPatch(parseJson(`[{"op":"remove","path":"/data/${key}"}]`))),
    ).toThrow();
  });

  it('is not there where nobody put it', () => {
    expect(getPointer(object('{"data":{}}'), formatPointer(['data', key]))).toBeUndefined();
    expect(matchesLabels(parseLabelSelector(key.replace(/^_+|_+$/g, '')), {})).toBe(false);
  });

  it('is a field that somebody can own', () => {
    const fields = `{"f:data":{"f:${key}":{}}}`;
    expect(writeJson(writeFieldsV1(parseFieldsV1(object(fields)).union(FieldSet.empty())))).toBe(fields);
  });

  it('selects by labels', () => {
    const labels = object(`{"${key}":"x"}`) as Record<string, string>;
    const selector = labelSelectorFromMap(labels);
    expect([matchesLabels(selector, labels), matchesLabels(selector, {}), labelSelectorText(selector)]).toEqual([
      true,
      false,
      `${key}=x`,
    ]);
  });
});
