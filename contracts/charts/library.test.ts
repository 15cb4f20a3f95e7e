import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compareRuns } from '../render/helm/difference.js';
import { runOurs } from '../render/helm/ours.js';
import { RealHelm } from '../render/helm/real-helm.js';
import { LibraryCharts } from './library-chart.js';

// One folder a case: `template.yaml` uses the library, `values.yaml` are the values of the chart, `expect.txt` is what
// comes out or the error.
const CASES = join(import.meta.dirname, 'cases');
const read = (name: string, file: string): string | undefined =>
  existsSync(join(CASES, name, file)) ? readFileSync(join(CASES, name, file), 'utf8') : undefined;
const helm = await RealHelm.open();

describe('the library chart', () => {
  const charts = new LibraryCharts();
  afterAll(() => {
    charts.close();
  });
  const cases = readdirSync(CASES).map(
    (name) =>
      [
        name,
        charts.chart(name, { 'templates/case.yaml': read(name, 'template.yaml') ?? '' }, read(name, 'values.yaml')),
      ] as const,
  );

  it.each(cases)('%s', (name, wanted) => {
    const ours = runOurs(wanted, 0);
    expect(ours.kind === 'text' ? ours.text : `Error: ${ours.message}\n`).toBe(read(name, 'expect.txt'));
  });

  if (typeof helm === 'string')
    it.skip(helm, () => {
      /* the name says why */
    });
  else {
    it.each(cases)('the real helm says the same: %s', async (name, wanted) => {
      const real = await helm.run(wanted);
      const verdict = read(name, 'expect.txt')?.startsWith('Error: ') === true ? 'fails alike' : 'equal';
      expect(await compareRuns(real, () => helm.runAgain(wanted), runOurs(wanted, real.at))).toEqual({
        verdict,
        first: '',
      });
    });
  }
});
