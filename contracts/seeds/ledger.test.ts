import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDocument, unitsOf } from './document.js';
import { countRows, findUnproved, type Test } from './find-unproved.js';
import { matchRows } from './match-rows.js';
import { readRows, seedsWithRows, type Row } from './read-rows.js';
import { writePage } from './write-page.js';

const SAMPLE = [
  '# Title',
  '',
  '1. [One](#one)',
  '',
  '| a | b |',
  '| - | - |',
  '| 1 | `oc get pods -n shop` |',
  '',
  '**Fix Applied**: by hand',
  '- see `oc get pods -n shop`',
  '- [ ] all well',
  '```yaml',
  '# not a heading',
  '```',
  '  ```bash',
  '  # a comment',
  '  X=$(date)',
  '  for a in b; do',
  '    echo "$X"',
  '  done',
  '  ls | \\',
  '    wc',
  '  ```',
  '```',
  'kubectl get pods',
  'NAME',
  '```',
  '## Decision',
  '1. first',
];

describe('the ledger', () => {
  it.each(seedsWithRows())('every line of %s has a row, and every row a line', (seed) => {
    const rows = readRows(seed);
    console.log(`${seed}: ${countRows(rows)}`);
    expect(rows.map(({ from }) => from)).toEqual(rows.map(({ from }) => from).sort((a, b) => a - b));
    const lines = readDocument(seed);
    if (lines !== undefined) expect(matchRows(unitsOf(lines), rows)).toEqual([]);
  });

  it('docs/seeds.md is what `npm run ledger` writes', () => {
    expect(readFileSync(join(import.meta.dirname, '../../docs/seeds.md'), 'utf8')).toBe(writePage());
  });

  it('finds what wants a row in a document', () => {
    expect(unitsOf(SAMPLE).map(({ kind, from, to }) => `${from}-${to} ${kind}`)).toEqual([
      '1-1 heading',
      '3-3 item',
      '7-7 table-row',
      '9-9 recommendation',
      '10-10 command',
      '11-11 checklist',
      '12-14 code',
      '17-17 command',
      '18-20 command',
      '21-22 command',
      '24-27 code',
      '25-25 command',
      '28-28 heading',
      '29-29 decision',
    ]);
  });

  it('finds a line without a row, a row without a line, and a row for two', () => {
    const row = (from: number, to: number, kind: Row['kind']): Row => ({
      seed: '009',
      from,
      to,
      kind,
      says: 's',
      with: 'w',
      state: 'done',
      cases: [],
    });
    const rows = [
      row(1, 1, 'heading'),
      row(2, 2, 'heading'),
      row(17, 22, 'command'),
      row(3, 3, 'recommendation'),
      row(3, 3, 'item'),
    ];
    expect(matchRows(unitsOf(SAMPLE.slice(0, 23)), rows)).toEqual([
      '009:2 heading: the row points at nothing',
      '009:17-22 command: the row covers lines 17, 18, 21; each wants its own',
      '009:3 item: line 3 has two rows',
      '009:7 table-row has no row',
      '009:9 recommendation has no row',
      '009:10 command has no row',
      '009:11 checklist has no row',
      '009:12-14 code has no row',
    ]);
  });

  it('a row is proved by a case that ran: not by one that failed, was skipped or is not there', () => {
    const tests: Test[] = [
      { file: 'b.test.ts', fullName: 'skipped: b (no Go toolchain)', state: 'skipped' },
      { file: 'a.test.ts', fullName: 'group one', state: 'passed' },
      { file: 'a.test.ts', fullName: 'group two', state: 'failed' },
      { file: 'a.test.ts', fullName: 'group three', state: 'skipped' },
    ];
    const row = (from: number, ...parts: readonly string[]): Row => ({
      seed: '009',
      from,
      to: from,
      kind: 'item',
      says: 's',
      with: 'w',
      state: 'done',
      cases: parts.map((part) => ({ kind: 'test', file: 'a.test.ts', part })),
    });
    expect(
      findUnproved(
        [row(1, 'one'), row(2, 'two'), row(3, 'three'), row(4, 'four'), row(5, 'three', 'one'), row(6, 'one', 'four')],
        tests,
      ),
    ).toEqual({
      absent: [],
      wrong: [
        '009:2 item (s): "group two" of a.test.ts failed',
        '009:3 item (s): its case did not run: "group three" of a.test.ts',
        '009:4 item (s): there is no test "four" in a.test.ts',
        '009:6 item (s): there is no test "four" in a.test.ts',
      ],
    });
    const elsewhere: Row = { ...row(7), cases: [{ kind: 'test', file: 'b.test.ts', part: 'five' }] };
    expect(
      findUnproved(
        [elsewhere, { ...elsewhere, from: 8, to: 8, cases: [...elsewhere.cases, ...row(8, 'one').cases] }],
        tests,
      ),
    ).toEqual({
      wrong: [],
      absent: ['009:7 item (s): its case did not run: "skipped: b (no Go toolchain)" of b.test.ts'],
    });
  });

  const missing = seedsWithRows().filter((seed) => readDocument(seed) === undefined);
  if (missing.length > 0)
    it.skip(`skipped: lines of the documents ${missing.join(', ')} (../shared/seeds is not there)`, () => {
      /* the name says why */
    });
});
