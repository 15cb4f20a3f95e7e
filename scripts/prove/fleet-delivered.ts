import { countLines } from '../../contracts/deliver/fleet/counts.js';
import { breakPhase, deliverFleet, healPhase, type Phase } from '../../contracts/deliver/fleet/phases.js';
import { FleetLab } from '../../contracts/deliver/fleet/lab.js';
import type { Proof } from './trials/proof.js';

const FULL = 65;
const ENVIRONMENTS = 3;
/** In which 200 applications must be Synced and Healthy. */
const SECONDS = 30;

/**
 * A fleet delivered by `argosy up` becomes Synced and Healthy; brought to the first moment of the inventory it shows
 * exactly those counts, application by application; and it is healed again. `size` components in each environment; the
 * full size has three, and must be in time.
 */
export const proof: Proof = {
  name: 'fleet-delivered',
  sizes: { smoke: 12, full: FULL },
  async run({ size, log }) {
    const stage = await FleetLab.open({ environments: size < FULL ? 1 : ENVIRONMENTS, applications: size });
    const figures: Record<string, number> = {};
    const play = async (name: string, work: (stage: FleetLab) => Promise<Phase>): Promise<boolean> => {
      const { seconds, counts, wrong } = await work(stage);
      log(`${name}, after ${seconds.toFixed(1)} s`);
      for (const line of [...countLines(counts), ...wrong]) log(`  ${line}`);
      Object.assign(
        figures,
        { [`${name} seconds`]: Math.round(seconds * 10) / 10 },
        Object.fromEntries(Object.entries(counts).map(([what, count]) => [`${name} ${what}`, count])),
      );
      return wrong.length === 0;
    };
    try {
      await stage.prepare();
      const isDelivered =
        (await play('delivered', deliverFleet)) &&
        (size < FULL || (figures['delivered seconds'] ?? Infinity) < SECONDS);
      const isOk = isDelivered && (await play('first moment', breakPhase)) && (await play('healed', healPhase));
      return { ok: isOk, done: size, figures };
    } finally {
      await stage.close();
    }
  },
};
