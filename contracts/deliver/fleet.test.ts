import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { countLines } from './fleet/counts.js';
import { breakPhase, deliverFleet, healPhase } from './fleet/phases.js';
import { FleetLab } from './fleet/lab.js';

// The fleet as `argosy up` delivers it, at smoke size: one environment with the components of its foundation and data.
// All 200 are `npm run bench:fleet`.
const absent = embeddedMissing();
const START = 120_000;
const ONE = 300_000;

describe('a fleet delivered by argosy up', () => {
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  let stage: FleetLab | undefined;
  const open = (): FleetLab => {
    if (stage === undefined) throw new Error('there is no stage');
    return stage;
  };
  beforeAll(async () => {
    stage = await FleetLab.open({ environments: 1, applications: 12 });
    await stage.prepare();
  }, START);
  afterAll(() => stage?.close(), START);

  it(
    'becomes Synced and Healthy, shows the problems of the first moment, and is healed again',
    async () => {
      const healthy = await deliverFleet(open());
      expect(healthy.wrong, open().tail()).toEqual([]);
      const first = await breakPhase(open());
      expect(first.wrong, open().tail()).toEqual([]);
      expect(countLines(first.counts)).toEqual([
        'Total applications: 17',
        '- Healthy/Synced: 3',
        '- Degraded: 9',
        '- Missing: 0',
        '- OutOfSync: 5',
        '- Progressing: 3',
      ]);
      const healed = await healPhase(open());
      expect(healed.wrong, open().tail()).toEqual([]);
    },
    ONE,
  );
});
