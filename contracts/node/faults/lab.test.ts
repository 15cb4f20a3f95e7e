import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { incidentOf } from '../../../bench/incidents/node-faults.js';
import { judge } from '../../../bench/incidents/verdict.js';
import { collectFiles, loadCatalogue, openTriage } from '../../../src/control/index.js';
import { TRIAGE_CODES } from '../../../src/triage/index.js';
import { namespaceOf, readFaults } from './fault.js';
import { openLab, whyNoLab } from './lab.js';

const faults = readFaults();

it('each fault has a name of its own, a component, and codes that triage has', () => {
  expect(new Set(faults.map(namespaceOf)).size).toBe(faults.length);
  expect(faults.filter(({ fault }) => !/^[a-z0-9-]{3,60}$/.test(fault))).toEqual([]);
  expect(faults.filter(({ component }) => !/^(?:app|node|namespace)\/[a-z0-9-]+$/.test(component))).toEqual([]);
  expect(faults.flatMap(({ codes }) => codes).filter((code) => !Object.hasOwn(TRIAGE_CODES, code))).toEqual([]);
});

const absent = whyNoLab();

it.skipIf(absent !== undefined)(
  absent ?? 'faults happen on the real node and are named by what was recorded',
  async () => {
    const small = ['config-map-of-env-missing', 'service-selector-wrong'];
    const chosen = faults
      .filter(({ fault }) => small.includes(fault))
      .map((fault) => ({ ...fault, moments: [4, 5, 6] }));
    const folder = mkdtempSync(join(tmpdir(), 'argosy-lab-'));
    const lab = await openLab();
    try {
      const triageOf = openTriage(loadCatalogue(join(import.meta.dirname, '../../../catalogue')), () => 0);
      const last = (await lab.record(chosen, folder)).filter(({ moment }) => moment === 2);
      for (const { fault, moment, dump } of last) {
        const report = triageOf(await collectFiles([dump], { now: 0 }));
        expect(judge(incidentOf(fault, moment, dump), report).isFirst, JSON.stringify(report.causes)).toBe(true);
      }
      expect(last).toHaveLength(small.length);
    } finally {
      await lab.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
