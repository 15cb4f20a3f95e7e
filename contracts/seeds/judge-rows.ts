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
    const wrong = verdicts.filter(({ kind }) => kind === 'wrong');
    // One that was skipped proves nothing, and does no harm beside one that ran.
    const counted = wrong.length > 0 || verdicts.some(({ kind }) => kind === 'ran') ? wrong : verdicts;
    return counted.map((verdict) => `${place(row)} ${row.kind} (${row.says}): ${verdict.kind === 'ran' ? '' : verdict.why}`);
  });
}

type Verdict = { readonly kind: 'ran' } | { readonly kind: 'skipped' | 'wrong'; readonly why: string };

const RAN: Verdict = { kind: 'ran' };

function verdictOf(one: Case, row: Row, rows: readonly Row[], tests: readonly Test[]): Verdict {
  switch (one.kind) {
    case 'test': return verdictOfTest(one, tests.filter(({ file }) => file === one.file));
    case 'proof': {
      const last = readFileSync(join(ROOT, 'docs/proof', `${one.name}.jsonl`), 'utf8').trim().split('\n').at(-1) ?? '';
      return /"ok":true/.test(last) ? RAN : { kind: 'wrong', why: `the last record of docs/proof/${one.name}.jsonl does not hold` };
    }
    case 'rows':
      // The rows themselves are judged one by one.
      return below(row, rows).some(({ state }) => state !== 'not-done') ? RAN : { kind: 'wrong', why: 'nothing below this heading is done' };
    default:
      return one satisfies never;
  }
}

function verdictOfTest({ file, part }: Extract<Case, { kind: 'test' }>, ofFile: readonly Test[]): Verdict {
  const found = ofFile.filter(({ fullName }) => fullName.includes(part));
  const failed = found.find(({ state }) => state === 'failed');
  if (failed) return { kind: 'wrong', why: `"${failed.fullName}" of ${file} failed` };
  if (found.some(({ state }) => state === 'passed')) return RAN;
  // A suite that cannot run has one test in place of all, whose name says what is missing.
  const skip = [...found, ...ofFile].find(({ state, fullName }) => state === 'skipped' && /\bskipped\b/.test(fullName)) ?? found[0];
  return skip === undefined ? { kind: 'wrong', why: `there is no test "${part}" in ${file}` } : { kind: 'skipped', why: `its case did not run: "${skip.fullName}" of ${file}` };
}

/** The rows between a heading and the next one; for a heading over headings, of those. */
function below(heading: Row, rows: readonly Row[]): Row[] {
  const own = rows.filter((row) => row.seed === heading.seed && row.from > heading.from);
  const next = own.findIndex(({ kind }) => kind === 'heading');
  const section = next < 0 ? own : own.slice(0, next);
  return section.length > 0 ? section : own.slice(0, 1);
}

/** The three counts, as they are printed. */
export function countRows(rows: readonly Row[]): string {
  const [done, better, notDone] = STATES.map((state) => rows.filter((row) => row.state === state).length);
  return `${rows.length} rows: ${done} done, ${better} done better, ${notDone} not done`;
}
