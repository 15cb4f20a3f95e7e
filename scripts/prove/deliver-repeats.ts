import { RepeatLab } from '../../contracts/faults/repeat-trial.js';
import { runTrials, type Proof } from './trials/proof.js';

/**
 * Answers are lost after the server did what it was asked, and finished operations are asked for again: no object is
 * changed or made twice.
 */
export const proof: Proof = {
  name: 'deliver-repeats',
  sizes: { smoke: 1, full: 120 },
  async run(context) {
    const lab = await RepeatLab.open();
    try {
      return await runTrials(context, async (index) => {
        const { wrong, lostReplies, repeatedWrites } = await lab.play(context.seed * 100_003 + index);
        return { wrong, counts: { 'answers lost': lostReplies, 'writes that changed nothing': repeatedWrites } };
      });
    } finally {
      await lab.close();
    }
  },
};
