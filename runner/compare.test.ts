import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { last, notebookText, runNotebook, type Cell } from './testing/run-notebook.js';

/** What compare.py makes of texts under a configuration. */
function python(program: string, input: unknown): unknown {
  const head =
    'import json, sys\nsys.path.insert(0, sys.argv[1])\nfrom compare import Comparison\ngiven = json.load(sys.stdin)\n';
  return JSON.parse(
    execFileSync('python3', ['-B', '-c', `${head}print(json.dumps(${program}))`, join(import.meta.dirname)], {
      input: JSON.stringify(input),
      encoding: 'utf8',
    }),
  );
}

it.each([
  ['1e-4', '3.14159265', '3.1416'],
  ['1e-4', '1.23e-5', '0.0000'],
  ['1e-4', '-0.00123', '-0.0012'],
  ['1e-3', '1.23456, 7.89012', '1.235, 7.890'],
  ['1e-3', 'Time: 2024-01-15 10:30:00, Accuracy: 0.95678', 'Time: [TIMESTAMP], Accuracy: 0.957'],
  ['1e-4', 'at 2024-01-15T10:30:00Z,  took 1.25s\n id 1700000000', 'at [TIMESTAMP], took [TIMESTAMP] id [TIMESTAMP]'],
  ['1e-4', '<Axes at 0x7f3c2c1d5e80>', '<Axes at [ADDRESS]>'],
  ['0', '3.14159265', '3.14159265'],
])('with tolerance %s the text %s counts as %s', (floatingPointTolerance, text, expected) => {
  expect(
    python('Comparison(given["config"]).normalise(given["text"])', { config: { floatingPointTolerance }, text }),
  ).toBe(expected);
});

it.each([
  ['numbers as far apart as the tolerance', '1e-3', 'loss 0.1234', 'loss 0.1244', true],
  ['numbers further apart', '1e-3', 'loss 0.1234', 'loss 0.1246', false],
  ['whole numbers', '0.5', 'epoch 3', 'epoch 4', false],
  ['other words', '1e-3', 'loss 0.1', 'gain 0.1', false],
  ['long fractions are not timestamps', '1e-9', '0.12345678901', '0.22345678901', false],
] as const)('compares %s', (_, floatingPointTolerance, left, right, same) => {
  expect(
    python('Comparison(given["config"]).same(given["left"], given["right"])', {
      config: { floatingPointTolerance },
      left,
      right,
    }),
  ).toBe(same);
});

const stream = (text: string): object => ({ output_type: 'stream', name: 'stdout', text });
const value = (text: string, more: object = {}): object => ({
  output_type: 'execute_result',
  execution_count: 1,
  metadata: {},
  data: { 'text/plain': text, ...more },
});

describe('a golden notebook', () => {
  const compare = async (
    cells: readonly Cell[],
    golden: readonly Cell[],
    comparison: object = {},
  ): Promise<{ code: number; error: unknown; result: Record<string, unknown> }> => {
    const run = await runNotebook(notebookText(cells), { plain: true, golden: notebookText(golden), comparison });
    return {
      code: run.code,
      error: last(run)['error'],
      result: run.events.find(({ event }) => event === 'comparison') ?? {},
    };
  };

  it('matches the executed notebook apart from stream chunks and times', async () => {
    const { code, result } = await compare(
      [{ md: 'Title' }, 'print("a")\nprint("at 2024-01-15 10:30:00")', '0.123456'],
      [
        { md: 'Title' },
        { code: 'x', count: 7, outputs: [stream('a\n'), stream('at 2031-12-01 00:00:00\n')] },
        { code: 'y', outputs: [value('0.12349')] },
      ],
    );
    expect([code, result]).toEqual([
      0,
      {
        event: 'comparison',
        strategy: 'normalized',
        result: 'matched',
        totalCells: 3,
        matchedCells: 3,
        mismatchedCells: 0,
        diffs: [],
      },
    ]);
  });

  it('differs in a value, and says what was expected', async () => {
    const { code, error, result } = await compare(
      ['41 + 1', 'print("same")'],
      [
        { code: '41 + 1', outputs: [value('43')] },
        { code: '', outputs: [stream('same\n')] },
      ],
    );
    expect(code).toBe(1);
    expect(error).toBe('golden notebook comparison failed (1/2 cells matched)');
    expect(result).toMatchObject({
      result: 'failed',
      diffs: [
        {
          cellIndex: 0,
          cellType: 'code',
          diffType: 'output_mismatch',
          expected: '43',
          actual: '42',
          diff: '--- expected\n+++ actual\n- 43\n+ 42',
          severity: 'minor',
        },
      ],
    });
  });

  it('has other cells, texts, pictures, types and counts', async () => {
    const { result } = await compare(
      [
        { md: 'Now' },
        '1',
        'class Table:\n    def _repr_html_(self): return "<b>1</b>"\n    def __repr__(self): return "table"\nTable()',
        'print("x")',
        '5',
      ],
      [
        { md: 'Then' },
        { code: '', outputs: [stream('1\n')] },
        { code: '', outputs: [value('table', { 'text/html': '<b>2</b>' })] },
        { code: '', count: 4, outputs: [stream('x\n')] },
      ],
      { ignoreExecutionCount: false },
    );
    expect(
      (result['diffs'] as { cellIndex: number; diffType: string; severity: string }[]).map(
        ({ cellIndex, diffType, severity }) => `${cellIndex} ${diffType} ${severity}`,
      ),
    ).toEqual([
      '0 output_mismatch major',
      '1 output_mismatch minor',
      '2 output_mismatch minor',
      '3 output_mismatch minor',
      '4 extra_cell critical',
    ]);
  });

  it('can ignore kinds of output, and be exact', async () => {
    const golden: Cell[] = [{ code: '', outputs: [value('2')] }];
    expect((await compare(['print("chatter")\n1 + 1'], golden, { ignoreOutputTypes: ['stream'] })).code).toBe(0);
    expect((await compare(['print("a  b")'], [{ code: '', outputs: [stream('a b\n')] }])).code).toBe(0);
    const exact = await compare(['print("a  b")'], [{ code: '', outputs: [stream('a b\n')] }], { strategy: 'exact' });
    expect(exact.result).toMatchObject({ strategy: 'exact', result: 'failed', diffs: [{ severity: 'minor' }] });
  });

  it('with more cells than were executed does not match', async () => {
    const { result } = await compare(['1'], [{ code: '1', outputs: [value('1')] }, { md: 'more' }]);
    expect(result).toMatchObject({
      totalCells: 1,
      matchedCells: 1,
      mismatchedCells: 1,
      diffs: [{ cellIndex: 1, cellType: 'markdown', diffType: 'missing_cell', severity: 'critical' }],
    });
  });
});
