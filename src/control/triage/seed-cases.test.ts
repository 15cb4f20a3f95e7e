import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCatalogue } from '../../health/index.js';
import { isArray, isObject, readYaml, type Json } from '../../model/index.js';
import { SnapshotBuilder, type Report } from '../../triage/index.js';
import { openTriage } from './open-triage.js';

// What the user's documents tell as problems, each as a snapshot: the document and its point are the beginning of the name.
const CASES = join(import.meta.dirname, 'seed-cases');
const CATALOGUE = join(import.meta.dirname, '../../../catalogue');
const files = readdirSync(CATALOGUE, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(yaml|lua)$/.test(path) && !path.endsWith('.cases.yaml'));
const judge = openTriage(openCatalogue(files.map((path) => ({ path, text: readFileSync(join(CATALOGUE, path), 'utf8') }))), () => 0);

/** Objects, events, and logs as `{log: {namespace, pod, container, lines}}`. */
function reportOf(folder: string): Report {
  const builder = new SnapshotBuilder();
  for (const { value } of readYaml(readFileSync(join(CASES, folder, 'given.yaml'), 'utf8'), { dialect: 'kubernetes' })) {
    const log = isObject(value) ? value.log : undefined;
    if (isObject(log)) builder.addLog({ namespace: text(log.namespace), pod: text(log.pod), container: text(log.container), previous: false, lines: isArray(log.lines) ? log.lines.map(text) : [] });
    else if (isObject(value)) builder.add(value, folder);
  }
  return judge(builder.build(Date.parse('2026-11-16T12:00:00Z')));
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** One line for each cause, and one for its fix. */
const linesOf = ({ causes }: Report): string[] => causes.flatMap((cause) => [
  `${cause.severity} ${cause.rule} ${cause.kind === 'fault' ? cause.confidence : cause.kind} ${cause.objects.map(({ kind, namespace, name }) => `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`).join(' + ')} | ${cause.field}`,
  ...(cause.fix === undefined ? [] : [`  fix: ${cause.fix.say.split('\n')[0] ?? ''}`]),
]);

describe('a problem of the documents is found from a snapshot, with a fix that is safe', () => {
  it.each(readdirSync(CASES).sort())('%s', (folder) => {
    expect(linesOf(reportOf(folder))).toEqual(readFileSync(join(CASES, folder, 'expect.txt'), 'utf8').split('\n').filter((line) => line !== ''));
  });
});
