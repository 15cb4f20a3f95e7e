import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isArray } from '../model/json/index.js';
import { readOneYaml } from '../model/yaml/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import { createAssessor } from './assess.js';
import { readCatalogue } from './catalogue/catalogue.js';
import { readOverrides } from './overrides.js';

interface Case {
  readonly name: string;
  readonly script: string;
  /** Part of the message. */
  readonly says: string;
}

const file = join(import.meta.dirname, 'cases/hostile-checks.yaml');
const read = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file });
const cases = (isArray(read) ? read : []) as unknown as Case[];
const nested = (open: string, close: string): Case => ({
  name: `${open} a hundred thousand deep`,
  script: `return ${open.repeat(100_000)}1${close.repeat(100_000)}`,
  says: '',
});
const all = [
  ...cases,
  nested('(', ')'),
  nested('{', '}'),
  nested('not ', ''),
  nested('function() return ', ' end'),
  nested('- ', ''),
];

const object = (): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'thing' },
  list: [1],
  status: { phase: 'Ready' },
});
const GOOD = 'return { status = "Healthy", message = string.format("%s %d", obj.status.phase, #obj.list) }';

function assess(script: string, subject: KubeObject): ReturnType<ReturnType<typeof createAssessor>['assess']> {
  const overrides = readOverrides({
    'resource.customizations.health.example.com_Thing': script,
    'resource.customizations.useOpenLibs.example.com_Thing': 'true',
  });
  return createAssessor({ catalogue: readCatalogue([]), overrides, now: () => 0 }).assess(subject);
}

const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype].map((prototype) => ({
  prototype,
  names: Object.getOwnPropertyNames(prototype).sort().join(),
}));

describe('a hostile check', () => {
  it.each(all.map((each) => [each.name, each] as const))('%s', (_, { script, says }) => {
    const subject = object();
    const started = process.memoryUsage().rss;
    const verdict = assess(script, subject);
    expect(verdict).toMatchObject({ status: 'Unknown' });
    expect(verdict?.message).toContain(says);
    expect(process.memoryUsage().rss - started).toBeLessThan(256 * 1024 * 1024);
    // The object, the host and the next check are as before.
    expect(subject).toEqual(object());
    for (const { prototype, names } of prototypes)
      expect(Object.getOwnPropertyNames(prototype).sort().join()).toBe(names);
    expect(assess(GOOD, subject)).toMatchObject({ status: 'Healthy', message: 'Ready 1' });
  });
});
