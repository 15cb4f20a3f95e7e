import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realParts } from '../real/parts.js';
import { FaultLab } from './fault-trial.js';
import { WATCH_FAULTS } from './watch-faults.js';

const BUILD_AND_START = 20 * 60_000;
const SEED = 7;
const parts = await realParts();

// `npm run prove -- watch-faults` plays each twenty times.
describe('a cache of the real kube-apiserver equals a live list after', () => {
  if (parts.kind === 'missing') {
    it.skip(`skipped: kube-apiserver (${parts.reason})`, () => {
      /* the name says why */
    });
    return;
  }
  let lab: FaultLab;
  beforeAll(async () => {
    lab = await FaultLab.open();
  }, BUILD_AND_START);
  afterAll(() => lab.close());

  it.each(WATCH_FAULTS.map((fault, index) => [fault.name, fault, SEED + index] as const))(
    '%s',
    async (_, fault, seed) => {
      const { wrong, lists } = await lab.play(fault, seed);
      expect(wrong).toEqual([]);
      expect(lists).toBeLessThanOrEqual(fault.lists);
    },
    90_000,
  );
});
