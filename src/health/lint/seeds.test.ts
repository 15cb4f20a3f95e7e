import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, type Json } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { runHealthScript } from '../lua/run-health-script.js';
import { lintHealthScript } from './lint-health-script.js';

const SEEDS = join(import.meta.dirname, '../../../../shared/seeds');
const seedFile = (number: string): string | undefined =>
  existsSync(SEEDS) ? readdirSync(SEEDS).find((file) => file.startsWith(number)) : undefined;

interface SeedScript {
  readonly seed: string;
  /** First and last line of the script in the seed. */
  readonly lines: readonly [number, number];
  readonly group: string;
  readonly kind: string;
  readonly schema?: Json;
  /** Rule, severity and line in the seed. */
  readonly expected: readonly string[];
}

function notebookSchema(): Json {
  const crd = readOneYaml(readFileSync(join(import.meta.dirname, 'notebook-validation-job.yaml'), 'utf8'), {
    dialect: 'kubernetes',
  });
  return isObject(crd) ? crd : null;
}

const NOTEBOOK = { group: 'mlops.mlops.dev', kind: 'NotebookValidationJob' };
const KSERVE = 'serving.kserve.io';

const SCRIPTS: readonly SeedScript[] = [
  {
    seed: '000',
    lines: [23, 34],
    group: '',
    kind: 'PersistentVolumeClaim',
    expected: ['unguarded-nil warning 24', 'masks-failure error 25', 'unguarded-nil warning 32'],
  },
  { seed: '000', lines: [148, 151], group: KSERVE, kind: 'InferenceService', expected: ['masks-failure error 149'] },
  { seed: '002', lines: [70, 127], ...NOTEBOOK, expected: [] },
  { seed: '002', lines: [70, 127], ...NOTEBOOK, schema: notebookSchema(), expected: [] },
  { seed: '002', lines: [217, 274], ...NOTEBOOK, expected: [] },
  {
    seed: '002',
    lines: [217, 274],
    ...NOTEBOOK,
    schema: notebookSchema(),
    expected: ['dead-value warning 244', 'dead-value warning 245', 'dead-value warning 260'],
  },
  { seed: '003', lines: [277, 303], group: KSERVE, kind: 'InferenceService', expected: [] },
  { seed: '003', lines: [307, 310], group: KSERVE, kind: 'ServingRuntime', expected: ['masks-failure warning 308'] },
  {
    seed: '003',
    lines: [450, 453],
    group: KSERVE,
    kind: 'ClusterServingRuntime',
    expected: ['masks-failure warning 451'],
  },
  { seed: '003', lines: [462, 476], group: KSERVE, kind: 'TrainedModel', expected: [] },
];

describe('the health scripts of the seeds', () => {
  for (const {
    seed,
    lines: [first, last],
    group,
    kind,
    schema,
    expected,
  } of SCRIPTS) {
    const file = seedFile(seed);
    const name = `seed ${seed}, lines ${first}-${last}: ${kind}${schema === undefined ? '' : ' with its CRD'}`;
    it.skipIf(file === undefined)(file === undefined ? `${name} (skipped: the seeds are not here)` : name, () => {
      const text = readFileSync(join(SEEDS, file ?? ''), 'utf8')
        .split('\n')
        .slice(first - 1, last);
      const indent = Math.min(
        ...text.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
      );
      const found = lintHealthScript({
        source: text.map((line) => line.slice(indent)).join('\n'),
        name: `seed ${seed}`,
        group,
        kind,
        ...(schema === undefined ? {} : { schema }),
        options: {
          origin: { line: first, column: indent + 1 },
          evaluate: (source, object, { openLibs }) => runHealthScript(source, object, { openLibs, now: () => 0 }),
        },
      });
      expect(found.map(({ rule, severity, where }) => `${rule} ${severity} ${where.line}`)).toEqual(expected);
    });
  }
});
