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

/**
 * Rows without a case that ran, each with the reason: `wrong` must not be, `absent` could not run because something is
 * missing on this machine.
 */
export interface Unproved {
  readonly wrong: readonly string[];
  readonly absent: readonly string[];
}

export function findUnproved(rows: readonly Row[], tests: readonly Test[]): Unproved {
  const found = { wrong: [] as string[], absent: [] as string[] };
  for (const row of rows) {
    if (row.state === 'not-done') continue;
    const verdicts = row.cases.map((each) => outcomeOf(each, row, rows, tests));
    const told = (kind: CaseOutcome['kind']): string[] =>
      verdicts.flatMap((verdict) =>
        verdict.kind === kind && verdict.kind !== 'ran'
          ? [`${place(row)} ${row.kind} (${row.says}): ${verdict.why}`]
          : [],
      );
    found.wrong.push(...told('wrong'));
    // One that was skipped proves nothing, and does no harm beside one that ran.
    if (verdicts.some(({ kind }) => kind === 'wrong' || kind === 'ran')) continue;
    found.wrong.push(...told('idle'));
    if (told('idle').length === 0) found.absent.push(...told('absent'));
  }
  return found;
}

/** `absent`: its name says what is missing here; `idle`: nothing does. */
type CaseOutcome = { readonly kind: 'ran' } | { readonly kind: 'absent' | 'idle' | 'wrong'; readonly why: string };

const RAN: CaseOutcome = { kind: 'ran' };

function outcomeOf(one: Case, row: Row, rows: readonly Row[], tests: readonly Test[]): CaseOutcome {
  switch (one.kind) {
    case 'test':
      return outcomeOfTest(
        one,
        tests.filter(({ file }) => file === one.file),
      );
    case 'proof': {
      const last =
        readFileSync(join(ROOT, 'docs/proof', `${one.name}.jsonl`), 'utf8')
          .trim()
          .split('\n')
          .at(-1) ?? '';
      return /"ok":true/.test(last)
        ? RAN
        : { kind: 'wrong', why: `the last record of docs/proof/${one.name}.jsonl does not hold` };
    }
    case 'rows':
      // The rows themselves are judged one by one.
      return below(row, rows).some(({ state }) => state !== 'not-done')
        ? RAN
        : { kind: 'wrong', why: 'nothing below this heading is done' };
    default:
      return one satisfies never;
  }
}

function outcomeOfTest({ file, part }: Extract<Case, { kind: 'test' }>, ofFile: readonly Test[]): CaseOutcome {
  const found = ofFile.filter(({ fullName }) => fullName.includes(part));
  const failed = found.find(({ state }) => state === 'failed');
  if (failed) return { kind: 'wrong', why: `"${failed.fullName}" of ${file} failed` };
  if (found.some(({ state }) => state === 'passed')) return RAN;
  // A suite that cannot run has one test in place of all, whose name says what is missing.
  const skip = [...found, ...ofFile].find(({ state, fullName }) => state === 'skipped' && /\bskipped\b/.test(fullName));
  if (skip !== undefined) return { kind: 'absent', why: `its case did not run: "${skip.fullName}" of ${file}` };
  return found[0] === undefined
    ? { kind: 'wrong', why: `there is no test "${part}" in ${file}` }
    : { kind: 'idle', why: `its case did not run: "${found[0].fullName}" of ${file}` };
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
