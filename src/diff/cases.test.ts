import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { own, type JsonObject } from '../model/json/index.js';
import { readIgnoreRule, type IgnoreRule } from '../model/argo/index.js';
import { readOneYaml } from '../model/yaml/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import { compare, compileRules, confirm, respectIgnoreDifferences, type DiffRules, type RuleOptions } from './index.js';

const CASES = join(import.meta.dirname, 'cases');

function read(name: string, file: string): JsonObject | undefined {
  const path = join(CASES, name, file);
  return existsSync(path)
    ? (readOneYaml(readFileSync(path, 'utf8'), { dialect: 'kubernetes' }) as JsonObject)
    : undefined;
}

function rulesOf(raw: JsonObject = {}): DiffRules {
  const list = (key: string): IgnoreRule[] =>
    ((own(raw, key) ?? []) as JsonObject[]).map((rule, index) => readIgnoreRule(rule, `${key}[${index}]`));
  return compileRules({
    ...(raw as RuleOptions),
    ignoreDifferences: list('ignoreDifferences'),
    systemIgnoreDifferences: list('systemIgnoreDifferences'),
  });
}

/**
 * `compare`: what is found without the server. `confirm`: what is left after its dry run; without a prediction there is
 * none. `respected`: what RespectIgnoreDifferences applies. `problems`: what the rules complain about.
 */
describe.each(readdirSync(CASES))('%s', (name) => {
  const [target, live, predicted] = ['target.yaml', 'live.yaml', 'predicted.yaml'].map(
    (file) => read(name, file) as KubeObject | undefined,
  );
  const expected = read(name, 'expect.yaml') ?? {};

  it('is as expected', () => {
    const rules = rulesOf(read(name, 'rules.yaml'));
    const found = {
      compare: compare(target!, live!, rules),
      ...(predicted === undefined ? {} : { confirm: confirm(target!, live!, predicted, rules) }),
      ...(expected.respected === undefined ? {} : { respected: respectIgnoreDifferences(target!, live!, rules) }),
      ...(rules.problems.length === 0 ? {} : { problems: rules.problems }),
    };
    expect(found).toEqual(expected);
  });
});
