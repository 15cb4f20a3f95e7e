import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isArray } from '../model/json/index.js';
import { readOneYaml } from '../model/yaml/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import { aggregateHealth, type ManagedResource } from './aggregate.js';

interface Case {
  readonly name: string;
  readonly application?: KubeObject;
  readonly resources: readonly (ManagedResource & { readonly id: string })[];
  readonly status: string;
  readonly deciding: readonly string[];
}

const file = join(import.meta.dirname, 'cases/aggregate.yaml');
const read = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file });
const cases = (isArray(read) ? read : []) as unknown as Case[];

describe('the health of an application', () => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', (_, { resources, application, status, deciding }) => {
    const health = aggregateHealth(resources, application);
    expect({ status: health.status, deciding: health.deciding.map(({ id }) => id) }).toEqual({ status, deciding });
  });
});
