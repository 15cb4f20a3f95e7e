import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isArray, type Json, type JsonObject } from '../model/json/index.js';
import { readOneYaml } from '../model/yaml/index.js';
import { healthOverride, readOverrides } from './overrides.js';

interface Case {
  readonly name: string;
  readonly data: JsonObject;
  /** For `group/Kind`: the health script that judges it, and whether it has all libraries; null for none. */
  readonly health?: Record<string, { readonly script: string; readonly openLibs?: boolean } | null>;
  readonly problems?: readonly string[];
  readonly actions?: Json;
}

const file = join(import.meta.dirname, 'cases/overrides.yaml');
const read = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file });
const cases = (isArray(read) ? read : []) as unknown as Case[];

describe('the overrides in argocd-cm', () => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', (_, { data, health = {}, problems = [], actions }) => {
    const overrides = readOverrides(data);
    for (const [kind, expected] of Object.entries(health)) {
      const [group, name] = kind.includes('/') ? kind.split('/') : ['', kind];
      const found = healthOverride(overrides, group ?? '', name ?? '');
      expect(found === undefined ? null : { script: found.health, openLibs: found.useOpenLibs }).toEqual(
        expected === null ? null : { openLibs: false, ...expected },
      );
    }
    expect(overrides.problems.map(({ key, message }) => `${key}: ${message}`)).toEqual(problems);
    if (actions !== undefined)
      expect(Object.fromEntries([...overrides.byKind].map(([kind, override]) => [kind, override.actions]))).toEqual(
        actions,
      );
  });
});
