import { runUntil, verifyDisk } from '../../src/apiserver/store/testing/cut-off.js';
import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { SimulatedDisk } from '../../src/apiserver/store/testing/simulated-disk.js';
import { Workload } from '../../src/apiserver/store/testing/workload.js';
import { runTrials, type Proof } from './trials/proof.js';

/** More than the disk makes in one life of the workload. */
const STEPS = 200;
const LIVES = 10;

/**
 * The power fails at every step of the disk in turn, ten times on one store: what was not synced is lost, in any choice
 * of sectors and in any order. Every acknowledged write is there afterwards, and nothing that nobody wrote.
 */
export const proof: Proof = {
  name: 'store-power',
  sizes: { smoke: 12, full: 30 * STEPS },
  run: (context) =>
    runTrials(context, async (index) => {
      const random = seededRandom(context.seed * 1_000_003 + index);
      const workload = new Workload(random);
      let disk = new SimulatedDisk();
      const wrong: string[] = [];
      let acknowledged = 0;
      for (let life = 0; life < LIVES && wrong.length === 0; life++) {
        const steps = life === 0 ? index % STEPS : random.integer(STEPS);
        disk = await runUntil(disk, steps, workload, (cut) => cut.afterPowerCut(random));
        acknowledged += workload.ledger.acknowledged;
        wrong.push(...(await verifyDisk(disk, workload)).map((line) => `life ${life}, cut at ${steps}: ${line}`));
      }
      return {
        wrong,
        counts: { 'power cuts': LIVES, 'acknowledged writes': acknowledged, lost: wrong.length },
      };
    }),
};
