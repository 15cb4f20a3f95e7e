import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compareRuns } from './difference.js';
import { runOurs } from './ours.js';
import { RealHelm } from './real-helm.js';
import { caseOf, CHANGES } from './since-helm-3.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/render-differences.md'), 'utf8');
const helm = await RealHelm.open();

describe('what changes for charts of Helm 3.19', () => {
  it.each(CHANGES)('the page shows it: $name', ({ gives }) => {
    for (const line of gives.split('\n')) expect(page).toContain(line.trim());
  });

  if (typeof helm === 'string') {
    it.skip(helm, () => {
      /* the name says why */
    });
    return;
  }
  const place = mkdtempSync(join(tmpdir(), 'argosy-since-helm-3-'));
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it.each(CHANGES)('helm 4.2.1 and ours do it: $name', async (change) => {
    const wanted = caseOf(change, place);
    const real = await helm.run(wanted);
    const comparison = await compareRuns(real, () => helm.runAgain(wanted), runOurs(wanted, real.at));
    expect(real.code === 0 ? real.stdout : real.stderr).toContain(change.gives);
    expect(comparison).toEqual({ verdict: real.code === 0 ? 'equal' : 'fails alike', first: '' });
  });
});
