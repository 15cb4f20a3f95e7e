import type { ExpectedState } from '../../../world/fleet/index.js';
import { breakFleet, healFleet } from './break-fleet.js';
import { countFleet, type FleetCounts } from './counts.js';
import type { FleetLab } from './lab.js';

/** One turn of the fleet, from what was done to the moment when every application is as it should be. */
export interface Phase {
  readonly seconds: number;
  readonly counts: FleetCounts;
  /** Applications that were not as they should be when time was up; empty where all is as it should be. */
  readonly wrong: readonly string[];
}

const WITHIN = 240_000;

/** All Applications are made at once; the clock runs from the first of them. */
export function deliverFleet(stage: FleetLab): Promise<Phase> {
  const { expected } = stage.fleet();
  return phase(stage, expected, async () => {
    await stage.create();
    await reach(stage, expected);
  });
}

/** From the commit of the first moment. */
export function breakPhase(stage: FleetLab): Promise<Phase> {
  const { expected } = stage.fleet('first');
  return phase(stage, expected, async () => {
    await breakFleet(stage);
    await reach(stage, expected);
  });
}

/** From the commit that repairs it. */
export function healPhase(stage: FleetLab): Promise<Phase> {
  const { expected } = stage.fleet();
  return phase(stage, expected, async () => {
    await healFleet(stage, () => stage.differing(expected).length === 0, WITHIN);
  });
}

async function reach(stage: FleetLab, expected: ReadonlyMap<string, ExpectedState>): Promise<void> {
  await stage.until(
    (shown) =>
      [...expected].every(
        ([name, { sync, health }]) => shown.get(name)?.sync === sync && shown.get(name)?.health === health,
      ),
    WITHIN,
  );
}

async function phase(
  stage: FleetLab,
  expected: ReadonlyMap<string, ExpectedState>,
  work: () => Promise<void>,
): Promise<Phase> {
  const begin = performance.now();
  await work();
  stage.child.assertAlive();
  return {
    seconds: (performance.now() - begin) / 1000,
    counts: countFleet(stage.statuses),
    wrong: stage.differing(expected),
  };
}
