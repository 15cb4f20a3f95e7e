import { describe, expect, it } from 'vitest';
import { parseJson } from '../json/json-text.js';
import { equal, put, type Json, type JsonObject } from '../json/json.js';
import written from './cases/written.json' with { type: 'json' };
import { readOneYaml } from './read-yaml.js';
import { writeYaml } from './write-yaml.js';

/** JSON text, and the YAML text that sigs.k8s.io/yaml v1.6.0 writes for it. */
const CASES = written as [string, string][];

describe('writeYaml', () => {
  it('writes what the Go library writes', () => {
    const wrong = CASES.filter(([json, yaml]) => writeYaml(parseJson(json)) !== yaml);
    expect(wrong.map(([json, yaml]) => [json, yaml, writeYaml(parseJson(json))])).toEqual([]);
  });

  it('reads back what it wrote', () => {
    const lost = CASES.filter(([json]) => {
      const value = parseJson(json);
      return !equal(readOneYaml(writeYaml(value), { dialect: 'kubernetes' }), value);
    });
    expect(lost).toEqual([]);
  });

  it('quotes the key <<, which Go loses', () => {
    expect(writeYaml({ '<<': { a: '<<' } })).toBe('"<<":\n  a: <<\n');
  });

  it('escapes what Go refuses to write', () => {
    expect(writeYaml(['\x7f', '\x85', '\uffff', '\ud800'])).toBe('- "\\x7F"\n- "\\N"\n- "\\uFFFF"\n- "\\uD800"\n');
  });

  it('leaves out members that are undefined', () => {
    expect(writeYaml({ a: undefined, b: { c: undefined }, d: [] })).toBe('b: {}\nd: []\n');
  });

  it('keeps odd names and large integers', () => {
    const object: JsonObject = { big: 9223372036854775807n };
    put(object, '__proto__', 'x');
    expect(writeYaml(object)).toBe('__proto__: x\nbig: 9223372036854775807\n');
  });

  it('writes a manifest as kubectl shows it', () => {
    const pod: Json = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'a', labels: {}, annotations: { on: 'yes' } },
      spec: { containers: [{ name: 'x', args: ['-c', 'echo 1\necho 2\n'], ports: [{ containerPort: 80 }] }] },
    };
    expect(writeYaml(pod)).toBe(`apiVersion: v1
kind: Pod
metadata:
  annotations:
    "on": "yes"
  labels: {}
  name: a
spec:
  containers:
  - args:
    - -c
    - |
      echo 1
      echo 2
    name: x
    ports:
    - containerPort: 80
`);
  });
});
