import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { compose, validateSpec, type ConfigMapData } from './compose.js';
import { conditionsOf } from './conditions.js';
import { MAPS, type MapName } from './entry.js';

const CASES = join(import.meta.dirname, 'cases');

const read = (name: string, file: string): JsonObject => {
  const value = readOneYaml(readFileSync(join(CASES, name, file), 'utf8'), { dialect: 'kubernetes', file });
  if (!isObject(value)) throw new Error(`${name}/${file} holds no object`);
  return value;
};
const textsOf = (value: Json | undefined): Record<string, string> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)])) : {};

/** A star in an expectation matches anything. */
const pattern = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('[\\s\\S]*')}$`,
  );

describe('an ArgoCD object becomes ConfigMaps and conditions', () => {
  it.each(readdirSync(CASES))('%s', (name) => {
    const given = read(name, 'given.yaml');
    const expected = read(name, 'expect.yaml');
    const before = new Map<MapName, ConfigMapData>(
      MAPS.map((map) => [
        map,
        new Map(Object.entries(textsOf(isObject(given.before) ? own(given.before, map) : undefined))),
      ]),
    );
    const argocd: KubeObject = {
      apiVersion: 'argoproj.io/v1beta1',
      kind: 'ArgoCD',
      metadata: { name: 'main', namespace: 'argocd' },
      spec: given.spec ?? {},
    };
    const result = compose(
      validateSpec(argocd, () => 0),
      before,
    );
    for (const map of MAPS)
      expect(Object.fromEntries(result.data.get(map) ?? []), map).toEqual(textsOf(own(expected, map)));
    const conditions = conditionsOf(result);
    for (const [type, condition] of Object.entries(isObject(expected.conditions) ? expected.conditions : {})) {
      const { status, reason, message } = textsOf(condition);
      const found = conditions.find((each) => each.type === type);
      expect(found).toMatchObject({ status, ...(reason === undefined ? {} : { reason }) });
      if (message !== undefined) expect(found?.message).toMatch(pattern(message));
    }
  });
});

// The documents that users wrote by hand before; they lie beside a developer's checkout only.
const SEEDS = join(import.meta.dirname, '../../../../shared/seeds');
const seedFile = (number: string): string | undefined =>
  existsSync(SEEDS) ? readdirSync(SEEDS).find((file) => file.startsWith(number)) : undefined;

describe.skipIf(seedFile('000') === undefined)('the ArgoCD resources of the seeds (skipped without the seeds)', () => {
  it.each([
    { seed: '000', lines: [18, 34], keys: ['PersistentVolumeClaim'], fields: 'Known' },
    { seed: '000', lines: [143, 156], keys: ['serving.kserve.io_InferenceService'], fields: 'MisplacedField' },
    {
      seed: '003',
      lines: [272, 310],
      keys: ['serving.kserve.io_InferenceService', 'serving.kserve.io_ServingRuntime'],
      fields: 'Known',
    },
  ])('seed $seed, lines $lines', ({ seed, lines: [first = 0, last = 0], keys, fields }) => {
    const spec = readOneYaml(
      readFileSync(join(SEEDS, seedFile(seed) ?? ''), 'utf8')
        .split('\n')
        .slice(first - 1, last)
        .join('\n'),
      { dialect: 'kubernetes' },
    );
    const argocd: KubeObject = {
      apiVersion: 'argoproj.io/v1beta1',
      kind: 'ArgoCD',
      metadata: { name: 'main', namespace: 'argocd' },
      ...(isObject(spec) ? spec : {}),
    };
    const result = compose(
      validateSpec(argocd, () => 0),
      new Map(),
    );
    expect([...(result.data.get('argocd-cm')?.keys() ?? [])]).toEqual(
      keys.map((key) => `resource.customizations.health.${key}`),
    );
    const conditions = conditionsOf(result);
    expect(conditions.find(({ type }) => type === 'ChecksValid')).toMatchObject({ status: 'True', reason: 'Advice' });
    expect(conditions.find(({ type }) => type === 'FieldsKnown')).toMatchObject({ reason: fields });
  });
});
