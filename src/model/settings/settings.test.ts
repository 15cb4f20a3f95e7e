import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isArray, isObject, own, type Json, type JsonObject } from '../json/json.js';
import { exclusionOf } from './resource-filter.js';
import { readSettings, type Settings } from './settings.js';
import { readOneYaml } from '../yaml/read-yaml.js';

const CASES = join(import.meta.dirname, 'cases');
const SERVER = 'https://kubernetes.default.svc';

function read(name: string, file: string): JsonObject {
  const value = readOneYaml(readFileSync(join(CASES, name, file), 'utf8'), { dialect: 'kubernetes', file });
  return isObject(value) ? value : {};
}

function texts(value: Json | undefined): Map<string, string> {
  return new Map(isObject(value) ? Object.keys(value).map((key) => [key, String(own(value, key))]) : []);
}

/** Maps as plain objects, so that a case can write them. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value) as unknown;
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
    : value;
}

describe('settings', () => {
  it.each(readdirSync(CASES))('%s', (name) => {
    const given = read(name, 'given.yaml');
    const expected = read(name, 'expect.yaml');
    const settings = readSettings({
      cm: texts(given.cm),
      rbac: texts(given.rbac),
      cmdParams: texts(given.cmdParams),
      environment: Object.fromEntries(texts(given.environment)),
      ...(given.profile === 'openshift' ? { profile: 'openshift' } : {}),
    });
    for (const [key, value] of Object.entries(isObject(expected.settings) ? expected.settings : {}))
      expect({ [key]: plain(settings[key as keyof Settings]) }).toEqual({ [key]: value });
    expect(settings.problems).toEqual(expected.problems);
    for (const line of isArray(expected.excluded) ? expected.excluded.filter(isObject) : []) {
      const { group, kind, server = SERVER, why } = line;
      expect({
        ...line,
        why: exclusionOf(settings.resourceFilter, { group: String(group), kind: String(kind) }, String(server))?.why,
      }).toEqual({ ...line, why });
    }
  });

  it('without rules of its own nothing is news that the manifests of Argo CD leave out', () => {
    const { ignoreResourceUpdates = [] } = readSettings({
      cm: new Map(),
      rbac: new Map(),
      cmdParams: new Map(),
      environment: {},
    });
    expect(ignoreResourceUpdates.find(({ kind }) => kind === 'Application')?.jsonPointers).toContain(
      '/metadata/annotations/argocd.argoproj.io~1refresh',
    );
    expect(
      ignoreResourceUpdates.filter(({ kind }) => kind === '*').flatMap(({ jsonPointers }) => jsonPointers),
    ).toEqual(['/status', '/status', '/metadata/resourceVersion', '/metadata/generation', '/metadata/managedFields']);
    expect(
      readSettings({
        cm: new Map([['resource.ignoreResourceUpdatesEnabled', 'false']]),
        rbac: new Map(),
        cmdParams: new Map(),
        environment: {},
      }).ignoreResourceUpdates,
    ).toBeUndefined();
  });
});
