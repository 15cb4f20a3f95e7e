import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readYaml } from '../model/yaml/index.js';
import type { Json } from '../model/json/index.js';
import { textReader } from './read/text-reader.js';
import type { Report } from './report/report.js';
import { createRuleSet } from './rules/rule-set.js';
import { SnapshotBuilder } from './read/snapshot-builder.js';
import type { Snapshot } from './snapshot/snapshot.js';
import { addGiven } from './testing/add-given.js';
import { expectedCauses } from './testing/expected-causes.js';
import { triage } from './report/triage.js';

const CASES = join(import.meta.dirname, 'cases');
const NOW = Date.parse('2026-11-16T12:00:00Z');

/** A YAML file has objects, events and logs; a text file what kubectl describes. */
function snapshotOf(file: string, text: string, arrange: (documents: readonly Json[]) => readonly Json[]): Snapshot {
  const builder = new SnapshotBuilder();
  if (extname(file) === '.txt') {
    const reader = textReader(builder, file, NOW);
    reader.push(Buffer.from(text));
    reader.end();
    return builder.build(builder.latest ?? NOW);
  }
  const documents = readYaml(text, { dialect: 'kubernetes' }).map(({ value }) => value);
  for (const value of arrange(documents)) addGiven(builder, value, file);
  return builder.build(NOW);
}

const triageOf = (snapshot: Snapshot): Report => triage(snapshot, { rules: createRuleSet, assess: () => undefined });

const objectsText = ({ objects }: Report['causes'][number]): string =>
  objects.map(({ kind, namespace, name }) => `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`).join(' + ');

/** One line for each cause: severity, rule, how sure, objects, field. */
const linesOf = ({ causes }: Report): string[] =>
  causes.map((cause) =>
    (
      `${cause.severity} ${cause.rule} ${cause.kind === 'fault' ? cause.confidence : cause.kind} ` +
      `${objectsText(cause)} | ${cause.field}`
    ).trimEnd(),
  );

/** One line for each field that a fix sets; a case lists them where they are what it is about. */
const editsOf = ({ causes }: Report): string[] =>
  causes.flatMap(({ fix }) =>
    (fix?.edits ?? []).map(
      ({ object: { kind, namespace, name }, path, change }) =>
        `${kind} ${namespace}/${name} ${path.join('.')} ` +
        (change.kind === 'remove' ? '' : JSON.stringify(change.value)),
    ),
  );

const expectedEdits = (text: string): string[] => [...text.matchAll(/^# edit: (.*)$/gm)].map(([, line = '']) => line);

describe('a snapshot has these causes and no others', () => {
  const files = readdirSync(CASES).sort();
  it.each(files.map((file) => [basename(file, extname(file)), file]))('%s', (_name, file) => {
    const text = readFileSync(join(CASES, file), 'utf8');
    const report = triageOf(snapshotOf(file, text, (documents) => documents));
    expect(linesOf(report)).toEqual(expectedCauses(text));
    const titles = report.causes.map(({ title }) => title).join('\n');
    for (const [, words = ''] of text.matchAll(/^# says: (.*)$/gm)) expect(titles).toContain(words);
    if (expectedEdits(text).length > 0) expect(editsOf(report)).toEqual(expectedEdits(text));
    const reversed = triageOf(snapshotOf(file, text, (documents) => [...documents].reverse()));
    expect(JSON.stringify(reversed)).toBe(JSON.stringify(report));
  });
});
