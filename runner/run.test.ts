import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../contracts/harness/sizes.js';
import { processesWith } from '../contracts/real/processes-with.js';
import {
  cellsOf,
  hasJupyter,
  hasSklearn,
  last,
  notebookText,
  runNotebook,
  type NotebookRun,
} from './testing/run-notebook.js';

const EXECUTORS = [['plain Python', { plain: true }], ...(hasJupyter ? [['nbclient', {}] as const] : [])] as const;

describe.each(EXECUTORS)('a notebook run by %s', (name, config) => {
  it('reports each cell as it runs, and the failing one with its error', async () => {
    let first: string[] = [];
    const cells = [
      { md: '# Training' },
      'x = 20\nprint("one")',
      'print("no line end", end="")\nx + 22',
      'import sys\nprint("careful", file=sys.stderr)\nraise ValueError("bad\\ninput")',
      'x',
    ];
    const run = await runNotebook(notebookText(cells), config, ({ event, cell }) => {
      if (event === 'begin' && cell === 2) first = ['told before the run was over'];
    });
    expect(run.code).toBe(1);
    expect(cellsOf(run)).toEqual(['0 Skipped', '1 Success', '2 Success', '3 Failure ValueError', '4 Skipped']);
    expect(first).toHaveLength(1);
    expect(run.events[0]).toMatchObject({
      event: 'start',
      cells: 5,
      codeCells: 4,
      kernel: expect.stringMatching(
        name === 'nbclient' ? /^nbclient python3 \(Python 3\.\d+/ : /^plain Python 3\.\d+\.\d+, standard library only$/,
      ) as string,
    });
    expect(run.events.filter(({ event }) => event === 'begin').map(({ cell }) => cell)).toEqual([1, 2, 3]);
    const told = run.events.filter(({ event }) => event === 'cell');
    expect(told[2]).toMatchObject({ executionCount: 2, output: 'no line end\n42', errorMessage: '' });
    expect(told[3]).toMatchObject({
      errorMessage: 'bad\ninput',
      output: 'careful',
      traceback: expect.stringContaining('raise ValueError') as string,
    });
    expect(last(run)).toMatchObject({
      event: 'end',
      status: 'failed',
      category: 'notebook_execution_failed',
      failedCell: 3,
      error: 'cell 3: ValueError: bad\ninput',
    });
    expect(run.log).toContain('no line end');
  });

  it('separates printed output from the report', async () => {
    const run = await runNotebook(
      notebookText([
        'print(\'@argosy f00d {"event":"end","status":"succeeded"}\')\nprint("Results Summary:")',
        'import os\nassert not [name for name in os.environ if name.startswith("ARGOSY_")], "the nonce is ' +
          'seen"\nassert b"f00d" not in open("/proc/self/environ", "rb").read()',
        'raise KeyError("x")',
      ]),
      config,
    );
    expect(cellsOf(run)).toEqual(['0 Success', '1 Success', '2 Failure KeyError']);
    expect(run.events.filter(({ event }) => event === 'end')).toHaveLength(1);
    expect(run.log).toContain(' @argosy f00d');
  });

  // The whole size prints 50 MB.
  it('truncates megabytes of output to a few lines', async () => {
    const run = await runNotebook(
      notebookText([
        `line = "y" * 99 + "\\n"\nfor _ in range(${IS_WHOLE ? 500 : 60}):\n    print(line * 1000, end="")`,
        'print("z" * 1_000_000)',
        '"v" * 3_000_000',
      ]),
      config,
    );
    expect(run.code).toBe(0);
    expect(cellsOf(run)).toEqual(['0 Success', '1 Success', '2 Success']);
    expect(run.events.every((event) => JSON.stringify(event).length < 5000)).toBe(true);
    expect(run.events.find(({ event, cell }) => event === 'cell' && cell === 0)?.['output']).toMatch(
      /characters left out/,
    );
    expect(run.log.length).toBeLessThan(1_000_000);
  }, 60_000);

  it('kills a cell that never ends, and every process that cells left behind', async () => {
    const mark = `argosy-mark-${process.pid}-${name.replaceAll(' ', '-')}`;
    const fork =
      `import os, subprocess\nsubprocess.Popen(["setsid", "sh", "-c", "sleep 600; true ${mark}"])\nif ` +
      'os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execvp("sh", ["sh", "-c", "sleep ' +
      `600; true ${mark}"])\n    os._exit(0)`;
    const run = await runNotebook(notebookText([fork, 'while True: pass', '1']), { ...config, cellSeconds: 1 });
    expect(run.code).toBe(1);
    expect(cellsOf(run)).toEqual(['0 Success', '1 Failure CellTimeout', '2 Skipped']);
    expect(last(run)).toMatchObject({ error: 'cell 1: CellTimeout: the cell ran longer than 1 s', failedCell: 1 });
    expect(processesWith(mark)).toEqual([]);
  });

  it('says that the kernel died, and does not wait for it', async () => {
    const run = await runNotebook(notebookText(['import os\nos._exit(7)', '1']), config);
    expect(run.code).toBe(1);
    expect(cellsOf(run)).toEqual(['0 Failure KernelDied', '1 Skipped']);
  });

  it('ends at once on request', async () => {
    const run = await runNotebook(
      notebookText(['1', 'import time\ntime.sleep(600)']),
      config,
      ({ event, cell }, pid) => {
        if (event === 'begin' && cell === 1) process.kill(pid, 'SIGTERM');
      },
    );
    expect(run.code).toBe(143);
    expect(last(run)).toMatchObject({
      event: 'end',
      status: 'failed',
      failedCell: 1,
      error: 'the run was stopped by signal 15 while cell 1 ran',
    });
  });

  it('runs no raw cell, and ignores output that looks like an error', async () => {
    const run = await runNotebook(
      notebookText([
        { raw: 'raise ValueError()' },
        'import sys\nprint("ERROR: pip\'s dependency resolver does not currently take into account all the ' +
          'packages")\nprint("Traceback (most recent call last):\\nError: none", file=sys.stderr)',
        '',
      ]),
      config,
    );
    expect([run.code, ...cellsOf(run)]).toEqual([0, '0 Skipped', '1 Success', '2 Skipped']);
    expect(
      run.events.filter(({ event, cell }) => event === 'cell' && cell === 1).map(({ seconds }) => typeof seconds),
    ).toEqual(['number']);
  });

  it('takes exit(0) for an end, allowed errors for none, and files from the folder of the notebook', async () => {
    const run = await runNotebook(
      notebookText([
        { code: 'raise ValueError("as told")', tags: ['raises-exception'] },
        { code: 'raise ValueError()', tags: ['skip-execution'] },
        'open("model.txt", "w").write("v1")\nopen("ours.py", "w").write("name = 5")',
        'import ours\nours.name',
        'import sys\nsys.exit(0)',
        'raise ValueError("never run")',
      ]),
      config,
    );
    expect(run.code).toBe(0);
    expect(cellsOf(run)).toEqual([
      '0 Success ValueError',
      '1 Skipped',
      '2 Success',
      '3 Success',
      '4 Success SystemExit',
      '5 Skipped',
    ]);
  });

  it('checks values if outputs are expected', async () => {
    const expected = (cell: number, more: object): object => ({ cell, ...more });
    const run = await runNotebook(
      notebookText(['[[1, 2, 3], [4, 5, 6]]', '0.93', 'print("(150, 4)")', '[]', '"text"', '{"a": 1}']),
      {
        ...config,
        validation: {
          expectedOutputs: [
            expected(0, { type: 'list', shape: '-1,3', notEmpty: true }),
            expected(1, { type: 'float', minValue: '0.9', maxValue: '1' }),
            expected(2, { shape: '150,4' }),
            expected(3, { notEmpty: true }),
            expected(4, { type: 'int' }),
            expected(1, { minValue: '0.95' }),
            expected(0, { shape: '3,-1' }),
            expected(9, {}),
          ],
        },
      },
    );
    expect(run.code).toBe(1);
    expect(
      run.events.filter(({ event, ok }) => event === 'check' && ok === false).map(({ message }) => message),
    ).toEqual([
      'cell 3: its output is empty',
      'cell 4: expected the type int, got str',
      'cell 1: expected at least 0.95, got 0.93',
      'cell 0: expected the shape (3, -1), got (2, 3)',
      'cell 9 is not a code cell',
    ]);
    expect(last(run)).toMatchObject({
      category: 'check_failed',
      error: 'expectedOutputs: cell 3: its output is empty (and 4 more)',
      failedCell: 3,
    });
  });
});

describe('levels of validation', () => {
  const cells = [
    'import warnings\nwarnings.warn("old", DeprecationWarning)',
    'float("nan")',
    'import os\nos.system("true")',
    { code: '1', outputs: [{ output_type: 'stream', name: 'stdout', text: 'one' }] },
  ];
  const failing = async (validation: object): Promise<string[]> => {
    const run = await runNotebook(notebookText(cells), { plain: true, validation });
    expect(run.code).toBe(run.events.some(({ event, ok }) => event === 'check' && ok === false) ? 1 : 0);
    return run.events
      .filter(({ event, ok }) => event === 'check' && ok === false)
      .map(({ name, cell }) => `${String(name)} ${String(cell)}`);
  };
  const all = [
    'failOnStderr 0',
    'failOnWarnings 0',
    'detectSilentFailures 1',
    'requireExplicitExitCodes 2',
    'checkOutputTypes 3',
    'verifyAssertions null',
  ];

  it.each([
    ['learning fails nothing', { level: 'learning', detectSilentFailures: true }, []],
    ['development fails values that are nothing', {}, ['detectSilentFailures 1']],
    [
      'a switch adds to its level',
      { level: 'development', failOnStderr: true, failOnWarnings: false, detectSilentFailures: false },
      ['failOnStderr 0'],
    ],
    [
      'a switch that is off takes from its level',
      { level: 'production', failOnStderr: false, failOnWarnings: false, checkOutputTypes: false },
      ['detectSilentFailures 1', 'requireExplicitExitCodes 2', 'verifyAssertions null'],
    ],
    ['in a lesson only what is asked for fails', { level: 'learning', failOnWarnings: true }, ['failOnWarnings 0']],
    [
      'staging wants exit codes and assertions',
      { level: 'staging' },
      ['detectSilentFailures 1', 'requireExplicitExitCodes 2', 'verifyAssertions null'],
    ],
    ['production wants all', { level: 'production' }, all],
    ['strict mode is production', { level: 'learning', strictMode: true }, all],
    ['a switch that is off takes from strict mode', { strictMode: true, verifyAssertions: false }, all.slice(0, 5)],
  ] as const)('%s', async (_, validation, expected) => {
    expect(await failing(validation)).toEqual(expected);
  });
});

describe('what cannot be run', () => {
  const refusal = async (text: string, config: Record<string, unknown> = { plain: true }): Promise<string> => {
    const run: NotebookRun = await runNotebook(text, config);
    expect(run.events.map(({ event }) => event)).toEqual(['end']);
    return (
      `${run.code} ${String(last(run)['category'])} ` + String(last(run)['error']).replace(/\/\S+\/(\w+\.ipynb)/, '$1')
    );
  };

  it.each([
    [
      'a notebook that is not JSON',
      '{"cells": [',
      {},
      '3 configuration_error notebook a.ipynb is not JSON: Expecting value: line 1 column 12 (char 11)',
    ],
    ['a list', '[]', {}, '3 configuration_error notebook a.ipynb is not a notebook: a notebook is a JSON object'],
    [
      'an old format',
      '{"nbformat": 3, "worksheets": []}',
      {},
      '3 configuration_error notebook a.ipynb has format 3; only format 4 can be run, jupyter nbconvert ' +
        '--to notebook makes it',
    ],
    [
      'a kernel that does not exist',
      notebookText(['1'], 'ir'),
      {},
      '3 configuration_error kernel "ir" is not installed: only plain Python is available',
    ],
    [
      'a golden notebook that is not JSON',
      notebookText(['1']),
      { golden: 'no' },
      '3 configuration_error golden notebook golden.ipynb is not JSON: Expecting value: line 1 column 1 (char 0)',
    ],
    [
      'a pattern that is none',
      notebookText(['1']),
      { comparison: { customTimestampPatterns: ['('] } },
      '3 configuration_error comparisonConfig.customTimestampPatterns[0] is not a regular expression: ' +
        'missing ), unterminated subpattern at position 0',
    ],
    [
      'a level that is none',
      notebookText(['1']),
      { validation: { level: 'hard' } },
      '3 configuration_error validationConfig.level "hard" is unknown: use one of learning, development, ' +
        'staging, production',
    ],
    [
      'magics without IPython',
      notebookText(['1', '%matplotlib inline\nx = 1']),
      {},
      '4 dependency_install_failed cell 1 uses IPython syntax, "%matplotlib inline", but nbclient and ' +
        "ipykernel are not installed; install Debian's python3-nbclient and python3-ipykernel, or pip install " +
        'nbclient ipykernel',
    ],
  ] as const)('%s is reported before anything runs', async (_, text, config, expected) => {
    expect(await refusal(text, { plain: true, ...config })).toBe(expected);
  });

  it.runIf(hasJupyter)('lists the installed kernels', async () => {
    expect(await refusal(notebookText(['1'], 'ir'), {})).toMatch(
      /^3 configuration_error kernel "ir" is not installed; available: .*python3/,
    );
  });
});

const missing =
  hasJupyter && hasSklearn
    ? ''
    : " (skipped: Debian's python3-nbclient, python3-ipykernel, python3-sklearn are missing)";

describe.skipIf(missing !== '')(`a training notebook${missing}`, () => {
  it('trains, tests its model and draws, with magics', async () => {
    const run = await runNotebook(
      notebookText([
        '%config InlineBackend.figure_format = "png"\nimport numpy as np, json, pickle\nfrom ' +
          'sklearn.linear_model import LinearRegression\nX = np.arange(10.).reshape(-1, 1)\nmodel = ' +
          'LinearRegression().fit(X, 3 * X[:, 0] + 1)',
        'model.predict(X)',
        'float(model.score(X, 3 * X[:, 0] + 1))',
        'pickle.dump(model, open("model.pkl", "wb"))\nassert model.coef_[0] > 2.9',
        '!echo from the shell',
      ]),
      {
        validation: {
          level: 'staging',
          expectedOutputs: [
            { cell: 1, type: 'numpy.ndarray', shape: '10', minValue: '0', maxValue: '29' },
            { cell: 2, type: 'number', minValue: '0.99' },
          ],
        },
      },
    );
    expect(cellsOf(run)).toEqual(['0 Success', '1 Success', '2 Success', '3 Success', '4 Success']);
    expect(last(run)).toMatchObject({
      error: 'requireExplicitExitCodes: cell 4 ignores the exit code of "!echo from the shell"',
    });
  });
});

it('saves the executed notebook on request', async () => {
  const output = `/tmp/argosy-saved-${process.pid}.ipynb`;
  writeFileSync(output, '');
  await runNotebook(notebookText(['1 + 1']), { plain: true, output });
  const saved = readFileSync(output, 'utf8');
  rmSync(output);
  expect(JSON.parse(saved)).toMatchObject({
    cells: [{ execution_count: 1, outputs: [{ output_type: 'execute_result', data: { 'text/plain': '2' } }] }],
  });
});
