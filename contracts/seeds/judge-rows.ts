import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { place } from './match-rows.js';
import { STATES, type Case, type Row } from './read-rows.js';

const ROOT = join(import.meta.dirname, '../..');

/** One test, as a report or a list has it. */
export interface Test {
  /** From the root of the project. */
  readonly file: string;
  readonly fullName: string;
  readonly state: 'passed' | 'failed' | 'skipped';
}

/** Which rows are not proved by these tests, each with the reason. */
export function unproved(rows: readonly Row[], tests: readonly Test[]): string[] {
  return rows.flatMap((row) => {
    if (row.state === 'not-done') return [];
    const verdicts = row.cases.map((each) => verdictOf(each, row, rows, tests));
    const wrong = verdicts.filter((verdict) => verdict !== 'ran' && verdict !== 'skipped');
    const hasRun = verdicts.includes('ran');
    const reasons = [...wrong, ...(hasRun || wrong.length > 0 ? [] : ['none of its cases ran, all were skipped'])];
    return reasons.map((reason) => `${place(row)} ${row.kind} (${row.says}): ${reason}`);
  });
}

function verdictOf(one: Case, row: Row, rows: readonly Row[], tests: readonly Test[]): string {
  switch (one.kind) {
    case 'test': {
      const found = tests.filter(({ file, fullName }) => file === one.file && fullName.includes(one.part));
      if (found.length === 0) return `there is no test "${one.part}" in ${one.file}`;
      const failed = found.find(({ state }) => state === 'failed');
      if (failed) return `"${failed.fullName}" of ${one.file} failed`;
      return found.some(({ state }) => state === 'passed') ? 'ran' : 'skipped';
    }
    case 'proof': {
      const last = readFileSync(join(ROOT, 'docs/proof', `${one.name}.jsonl`), 'utf8').trim().split('\n').at(-1) ?? '';
      return /"ok":true/.test(last) ? 'ran' : `the last record of docs/proof/${one.name}.jsonl does not hold`;
    }
    case 'rows':
      // The rows themselves are judged one by one.
      return below(row, rows).some(({ state }) => state !== 'not-done') ? 'ran' : 'nothing below this heading is done';
    default:
      return one satisfies never;
  }
}

/** The rows between a heading and the next one; for a heading over headings, of those. */
function below(heading: Row, rows: readonly Row[]): Row[] {
  const own = rows.filter((row) => row !== heading && row.from > heading.from);
  const next = own.findIndex(({ kind }) => kind === 'heading');
  const section = next < 0 ? own : own.slice(0, next);
  return section.length > 0 ? section : own.slice(0, 1);
}

/** The three counts, as they are printed. */
export function countRows(rows: readonly Row[]): string {
  const [done, better, notDone] = STATES.map((state) => rows.filter((row) => row.state === state).length);
  return `${rows.length} rows: ${done} done, ${better} done better, ${notDone} not done`;
}
