import { GhostLab } from '../../contracts/faults/ghost-trial.js';
import { runTrials, type Proof } from './trials/proof.js';

/**
 * Objects are deleted, or deleted and made again, while the controller is cut off: afterwards its status shows each as
 * it is, within 30 seconds.
 */
export const proof: Proof = {
  name: 'deliver-ghosts',
  sizes: { smoke: 1, full: 100 },
  async run(context) {
    const lab = await GhostLab.open();
    try {
      return await runTrials(context, async (index) => {
        const { wrong, ghosts, ms } = await lab.play(context.seed * 100_003 + index);
        return { wrong, counts: { ghosts }, samples: { 'seen ms': ms } };
      });
    } finally {
      await lab.close();
    }
  },
};
