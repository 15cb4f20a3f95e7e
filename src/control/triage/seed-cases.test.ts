import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../triage/index.js';
import { collectFiles } from './collect-files.js';
import { triageWithCatalogue } from './testing/catalogue-triage.js';

// What the user's documents tell as problems, each as a dump in `given`: the document and its point are the beginning
// of the name.
const CASES = join(import.meta.dirname, 'seed-cases');

const objectsText = ({ objects }: Report['causes'][number]): string =>
  objects.map(({ kind, namespace, name }) => `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`).join(' + ');

/** One line for each cause, and one for its fix. */
const linesOf = ({ causes }: Report): string[] =>
  causes.flatMap((cause) => [
    `${cause.severity} ${cause.rule} ${cause.kind === 'fault' ? cause.confidence : cause.kind} ` +
      `${objectsText(cause)} | ${cause.field}`,
    ...(cause.fix === undefined ? [] : [`  fix: ${cause.fix.say.split('\n')[0] ?? ''}`]),
  ]);

describe('an issue of the documents is found from a snapshot, with a safe fix', () => {
  it.each(readdirSync(CASES).sort())('%s', async (folder) => {
    const report = triageWithCatalogue(
      await collectFiles([join(CASES, folder, 'given')], { now: Date.parse('2026-11-16T12:00:00Z') }),
    );
    expect(report.problems).toEqual([]);
    expect(linesOf(report)).toEqual(
      readFileSync(join(CASES, folder, 'expect.txt'), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    );
  });
});
