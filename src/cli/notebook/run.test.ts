import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CliHost } from '../host/cli-host.js';
import { run, type RunFlags } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'argosy-cli-run-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'train.ipynb');

async function print(
  cells: readonly (string | { md: string })[],
  flags: Partial<RunFlags> = {},
  environment: Record<string, string> = {},
): Promise<{ code: number; text: string }> {
  const written = cells.map((cell) =>
    typeof cell === 'string'
      ? { cell_type: 'code', metadata: {}, source: cell, outputs: [], execution_count: null }
      : { cell_type: 'markdown', metadata: {}, source: cell.md },
  );
  writeFileSync(file, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: written }));
  let text = '';
  const host = {
    environment: { ...process.env, ...environment },
    runner: join(import.meta.dirname, '../../../runner'),
    crds: '',
    stdout: {
      write: (piece: string) => {
        text += piece;
      },
    },
  } as unknown as CliHost;
  const code = await run(file, { output: 'text', plain: true, ...flags }, host);
  return { code, text: text.replaceAll(/\d+\.\d+ s|\d+ s/g, 'N s').replace(/Python [\d.]+/, 'Python X') };
}

describe('argosy notebook run', () => {
  it('prints the cells of a notebook as they go', async () => {
    expect(await print([{ md: '# Title' }, 'print("hello")\n41 + 1', 'raise ValueError("bad")', '1'])).toEqual({
      code: 1,
      text: [
        '3 code cells of 4, run by plain Python X, standard library only',
        'cell 1',
        '    hello',
        '    42',
        'cell 1: Success in N s',
        'cell 2',
        '    Traceback (most recent call last):',
        '      File "<cell 2>", line 1, in <module>',
        '        raise ValueError("bad")',
        '    ValueError: bad',
        'cell 2: Failure in N s, ValueError: bad',
        'cell 3: skipped',
        'failed after N s: cell 2: ValueError: bad',
        '',
      ].join('\n'),
    });
  });

  it('exits with 0 on success, and saves the executed notebook', async () => {
    const save = join(folder, 'out.ipynb');
    const { code, text } = await print(['2 * 3'], { save });
    expect([code, text.split('\n').at(-2)]).toEqual([0, 'succeeded in N s']);
    expect(readFileSync(save, 'utf8')).toContain('"text/plain": "6"');
    expect((await print(['2 * 4'], { golden: save })).text).toContain(
      'golden notebook: failed, 0 of 1 cells\n  cell 0: output_mismatch (minor)\n    --- expected\n    +++ ' +
        'actual\n    - 6\n    + 8\n',
    );
  });

  it('prints events as JSON, and applies the checks of a level', async () => {
    const { code, text } = await print(['import sys\nprint("x", file=sys.stderr)'], { output: 'json', strict: true });
    expect(code).toBe(1);
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: string }).event),
    ).toEqual(['start', 'begin', 'cell', 'check', 'check', 'end']);
  });

  it('reports a notebook that cannot run', async () => {
    await expect(print(['%matplotlib inline'])).rejects.toMatchObject({
      code: 'NOTEBOOK_UNUSABLE',
      message: expect.stringContaining('cell 0 uses IPython syntax') as string,
    });
    await expect(print(['1'], {}, { ARGOSY_PYTHON: '/nowhere/python3' })).rejects.toMatchObject({
      code: 'PYTHON_MISSING',
      where: '/nowhere/python3',
    });
  });
});
