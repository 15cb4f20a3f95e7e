import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isArray, type JsonObject } from '../../src/model/json/index.js';
import { startGitServer, type GitServer } from '../../world/doubles/index.js';
import { writeRepository } from '../../world/fleet/write-repository.js';
import { executionMissing } from './execution.js';
import { NotebookLab, placeOf } from './notebook-lab.js';
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/model/resources/index.js';

const IMAGE = 'quay.io/jupyter/minimal-notebook:latest';
const notebook = (...cells: readonly string[]): string =>
  JSON.stringify({
    cells: cells.map((source, index) => ({
      cell_type: 'code',
      id: `c${index}`,
      metadata: {},
      execution_count: null,
      outputs: [],
      source,
    })),
    metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
    nbformat: 4,
    nbformat_minor: 5,
  });

/** One code cell for each output: a value, or a stream with its name. */
const golden = (...outputs: readonly (readonly [text: string, stream?: string])[]): string =>
  JSON.stringify({
    cells: outputs.map(([text, stream], index) => ({
      cell_type: 'code',
      id: `g${index}`,
      metadata: {},
      execution_count: 9,
      source: '',
      outputs: [
        stream === undefined
          ? { output_type: 'execute_result', execution_count: 9, metadata: {}, data: { 'text/plain': text } }
          : { output_type: 'stream', name: stream, text },
      ],
    })),
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  });

const absent = executionMissing();

describe.skipIf(absent !== undefined)(absent ?? 'a notebook that is executed', () => {
  let lab: NotebookLab;
  let git: GitServer;
  const folder = mkdtempSync(join(tmpdir(), 'argosy-notebook-git-'));
  beforeAll(async () => {
    writeRepository(join(folder, 'ml.git'), [
      {
        message: 'Notebooks',
        files: new Map([
          ['good.ipynb', notebook('x = 6 * 7', 'print("answer", x)', 'x')],
          ['bad.ipynb', notebook('a = 1', 'b = 2', 'raise ValueError("no data for " + str(a + b))', 'c = 3', 'd = 4')],
          [
            'slow.ipynb',
            notebook('import time', ...Array.from({ length: 9 }, (_, index) => `time.sleep(0.4); print(${index})`)),
          ],
          ['broken.ipynb', 'this is no JSON'],
          ['odd/$$(HOME) $(HOME).ipynb', notebook('open("$$(HOME) $(HOME).ipynb").close()')],
          [
            'writes.ipynb',
            notebook(
              'open("/mnt/models/model", "w").write("v1")',
              'print("trained at 2026-01-01 10:00:00")',
              '0.12345',
            ),
          ],
          ['reads.ipynb', notebook('open("/mnt/models/model").read()')],
          ['golden/writes.ipynb', golden(['2'], ['trained at 2031-12-31 00:00:00\n', 'stdout'], ['0.123452'])],
          ['golden/reads.ipynb', golden(["'v2'"])],
        ]),
      },
    ]);
    git = await startGitServer({ folder, users: [], isPublic: true, report: () => undefined });
    lab = await NotebookLab.open({ processes: { images: [{ image: IMAGE }], reachable: [placeOf(git.url)] } });
  }, 60_000);
  afterAll(async () => {
    await lab.close();
    await git.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (namespace: string, path: string, more: JsonObject = {}): Promise<void> => {
    await lab.namespace(namespace);
    await lab.job(
      namespace,
      'train',
      {},
      {
        spec: {
          notebook: { git: { url: `${git.url}/ml.git`, ref: 'main' }, path },
          podConfig: { containerImage: IMAGE },
          ...more,
        },
      },
    );
  };
  const isOver = ({ phase }: JsonObject): boolean => phase === 'Succeeded' || phase === 'Failed';

  it('succeeds with the outputs of its cells', async () => {
    await run('good', 'good.ipynb');
    const status = await lab.untilStatus('good', 'train', isOver);
    expect(status, String(status.message)).toMatchObject({
      phase: 'Succeeded',
      message: 'Validation completed: 3/3 cells succeeded (100.0% success rate)',
      results: [
        { status: 'Success' },
        { output: expect.stringContaining('answer 42') as string },
        { output: expect.stringContaining('42') as string },
      ],
    });
  });

  it('has the name that was written, whatever variables it looks like', async () => {
    await run('odd', 'odd/$$(HOME) $(HOME).ipynb');
    const status = await lab.untilStatus('odd', 'train', isOver);
    expect(status, String(status.message)).toMatchObject({ phase: 'Succeeded' });
  });

  it('fails at cell 2 of 5 with the error of that cell', async () => {
    await run('bad', 'bad.ipynb');
    const status = await lab.untilStatus('bad', 'train', isOver);
    expect(status).toMatchObject({
      phase: 'Failed',
      message: 'Validation failed: cell 2 raised ValueError: no data for 3',
      results: [
        { status: 'Success' },
        { status: 'Success' },
        { status: 'Failure', errorType: 'ValueError', errorMessage: 'no data for 3' },
        { status: 'Skipped' },
        { status: 'Skipped' },
      ],
    });
  });

  it('shows the cells of ten as they end', async () => {
    await run('slow', 'slow.ipynb');
    const seen = new Set<number>();
    await lab.untilStatus('slow', 'train', (status) => {
      if (status.phase === 'ValidationRunning' && isArray(status.results)) seen.add(status.results.length);
      return isOver(status);
    });
    expect(seen.size).toBeGreaterThan(3);
  });

  it('says that a notebook is none, and that a ref or a notebook does not exist, without another attempt', async () => {
    await run('broken', 'broken.ipynb');
    await run('absent', 'absent.ipynb');
    await lab.namespace('no-ref');
    await lab.job(
      'no-ref',
      'train',
      {},
      {
        spec: {
          notebook: { git: { url: `${git.url}/ml.git`, ref: 'nowhere' }, path: 'good.ipynb' },
          podConfig: { containerImage: IMAGE },
        },
      },
    );
    const reason = async (namespace: string): Promise<string> =>
      String((await lab.untilStatus(namespace, 'train', isOver)).message).split(' - ')[0] ?? '';
    expect(await Promise.all(['broken', 'absent', 'no-ref'].map(reason))).toEqual([
      'Validation failed: ConfigurationError',
      'Validation failed: NotebookNotFound',
      'Validation failed: GitRefNotFound',
    ]);
  });

  it('compares with a golden notebook and reads from a claim what another one wrote', async () => {
    await lab.namespace('volumes');
    await lab.cluster.create(PERSISTENT_VOLUME_CLAIMS, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'models', namespace: 'volumes' },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    });
    const ml = { url: `${git.url}/ml.git`, ref: 'main' };
    const start = (name: string): Promise<unknown> =>
      lab.job(
        'volumes',
        name,
        {},
        {
          spec: {
            notebook: { git: ml, path: `${name}.ipynb` },
            goldenNotebook: { git: ml, path: `golden/${name}.ipynb` },
            podConfig: { containerImage: IMAGE, volumeMounts: [{ name: 'models', mountPath: '/mnt/models' }] },
            volumes: [{ name: 'models', persistentVolumeClaim: { claimName: 'models' } }],
          },
        },
      );
    const over = (name: string): Promise<JsonObject> =>
      lab.until(
        name,
        async () => {
          const status = await lab.status('volumes', name);
          return isOver(status) && status;
        },
        60_000,
      );
    await start('writes');
    const written = await over('writes');
    expect(written, String(written.message)).toMatchObject({
      phase: 'Succeeded',
      comparisonResult: {
        strategy: 'normalized',
        result: 'matched',
        totalCells: 3,
        matchedCells: 3,
        mismatchedCells: 0,
        diffs: [],
      },
    });
    await start('reads');
    expect(await over('reads')).toMatchObject({
      phase: 'Failed',
      message: 'Validation failed: golden notebook comparison failed (0/1 cells matched)',
      comparisonResult: {
        result: 'failed',
        diffs: [{ cellIndex: 0, diffType: 'output_mismatch', expected: "'v2'", actual: "'v1'" }],
      },
    });
  }, 130_000);

  it('that never ends is ended by its timeout', async () => {
    await run('hangs', 'slow.ipynb', { timeout: '2s' });
    expect(await lab.untilStatus('hangs', 'train', isOver)).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('Timeout') as string,
    });
  });
});
