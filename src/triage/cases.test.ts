import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readYaml } from '../model/yaml/index.js';
import type { Json } from '../model/json/index.js';
import { textReader } from './read/text-reader.js';
import type { Report } from './report/report.js';
import { createRuleSet } from './rules/rule-set.js';
import { SnapshotBuilder } from './read/snapshot-builder.js';
import type { Snapshot } from './snapshot/snapshot.js';
import { addGiven } from './testing/add-given.js';
import { triage } from './report/triage.js';

const CASES = join(import.meta.dirname, 'cases');
const NOW = Date.parse('2026-11-16T12:00:00Z');

/** `given.yaml` has objects, events and logs; `given.txt` what kubectl describes. */
function snapshotOf(folder: string, arrange: (documents: readonly Json[]) => readonly Json[]): Snapshot {
  const builder = new SnapshotBuilder();
  const text = join(CASES, folder, 'given.txt');
  if (existsSync(text)) {
    const reader = textReader(builder, 'given.txt');
    reader.push(readFileSync(text));
    reader.end();
  }
  const yaml = join(CASES, folder, 'given.yaml');
  const documents = existsSync(yaml)
    ? readYaml(readFileSync(yaml, 'utf8'), { dialect: 'kubernetes' }).map(({ value }) => value)
    : [];
  for (const value of arrange(documents)) addGiven(builder, value, folder);
  return builder.build(NOW);
}

const judged = (snapshot: Snapshot): Report => triage(snapshot, { rules: createRuleSet, assess: () => undefined });

const objectsText = ({ objects }: Report['causes'][number]): string =>
  objects.map(({ kind, namespace, name }) => `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`).join(' + ');

/** One line for each cause: severity, rule, how sure, objects, field. */
const linesOf = ({ causes }: Report): string[] =>
  causes.map(
    (cause) =>
      `${cause.severity} ${cause.rule} ${cause.kind === 'fault' ? cause.confidence : cause.kind} ` +
      `${objectsText(cause)} | ${cause.field}`,
  );

describe('a snapshot has these causes and no others', () => {
  it.each(readdirSync(CASES).sort())('%s', (folder) => {
    const expected = readFileSync(join(CASES, folder, 'expect.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const report = judged(snapshotOf(folder, (documents) => documents));
    expect(linesOf(report)).toEqual(expected);
    const turned = judged(snapshotOf(folder, (documents) => [...documents].reverse()));
    expect(JSON.stringify(turned)).toBe(JSON.stringify(report));
  });
});
