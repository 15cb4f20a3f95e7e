import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import { SnapshotBuilder, toHtml, toMarkdown, toSarif, toTerminal, type Report } from '../../triage/index.js';
import { triageWithCatalogue } from './testing/catalogue-triage.js';
import { spoil } from './testing/spoil.js';

const CASES = join(import.meta.dirname, '../../triage/cases');
const cases = readdirSync(CASES)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => basename(file, '.yaml'));
/** `npm run prove -- whole-suites` takes more. */
const TURNS = process.env['ARGOSY_SIZE'] === 'whole' ? 12 : 1;
const NOW = Date.parse('2026-11-16T12:00:00Z');

function triaged(objects: readonly Json[]): Report {
  const builder = new SnapshotBuilder();
  for (const object of objects) if (isObject(object) && object.log === undefined) builder.add(object, 'test');
  return triageWithCatalogue(builder.build(NOW));
}

/** Numbers from 0 up to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

describe('malformed objects', () => {
  it.each(cases)('%s, spoiled', (name) => {
    const documents = readYaml(readFileSync(join(CASES, `${name}.yaml`), 'utf8'), { dialect: 'kubernetes' }).map(
      ({ value }) => value,
    );
    const random = numbers(name.length * 7919);
    for (let turn = 0; turn < TURNS; turn++) {
      const report = triaged(spoil(documents, random));
      expect(report.problems.filter((problem) => problem.includes('only partly evaluated'))).toEqual([]);
      for (const text of [toTerminal(report), toMarkdown(report), toHtml(report), JSON.stringify(toSarif(report, '1'))])
        expect(text).not.toContain('\u001b');
    }
  });

  it('an object that a rule cannot read is reported, and the others are evaluated', () => {
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Nearly' }] } },
      status: { conditions: [{ type: 'DisruptionAllowed', status: 'False' }], desiredHealthy: 1, currentHealthy: 0 },
    };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { nodeName: 'n', containers: [{ name: 'app', image: 'x:1' }] },
      status: {
        phase: 'Pending',
        containerStatuses: [
          { name: 'app', state: { waiting: { reason: 'ErrImagePull', message: 'manifest unknown' } } },
        ],
      },
    };
    expect(triaged([budget, pod]).causes.map(({ rule }) => rule)).toContain('E01');
  });
});

describe('owners', () => {
  const owned = (name: string, by: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: by, uid: by }] },
    spec: { nodeName: 'n', containers: [{ name: 'app', image: 'x:1' }] },
    status: {
      phase: 'Pending',
      containerStatuses: [{ name: 'app', state: { waiting: { reason: 'ErrImagePull', message: 'manifest unknown' } } }],
    },
  });

  it('in a cycle end the search', () => {
    expect(triaged([owned('a', 'b'), owned('b', 'c'), owned('c', 'a'), owned('self', 'self')]).causes[0]?.rule).toBe(
      'E01',
    );
  });

  it('in a chain of ten thousand are followed up to a limit', () => {
    expect(
      triaged(Array.from({ length: 10_000 }, (_, index) => owned(`p${index}`, `p${index + 1}`))).causes[0]?.rule,
    ).toBe('E01');
  });
});
