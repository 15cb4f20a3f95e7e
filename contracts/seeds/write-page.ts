import { countRows } from './find-unproved.js';
import { readRows, seedsWithRows, type Case, type Row } from './read-rows.js';

/** What the documents are about. */
const SUBJECTS: Readonly<Record<string, string>> = {
  '000': 'lessons of a first deployment',
  '001': 'applications brought back in line with git',
  '002': 'notebooks delivered by Argo CD',
  '003': 'a health check for model servers',
  '004': 'an inventory of what is broken on a platform',
};

const STATE_WORDS = { done: 'done', better: 'better', 'not-done': 'not done' } as const;

/** The page of the ledger, docs/seeds.md. */
export function writePage(documents: readonly string[] = seedsWithRows()): string {
  const seeds = documents.map((seed) => ({ seed, rows: readRows(seed) }));
  const all = seeds.flatMap(({ rows }) => rows);
  return [
    '# The ledger',
    '',
    'Five documents in which people wrote down what they met with Argo CD began this project. Every ' +
      'heading, table row, block of code, command, checklist box, recommendation',
    'and decision of them has a row here, by its lines: what it asks for in our words, what does it here, ' +
      'and the case that proves it.',
    '*better* means that what the document does is wrong or unsafe, with the reason and what is done ' +
      'instead; *not done* says why not.',
    '',
    'Written by `npm run ledger` from `cases/seeds`; a test fails where this page is older than the rows, ' +
      'where a line of a document has no row, or a row no line.',
    '`npm test` ends with the three counts, and fails for a row without a case that ran; where something is ' +
      'missing on a machine, the rows that wait for it are named. Commands are played by `contracts/seeds`, ' +
      "ours always and the documents' own where they are on the machine.",
    '',
    `${countRows(all)}.`,
    '',
    '| document | about | rows |',
    '| --- | --- | --- |',
    ...seeds.map(({ seed, rows }) => `| [${seed}](#${seed}) | ${SUBJECTS[seed] ?? ''} | ${countRows(rows)} |`),
    '',
    ...seeds.flatMap(({ seed, rows }) => [
      `## ${seed}`,
      '',
      '| lines | kind | asks for | with | state | proved by |',
      '| --- | --- | --- | --- | --- | --- |',
      ...rows.map(lineOf),
      '',
    ]),
  ].join('\n');
}

function lineOf(row: Row): string {
  const lines = row.from === row.to ? String(row.from) : `${row.from}-${row.to}`;
  const state = row.why === undefined ? STATE_WORDS[row.state] : `${STATE_WORDS[row.state]}: ${row.why}`;
  return (
    '| ' +
    [lines, row.kind, row.says, row.with, state, row.cases.map(caseText).join('; ')].map(inCell).join(' | ') +
    ' |'
  );
}

function caseText(one: Case): string {
  switch (one.kind) {
    case 'test':
      return `${one.file}: ${one.part}`;
    case 'proof':
      return `docs/proof/${one.name}.jsonl`;
    case 'rows':
      return 'the rows below';
    default:
      return one satisfies never;
  }
}

/** A cell is one line, and a bar in it is no border. */
function inCell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
