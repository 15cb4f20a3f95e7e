import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeDump } from '../../bench/triage/large/write-dump.js';
import { loadCatalogue, collectFiles, openTriage } from '../../src/control/index.js';
import { proof } from '../../scripts/prove/triage-large-files.js';

/** `npm run bench:triage-size` measures the same at full size. */
it.each([
  ['spread', 8],
  ['all broken', 1],
])('a dump of a generated fleet is read whole and its faults are found: %s', async (_shape, oneBrokenIn) => {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-large-'));
  try {
    const dump = writeDump(folder, { seed: 3, applications: 12, objects: 900, namespaces: 3, oneBrokenIn });
    const report = openTriage(
      loadCatalogue(join(import.meta.dirname, '../../catalogue')),
      () => 0,
    )(await collectFiles([folder], { now: 0 }));
    expect(report.summary).toMatchObject({
      applications: 12,
      objects: dump.objects,
      events: dump.events,
      broken: dump.brokenApplications,
    });
    expect(report.problems).toEqual([]);
    const told = new Set(
      report.causes
        .filter(({ severity }) => severity !== 'P3')
        .flatMap(({ objects }) => objects.map(({ kind, name }) => `${kind}/${name}`)),
    );
    for (const [fault, keys] of dump.faults)
      expect(
        [...keys].some((key) => told.has(key)),
        fault,
      ).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('triage-large-files holds at its smoke size', async () => {
  const lines: string[] = [];
  const { ok } = await proof.run({ seed: 1, size: proof.sizes.smoke, log: (line) => lines.push(line) });
  expect(lines).toEqual([]);
  expect(ok).toBe(true);
});
