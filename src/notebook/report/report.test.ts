import { expect, it } from 'vitest';
import { ReportReader } from './report.js';
import { mergeResults } from './results.js';

it('a report of any size gives a status of bounded size with the failed cell', () => {
  const reader = new ReportReader('n');
  const say = (event: object): boolean => reader.take(`@argosy n ${JSON.stringify(event)}`);
  say({ event: 'start', kernel: 'k'.repeat(10_000), cells: 5000, codeCells: 5000 });
  for (let cell = 0; cell < 5000; cell++)
    say({
      event: 'cell',
      cell,
      cellType: 'code',
      status: cell === 4999 ? 'Failure' : 'Success',
      seconds: 1,
      output: 'x'.repeat(3000),
      errorMessage: cell === 4999 ? 'bad'.repeat(1000) : '',
    });
  say({
    event: 'end',
    status: 'failed',
    category: 'notebook_execution_failed',
    error: 'e'.repeat(100_000),
    failedCell: 4999,
    seconds: 1,
  });
  const results = mergeResults([], reader.report);
  expect(JSON.stringify(results).length).toBeLessThan(300_000);
  expect(results.at(-1)).toMatchObject({ cellIndex: 4999, status: 'Failure' });
  expect(JSON.stringify({ ...reader.report, results: [] }).length).toBeLessThan(5000);
});

it('stored results stay if a log has lost its beginning', () => {
  const reader = new ReportReader('n');
  reader.take('@argosy n {"event":"cell","cell":1,"cellType":"code","status":"Success","seconds":1}');
  expect(
    mergeResults([{ cellIndex: 0, status: 'Success', output: 'kept' }], reader.report).map(({ cellIndex, output }) => [
      cellIndex,
      output,
    ]),
  ).toEqual([
    [0, 'kept'],
    [1, undefined],
  ]);
});
