import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, own, readOneYaml, type Json, type JsonObject, type KubeObject } from '../../model/index.js';
import { compose, judge, type Data } from './compose.js';
import { conditionsOf } from './conditions.js';
import { MAPS, type MapName } from './entry.js';

const CASES = join(import.meta.dirname, 'cases');

const read = (name: string, file: string): JsonObject => {
  const value = readOneYaml(readFileSync(join(CASES, name, file), 'utf8'), { dialect: 'kubernetes', file });
  if (!isObject(value)) throw new Error(`${name}/${file} holds no object`);
  return value;
};
const textsOf = (value: Json | undefined): Record<string, string> => (isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)])) : {});

/** A star in what is expected stands for anything. */
const pattern = (text: string): RegExp => new RegExp(`^${text.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*')}$`);

describe('an ArgoCD object becomes ConfigMaps and conditions', () => {
  it.each(readdirSync(CASES))('%s', (name) => {
    const given = read(name, 'given.yaml');
    const expected = read(name, 'expect.yaml');
    const before = new Map<MapName, Data>(MAPS.map((map) => [map, new Map(Object.entries(textsOf(isObject(given.before) ? own(given.before, map) : undefined)))]));
    const argocd: KubeObject = { apiVersion: 'argoproj.io/v1beta1', kind: 'ArgoCD', metadata: { name: 'main', namespace: 'argocd' }, spec: given.spec ?? {} };
    const made = compose(judge(argocd, () => 0), before);
    for (const map of MAPS) expect(Object.fromEntries(made.data.get(map) ?? []), map).toEqual(textsOf(own(expected, map)));
    const conditions = conditionsOf(made);
    for (const [type, condition] of Object.entries(isObject(expected.conditions) ? expected.conditions : {})) {
      const { status, reason, message } = textsOf(condition);
      const found = conditions.find((each) => each.type === type);
      expect(found).toMatchObject({ status, ...(reason === undefined ? {} : { reason }) });
      if (message !== undefined) expect(found?.message).toMatch(pattern(message));
    }
  });
});
