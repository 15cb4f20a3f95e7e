import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clone, put, type JsonObject } from '../model/json/index.js';
import { readIgnoreRule } from '../model/argo/index.js';
import { readOneYaml } from '../model/yaml/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import { compare, compileRules, confirm, dryRunKey, respectIgnoreDifferences, withStoredData } from './index.js';

const CASES = join(import.meta.dirname, 'cases');
const read = (name: string, file: string): KubeObject =>
  readOneYaml(readFileSync(join(CASES, name, file), 'utf8'), { dialect: 'kubernetes' }) as unknown as KubeObject;
const names = readdirSync(CASES);
const RULES = compileRules();

describe('every recorded object', () => {
  it('does not differ from itself', () => {
    for (const name of names) {
      const live = read(name, 'live.yaml');
      expect(compare(live, clone(live), RULES), name).toEqual([]);
      expect(confirm(live, clone(live), live, RULES), name).toEqual([]);
    }
  });

  it('stays as it is under comparison, rules and respect', () => {
    const rules = compileRules({
      ignoreDifferences: [
        readIgnoreRule(
          { group: '*', kind: '*', jsonPointers: ['/spec/replicas', '/metadata'], jqPathExpressions: ['..'] },
          'rule',
        ),
      ],
    });
    for (const name of names) {
      const [target, live] = [read(name, 'target.yaml'), read(name, 'live.yaml')];
      const before = JSON.stringify([target, live]);
      compare(target, live, rules);
      respectIgnoreDifferences(target, live, rules);
      expect(JSON.stringify([target, live]), name).toBe(before);
    }
  });

  it('keeps its identity where a rule ignores everything', () => {
    const rules = compileRules({
      ignoreDifferences: [readIgnoreRule({ group: '*', kind: '*', jqPathExpressions: ['.[]'] }, 'rule')],
    });
    const [target, live] = [
      read('a-fresh-ingress-is-quiet', 'target.yaml'),
      read('a-fresh-ingress-is-quiet', 'live.yaml'),
    ];
    expect(compare(target, live, rules)).toEqual([]);
    expect(respectIgnoreDifferences(target, live, rules)).toMatchObject({
      apiVersion: target.apiVersion,
      kind: target.kind,
      metadata: { name: target.metadata.name },
    });
  });
});

describe('keys of strangers', () => {
  it('names that are special to JavaScript are keys like others', () => {
    const object = (data: JsonObject): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'odd' },
      data,
    });
    const data: JsonObject = { constructor: 'a', toString: 'b' };
    put(data, '__proto__', 'c');
    const pointers = compare(object(data), object({}), RULES).map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/data/constructor', '/data/toString', '/data/__proto__']);
    expect(compare(object(data), object(clone(data)), RULES)).toEqual([]);
  });

  it('malformed owners and annotations speak for nobody', () => {
    const object = (metadata: JsonObject, list: string[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'odd', ...metadata },
      list,
    });
    const entries = [
      null,
      1,
      {},
      { fieldsV1: 'x' },
      {
        manager: 'kubectl-client-side-apply',
        operation: 'Update',
        fieldsV1: { 'f:list': { 'k:{': {}, 'v:{': {}, '?': {}, '': {} }, 'f:data': null },
      },
    ];
    for (const text of ['{"data":', '[]', '{"list":{"a":1},"metadata":3}']) {
      const live = object(
        { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': text }, managedFields: entries },
        ['a'],
      );
      expect(compare(object({}, ['b']), live, RULES)).toMatchObject([{ pointer: '/list/0', kind: 'changed' }]);
    }
  });
});

describe('the key of a dry run', () => {
  const [target, live] = [
    read('replicas-that-an-autoscaler-changed-name-their-owner', 'target.yaml'),
    read('replicas-that-an-autoscaler-changed-name-their-owner', 'live.yaml'),
  ];
  const key = dryRunKey(target, live);
  const changed = (change: (live: KubeObject) => void): string => {
    const copy = clone(live);
    change(copy);
    return dryRunKey(target, copy);
  };

  it('does not change with status, version and times', () => {
    expect(
      changed((copy) => {
        copy.metadata.resourceVersion = '99';
        copy.status = { replicas: 7 };
        for (const entry of copy.metadata.managedFields ?? []) entry.time = '2030-01-01T00:00:00Z';
        copy.metadata.managedFields?.push({
          manager: 'kubelet',
          operation: 'Update',
          subresource: 'status',
          fieldsV1: { 'f:status': {} },
        });
      }),
    ).toBe(key);
    expect(dryRunKey(JSON.parse(JSON.stringify(target, Object.keys(flat(target)).sort())) as KubeObject, live)).toBe(
      key,
    );
  });

  it('changes with the fields, their owners and what git says', () => {
    expect(
      changed((copy) => {
        copy.spec = {};
      }),
    ).not.toBe(key);
    expect(
      changed((copy) => {
        copy.metadata.managedFields![0]!.manager = 'other';
      }),
    ).not.toBe(key);
    expect(dryRunKey({ ...target, spec: {} }, live)).not.toBe(key);
  });
});

/** Every key that occurs in a value: as the list for JSON.stringify it orders them. */
function flat(value: unknown, found: Record<string, true> = {}): Record<string, true> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      found[key] = true;
      flat(part, found);
    }
  }
  return found;
}

it('a Secret is applied with its data where the server keeps it', () => {
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    data: { a: 'MQ==' },
    stringData: { b: '2' },
  };
  expect(withStoredData(secret)).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    data: { a: 'MQ==', b: 'Mg==' },
  });
  const other: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, stringData: { b: '2' } };
  expect(withStoredData(other)).toBe(other);
});
