import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOW, openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import { installCrds, readCrds } from '../../control/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { NOTEBOOK_VALIDATION_JOBS } from '../../model/resources/index.js';

const CRDS = join(import.meta.dirname, '../../../crds');
const SPEC = {
  notebook: { git: { url: 'https://git.example.com/models.git', ref: 'main' }, path: 'notebooks/train.ipynb' },
  podConfig: { containerImage: 'python' },
};
const cell = (cellIndex: number, more: JsonObject = {}): JsonObject => ({
  cellIndex,
  cellType: 'code',
  status: 'Success',
  executionTime: '1.50s',
  ...more,
});
const FAILED = cell(2, {
  status: 'Failure',
  executionTime: '0.10s',
  errorType: 'NameError',
  errorMessage: "name 'df' is not defined",
  traceback: 'Traceback (most recent call last):\n\u001b[31mNameError\u001b[0m: name df',
});
const START = new Date(NOW - 90_000).toISOString().replace('.000', '');

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
  await installCrds(lab.cluster, await readCrds(CRDS, ['notebookvalidationjob.yaml']));
});
afterAll(() => lab.close());

async function create(
  name: string,
  status: JsonObject,
  {
    namespace = 'shop',
    annotations = {},
    labels = {},
  }: { namespace?: string; annotations?: Record<string, string>; labels?: Record<string, string> } = {},
): Promise<void> {
  await lab.cluster.create(NOTEBOOK_VALIDATION_JOBS, {
    apiVersion: 'mlops.mlops.dev/v1alpha1',
    kind: 'NotebookValidationJob',
    metadata: { name, namespace, annotations, labels },
    spec: SPEC,
  });
  await set(name, status, namespace);
}

const set = async (name: string, status: JsonObject, namespace = 'shop'): Promise<void> => {
  await lab.cluster.patch(
    NOTEBOOK_VALIDATION_JOBS,
    { namespace, name },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
};

describe('notebook list', () => {
  beforeAll(async () => {
    await create(
      'train',
      {
        phase: 'ValidationRunning',
        observedGeneration: 1,
        startTime: START,
        results: [cell(0), cell(1)],
        statistics: { totalCells: 5 },
      },
      { labels: { team: 'a' } },
    );
    await create('score', {
      phase: 'Failed',
      observedGeneration: 1,
      startTime: START,
      completionTime: new Date(NOW).toISOString().replace('.000', ''),
      message: 'cell 2: NameError',
      results: [cell(0, { output: '2000 rows\nno gaps' }), cell(1), FAILED],
      statistics: { totalCells: 3 },
    });
    await create('train', { phase: 'Succeeded', observedGeneration: 0 }, { namespace: 'team' });
  });

  it('shows phase, cells and time of each', async () => {
    const { code, out } = await lab.run(['notebook', 'list', '-o', 'wide']);
    expect(code).toBe(0);
    expect(
      out
        .split('\n')
        .map((line) =>
          line.replaceAll(/ {2,}/g, ' | ').replace(/\| (<invalid>|\d+[smhdy][^|]*) \| notebooks/, '| AGE | notebooks'),
        ),
    ).toEqual([
      'NAMESPACE | NAME | PHASE | CELLS | DURATION | AGE | NOTEBOOK | MESSAGE',
      'shop | score | Failed | 2/3 | 90s | AGE | notebooks/train.ipynb | cell 2: NameError',
      'shop | train | ValidationRunning | 2/5 | 90s | AGE | notebooks/train.ipynb',
      // What it says is about an older generation.
      'team | train | Pending | AGE | notebooks/train.ipynb',
      '',
    ]);
  });

  it('filters by namespace and label, and prints JSON', async () => {
    expect((await lab.run(['notebook', 'list', '-n', 'team', '-o', 'name'])).out).toBe('team/train\n');
    expect((await lab.run(['notebook', 'list', '-l', 'team=a', '-o', 'name'])).out).toBe('shop/train\n');
    expect(JSON.parse((await lab.run(['notebook', 'list', '-o', 'json'])).out) as unknown[]).toHaveLength(3);
    expect((await lab.run(['notebook', 'list', '-n', 'shop', '-o', 'yaml'])).out).toContain('errorType: NameError');
  });

  it('shows one with its cells, and the traceback of the failed one', async () => {
    const { code, out } = await lab.run(['notebook', 'get', 'score']);
    expect(code).toBe(0);
    expect(out).toContain('Phase:      Failed\nMessage:    cell 2: NameError\n');
    expect(out).toContain('Notebook:   notebooks/train.ipynb of https://git.example.com/models.git at main\n');
    expect(out).toContain(
      'CELL  TYPE  STATUS   DURATION  ERROR\n0     code  Success  1.50s\n1     code  Success  1.50s\n2     ' +
        "code  Failure  0.10s     NameError: name 'df' is not defined\n",
    );
    expect(out).toContain('\nCell 0:\n  2000 rows\n  no gaps\n');
    expect(out).toContain('\nCell 2:\n  Traceback (most recent call last):\n  NameError: name df\n');
  });

  it('reports an ambiguous or unknown name, and what to do', async () => {
    const both = await lab.run(['notebook', 'get', 'train']);
    expect([both.code, both.err]).toEqual([
      20,
      'argosy: there are 2 notebooks "train": shop/train, team/train; name one of them. See --help\n',
    ]);
    expect((await lab.run(['notebook', 'get', 'team/train', '-o', 'json'])).code).toBe(0);
    expect((await lab.run(['notebook', 'get', 'nowhere'])).err).toMatch(
      /^argosy: notebook "nowhere" not found .*List notebooks with argosy notebook list\n$/,
    );
    expect((await lab.run(['notebook', 'get', 'a/b/c'])).code).toBe(20);
  });
});

describe('notebook get --watch', () => {
  /** Plays the operator: the next status is written when the last one was seen. */
  async function play(
    name: string,
    statuses: readonly JsonObject[],
    argv: readonly string[] = [],
  ): Promise<{ code: number; out: string; err: string }> {
    let out = '';
    let next = 0;
    const advance = (): void => {
      const status = statuses[next];
      if (status === undefined) return;
      next++;
      void set(name, status);
    };
    const ran = await lab.run(['notebook', 'get', name, '-w', ...argv], {
      stdout: {
        write: (text) => {
          out += text;
          advance();
        },
      },
    });
    return { ...ran, out };
  }

  it('prints ten cells as they finish', async () => {
    await create('ten', { phase: 'ValidationRunning', observedGeneration: 1, statistics: { totalCells: 10 } });
    const cells = Array.from({ length: 10 }, (_, index) => cell(index));
    const { code, out } = await play('ten', [
      ...cells.map((_, index) => ({ results: cells.slice(0, index + 1) })),
      { phase: 'Succeeded', message: 'Validation completed: 10/10 cells succeeded (100.0% success rate)' },
    ]);
    expect(code).toBe(0);
    expect(
      out
        .split('\n')
        .filter((line) => line.startsWith('cell'))
        .map((line) => line.split(/ +/).slice(0, 4).join(' ')),
    ).toEqual(cells.map((_, index) => `cell ${index} code Success`));
    expect(out.trimEnd().split('\n').at(-1)).toBe(
      'Succeeded: Validation completed: 10/10 cells succeeded (100.0% success rate)',
    );
  });

  it('ends with 1 where the notebook is only simulated', async () => {
    await create('simulated', { phase: 'ValidationRunning', observedGeneration: 1 });
    const at = { lastTransitionTime: START };
    const { code, out } = await play('simulated', [
      {
        phase: 'Pending',
        message: 'Not executed: this cluster only simulates containers of image python',
        conditions: [{ type: 'ValidationComplete', status: 'Unknown', reason: 'Simulated', message: '', ...at }],
      },
    ]);
    expect(code).toBe(1);
    expect(out).toContain('Pending: Not executed: this cluster only simulates containers of image python\n');
  });

  it('exits with 1 at the failed cell, and later cells did not run', async () => {
    await create('five', { phase: 'ValidationRunning', observedGeneration: 1 });
    const [one, two] = [cell(0), cell(1)];
    const skipped = [
      cell(3, { status: 'Skipped', executionTime: '' }),
      cell(4, { status: 'Skipped', executionTime: '' }),
    ];
    const { code, out } = await play('five', [
      { results: [one] },
      { results: [one, two] },
      {
        phase: 'Failed',
        message: "cell 2: NameError: name 'df' is not defined",
        results: [one, two, FAILED, ...skipped],
      },
    ]);
    expect(code).toBe(1);
    expect(out.slice(out.indexOf('cell 0'))).toBe(`cell 0    code     Success    1.50s
cell 1    code     Success    1.50s
cell 2    code     Failure    0.10s  NameError: name 'df' is not defined
cell 3    code     Skipped
cell 4    code     Skipped
Failed: cell 2: NameError: name 'df' is not defined
`);
  });

  it('starts over with another attempt, and prints JSON lines', async () => {
    await create('again', { phase: 'ValidationRunning', observedGeneration: 1, runId: 'r', results: [cell(0)] });
    const { out } = await play('again', [
      { retryCount: 1, results: null, phase: 'Pending' },
      { phase: 'Succeeded', results: [cell(0)] },
    ]);
    expect(out.match(/^(cell 0|attempt 2)/gm)).toEqual(['cell 0', 'attempt 2', 'cell 0']);
    const { out: documents, code } = await play('again', [], ['-o', 'json']);
    expect([
      code,
      documents
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { status: { phase: string } }).status.phase),
    ]).toEqual([0, ['Succeeded']]);
  });

  it('fails on timeout or when the notebook is deleted', async () => {
    await create('gone', { phase: 'ValidationRunning', observedGeneration: 1 });
    expect((await lab.run(['notebook', 'get', 'gone', '-w', '--timeout', '1'])).err).toContain('is not over after 1 s');
    const watching = lab.run(['notebook', 'get', 'gone', '-w'], {
      stdout: {
        write: () => {
          void remove();
        },
      },
    });
    const remove = async (): Promise<void> => {
      const job = await lab.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace: 'shop', name: 'gone' });
      if (job !== undefined)
        await lab.cluster.remove(
          NOTEBOOK_VALIDATION_JOBS,
          { namespace: 'shop', name: 'gone' },
          { uid: job.metadata.uid ?? '' },
        );
    };
    expect((await watching).err).toContain('the notebook shop/gone was deleted');
  });
});

it('reports a cluster without the kind', async () => {
  const other = await openAppLab();
  try {
    expect((await other.run(['notebook', 'list'])).err).toContain('this cluster has no NotebookValidationJobs');
  } finally {
    await other.close();
  }
});
