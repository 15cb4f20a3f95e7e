import { DELETIONS, DeletionLab, OBSTACLES } from '../../contracts/faults/deletion-trial.js';
import { runTrials, type Proof } from './trials/proof.js';

const WAYS = DELETIONS.flatMap((deletion) => OBSTACLES.map((obstacle) => [deletion, obstacle] as const));

/**
 * Applications are deleted foreground, background and without a finalizer, while the controller is killed, also between
 * the hooks around a deletion, or something that it needs is gone: no finalizer is left after a minute unless a
 * condition says why, what it delivered is gone or kept as asked, nothing else is, and each hook ran once.
 */
export const proof: Proof = {
  name: 'deliver-deletions',
  sizes: { smoke: 1, full: WAYS.length * 5 },
  async run(context) {
    const lab = await DeletionLab.open();
    try {
      return await runTrials(context, async (index) => {
        const [deletion, obstacle] = WAYS[(index * 7) % WAYS.length] ?? ['foreground', 'nothing'];
        const { wrong, kills, ms } = await lab.play(deletion, obstacle, context.seed * 100_003 + index);
        context.log(`${deletion}, ${obstacle}: ${Math.round(ms)} ms`);
        return { wrong, counts: { kills }, samples: { 'gone ms': ms } };
      });
    } finally {
      await lab.close();
    }
  },
};
