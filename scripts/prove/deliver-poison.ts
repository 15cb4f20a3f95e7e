import { PoisonLab } from '../../contracts/faults/poison-trial.js';
import { runTrials, type Proof } from './trials/proof.js';

/**
 * A controller starts where a rotten Application, project, setting or Secret is stored already: it starts, says what is
 * wrong, and delivers the sound ones.
 */
export const proof: Proof = {
  name: 'deliver-poison',
  sizes: { smoke: 3, full: 65 },
  async run(context) {
    const lab = await PoisonLab.open();
    try {
      return await runTrials(context, async (index) => {
        const { wrong, refused, says, ms } = await lab.play(index * (context.size < 10 ? 13 : 1));
        context.log(`${says} (${Math.round(ms)} ms)`);
        return { wrong, counts: { 'refused by the API server': refused ? 1 : 0 }, samples: { 'trial ms': ms } };
      });
    } finally {
      await lab.close();
    }
  },
};
